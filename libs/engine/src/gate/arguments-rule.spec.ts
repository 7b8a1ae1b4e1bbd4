import { expect, it } from 'vitest';
import { sampleTool } from '../testing/index.ts';
import { judgeArguments } from './arguments-rule.ts';

const read = sampleTool('file_read');
const loose = {
  ...read,
  id: 'mcp:files/x',
  inputSchema: { type: 'object' },
  digest: 'e'.repeat(64),
};

it.each([
  [
    'broken JSON',
    read,
    { ok: false as const, message: 'unexpected end' },
    'the arguments are no JSON: unexpected end',
  ],
  ['a misfit', read, { ok: true as const, value: { path: 1 } }, '`/path` must be string'],
  [
    'an operand that is no text',
    loose,
    { ok: true as const, value: { path: 1 } },
    '`/path` must be text',
  ],
])('refuses %s and says what does not fit', (_what, spec, args, why) => {
  expect(judgeArguments(spec, args)).toEqual({
    ok: false,
    withheld: { rule: 'gate.arguments', pattern: null, why },
    shown: `the call was refused: ${why}`,
  });
});

it('shows nothing of a schema that cannot be used', () => {
  const broken = { ...loose, inputSchema: { type: 'nope' }, digest: 'badc0de'.padEnd(64, '0') };
  const judged = judgeArguments(broken, { ok: true, value: {} });
  expect(judged.ok ? null : judged.shown).toBe('the call was refused: the tool cannot be used');
});

it('hands on arguments that fit', () => {
  expect(judgeArguments(read, { ok: true, value: { path: 'a' } })).toEqual({
    ok: true,
    value: { path: 'a' },
  });
});
