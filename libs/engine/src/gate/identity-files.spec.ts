import { describe, expect, it } from 'vitest';
import type { AccessMode } from '@lockstep/policy';
import { samplePolicy, sampleRoots } from '../testing/index.ts';
import { judgePath } from './path-operand.ts';

const soul = '/srv/team/SOUL.md';

const judge = (
  lexical: string,
  given: {
    writable: boolean;
    access?: AccessMode;
    real?: string;
    forbidden?: string[];
  },
): string => {
  const policy = samplePolicy({
    context: { identity: { files: [soul], writable: given.writable } },
    workspace: {
      protected: ['/data', soul, '/srv/team/lockstep.toml', '/srv/team/OTHER.md'],
      ...(given.forbidden === undefined ? {} : { forbidden_paths: given.forbidden }),
    },
  });
  const real = given.real ?? lexical;
  const denied = given.real === undefined ? [] : [{ path: soul, real: given.real }];
  const access = given.access ?? 'write';
  return judgePath(policy, sampleRoots({ denied }), { access, lexical, real })?.rule ?? 'passes';
};

describe('identity files of an agent', () => {
  it('are closed like all that config names by path', () => {
    expect(judge(soul, { writable: false })).toBe('workspace.forbidden_paths');
    expect(judge(soul, { writable: false, access: 'read' })).toBe('workspace.forbidden_paths');
  });

  it('are open wherever they stand once the agent may change them, and nothing beside them is', () => {
    expect(judge(soul, { writable: true })).toBe('passes');
    expect(judge(soul, { writable: true, access: 'read_write' })).toBe('passes');
    for (const other of ['/srv/team/lockstep.toml', '/srv/team/OTHER.md', '/data/log.db'])
      expect(judge(other, { writable: true })).toBe('workspace.forbidden_paths');
    for (const other of ['/srv/team/SOUL.md.bak', '/srv/team', '/srv/team/soul.md'])
      expect(judge(other, { writable: true })).toBe('workspace.workspace_only');
  });

  it('are judged by the real path that their name leads to', () => {
    expect(judge(soul, { writable: true, real: '/mnt/SOUL.md' })).toBe('passes');
    expect(judge(soul, { writable: false, real: '/mnt/SOUL.md' })).toBe(
      'workspace.forbidden_paths',
    );
    expect(judge(soul, { writable: true, real: '/data/log.db' })).toBe('workspace.forbidden_paths');
  });

  it('stay closed by a forbidden path', () => {
    expect(judge(soul, { writable: true, forbidden: [soul] })).toBe('workspace.forbidden_paths');
    expect(judge(soul, { writable: true, forbidden: ['/srv'] })).toBe('workspace.forbidden_paths');
  });
});
