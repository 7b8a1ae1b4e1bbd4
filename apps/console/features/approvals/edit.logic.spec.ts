import { describe, expect, it } from 'vitest';
import type { LockstepEvent } from '@lockstep/engine';
import { argumentsOf, draftFields, fieldsOf, fieldText, parseArguments } from './edit.logic.ts';

const asked = (args: object): LockstepEvent =>
  ({
    id: 'e-1',
    stream: 'turn-t-1',
    type: 'ModelCallCompleted',
    data: { calls: [{ call: 'c1', alias: 'file_write', args }] },
  }) as LockstepEvent;

describe('edited arguments', () => {
  it('are one JSON object', () => {
    expect(parseArguments('{"path":"a"}')).toEqual({ ok: true, value: { path: 'a' } });
    for (const text of ['[1]', '"x"', 'null'])
      expect(parseArguments(text)).toEqual({
        ok: false,
        why: 'arguments are one JSON object, in braces',
      });
    expect(parseArguments('{"path":').ok).toBe(false);
  });

  it('begin with what the model asked for, where that can be read', () => {
    const inline = { inline: '{"path":"a"}' };
    expect(argumentsOf([asked(inline)], 'c1')).toEqual({ path: 'a' });
    expect(argumentsOf([asked(inline)], 'c2')).toBeNull();
    expect(argumentsOf([asked({ inline: '«hidden»' })], 'c1')).toBeNull();
    expect(argumentsOf([asked({ artifact: 'f'.repeat(64), bytes: 9 })], 'c1')).toBeNull();
  });
});

describe('a standing approval by fields', () => {
  const drafts = draftFields({ path: 'notes/a.md', 'a/b~': 1 });

  it('begins with each argument held to its value, none chosen', () => {
    expect(drafts).toEqual([
      { at: '/path', how: 'equals', value: '"notes/a.md"', wanted: false },
      { at: '/a~1b~0', how: 'equals', value: '1', wanted: false },
    ]);
    expect(fieldsOf(drafts)).toEqual({ ok: false, why: 'choose at least one argument' });
  });

  it('takes values and folders', () => {
    const chosen = [
      { at: '/path', how: 'below', value: 'notes', wanted: true },
      { at: '/mode', how: 'equals', value: '"new"', wanted: true },
      { at: '/other', how: 'equals', value: '1', wanted: false },
    ] as const;
    const fields = [
      { at: '/path', below: 'notes' },
      { at: '/mode', equals: 'new' },
    ];
    expect(fieldsOf(chosen)).toEqual({ ok: true, fields });
    expect(fields.map((field) => fieldText(field as Parameters<typeof fieldText>[0]))).toEqual([
      '/path below notes',
      '/mode = "new"',
    ]);
  });

  it('says which value is wrong', () => {
    const one = { at: '/path', wanted: true } as const;
    expect([
      fieldsOf([{ ...one, how: 'equals', value: 'notes' }]),
      fieldsOf([{ ...one, how: 'below', value: ' ' }]),
    ]).toEqual([
      { ok: false, why: 'the value of /path is no JSON: a text stands in quotes' },
      { ok: false, why: '/path needs a folder' },
    ]);
  });
});
