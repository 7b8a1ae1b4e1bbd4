import { describe, expect, it } from 'vitest';
import type { DataOf } from '../events/event.ts';
import { samplePath } from '../testing/index.ts';
import { matchGrants, type GrantedCall } from './match-grants.ts';

const grant = (change: Partial<DataOf<'GrantIssued'>> = {}): DataOf<'GrantIssued'> => ({
  grant: 'grant-1',
  agent: 'ada',
  tool: 'builtin:file_write',
  spec: 'a'.repeat(64),
  person: 'ana',
  scope: { kind: 'session', session: 'session-ada-1' },
  arguments: { kind: 'exact', digest: 'b'.repeat(64) },
  expires: 1_000,
  by: { principal: 'token:ana', person: 'ana', surface: 'cli' },
  approval: 'approval-1',
  ...change,
});

const call: GrantedCall = {
  agent: 'ada',
  tool: 'builtin:file_write',
  spec: 'a'.repeat(64),
  person: 'ana',
  session: 'session-ada-1',
  argsDigest: 'b'.repeat(64),
  args: { path: 'notes/a.md', content: 'x' },
  operands: [samplePath('notes/a.md', { access: 'write' })],
  root: '/ws/ada',
  now: 999,
};

it.each<[string, Partial<DataOf<'GrantIssued'>>, Partial<GrantedCall>, boolean]>([
  ['the very call', {}, {}, true],
  ['another agent', {}, { agent: 'bob' }, false],
  ['another tool', {}, { tool: 'builtin:file_edit' }, false],
  ['a changed tool', {}, { spec: 'c'.repeat(64) }, false],
  ['another person', {}, { person: 'eve' }, false],
  ['nobody in particular', {}, { person: null }, false],
  ['anyone, chosen aloud', { person: null }, { person: 'eve' }, true],
  ['another session', {}, { session: 'session-ada-2' }, false],
  [
    'another session of an agent grant',
    { scope: { kind: 'agent' } },
    { session: 'session-ada-2' },
    true,
  ],
  ['other arguments', {}, { argsDigest: 'c'.repeat(64) }, false],
  [
    'other arguments of a grant for any',
    { arguments: { kind: 'any' } },
    { argsDigest: 'c'.repeat(64) },
    true,
  ],
  ['the moment of expiry', {}, { now: 1_000 }, false],
  ['a grant without expiry', { expires: 'never' }, { now: 1e15 }, true],
])('covers or leaves %s', (_what, issued, asked, covered) => {
  expect(matchGrants([grant(issued)], { ...call, ...asked })).toEqual(covered ? ['grant-1'] : []);
});

it('finds every grant that covers a call, in their order', () => {
  const grants = [grant(), grant({ grant: 'grant-2', agent: 'bob' }), grant({ grant: 'grant-3' })];
  expect(matchGrants(grants, call)).toEqual(['grant-1', 'grant-3']);
});

describe('given a grant of named arguments', () => {
  const covered = (
    fields: Extract<DataOf<'GrantIssued'>['arguments'], { kind: 'fields' }>['fields'],
    change: Partial<GrantedCall> = {},
  ): boolean => {
    const issued = grant({ arguments: { kind: 'fields', fields } });
    return matchGrants([issued], { ...call, ...change }).length === 1;
  };

  it('covers other arguments whose named ones are equal', () => {
    const fields = [{ at: '/path', equals: 'notes/a.md' }];
    expect(covered(fields, { argsDigest: 'c'.repeat(64) })).toBe(true);
    expect(covered([{ at: '/path', equals: 'notes/b.md' }])).toBe(false);
    expect(covered([{ at: '/mode', equals: 'x' }])).toBe(false);
  });

  it('covers paths that really are below the folder, wherever they say they are', () => {
    expect(covered([{ at: '/path', below: 'notes' }])).toBe(true);
    expect(covered([{ at: '/path', below: '/ws/ada/notes' }])).toBe(true);
    expect(covered([{ at: '/path', below: 'note' }])).toBe(false);
    const linked = samplePath('notes/a.md', { access: 'write', real: '/ws/ada/other/a.md' });
    expect(covered([{ at: '/path', below: 'notes' }], { operands: [linked] })).toBe(false);
    expect(covered([{ at: '/path', below: 'notes' }], { operands: [] })).toBe(false);
    expect(covered([{ at: '/path', below: 'notes' }], { root: null })).toBe(false);
  });

  it('wants every named argument', () => {
    const both = [
      { at: '/path', below: 'notes' },
      { at: '/content', equals: 'y' },
    ];
    expect(covered(both)).toBe(false);
  });

  it('covers nothing where it names nothing', () => {
    expect(covered([])).toBe(false);
  });
});
