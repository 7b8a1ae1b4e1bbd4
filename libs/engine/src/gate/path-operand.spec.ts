import { describe, expect, it } from 'vitest';
import type { AccessMode, PolicySnapshot } from '@lockstep/policy';
import type { RootsFact } from '../events/parts.ts';
import { samplePolicy, sampleRoots } from '../testing/index.ts';
import { judgePath, pathVisible } from './path-operand.ts';

type Workspace = Partial<PolicySnapshot['workspace']>;

interface Given {
  readonly lexical: string;
  readonly real?: string | null;
  readonly access?: AccessMode;
  readonly workspace?: Workspace;
  readonly roots?: Partial<RootsFact> | null;
}

const judge = (given: Given): string => {
  const { lexical, access = 'read', workspace = {} } = given;
  const real = given.real === undefined ? lexical : given.real;
  const roots = given.roots === null ? null : sampleRoots(given.roots);
  const found = judgePath(samplePolicy({ workspace }), roots, { access, lexical, real });
  if (found === null) return 'passes';
  return found.pattern === null ? found.rule : `${found.rule} ${found.pattern}`;
};

const only = 'workspace.workspace_only';
const forbidden = (pattern: string): string => `workspace.forbidden_paths ${pattern}`;

describe('given workspace_only', () => {
  it.each<[string, Given, string]>([
    ['a file in the root', { lexical: '/ws/ada/a.md' }, 'passes'],
    ['the root itself', { lexical: '/ws/ada' }, 'passes'],
    ['a file outside', { lexical: '/tmp/a.md' }, only],
    ['a folder whose name begins like the root', { lexical: '/ws/ada2/a.md' }, only],
    ['the parent of the root', { lexical: '/ws' }, only],
    ['a way out by dots', { lexical: '/ws/ada/../../tmp/a', real: '/tmp/a' }, only],
    ['a link that leads out', { lexical: '/ws/ada/link/a', real: '/tmp/a' }, only],
    ['a link outside that leads in', { lexical: '/tmp/link', real: '/ws/ada/a' }, only],
    ['a link within', { lexical: '/ws/ada/link', real: '/ws/ada/a' }, 'passes'],
    ['a real path that nobody knows', { lexical: '/ws/ada/a', real: null }, only],
    ['roots that nobody looked at', { lexical: '/ws/ada/a', roots: null }, only],
    ['a relative path', { lexical: 'a.md' }, only],
    ['a path with NUL', { lexical: '/ws/ada/a\0.md' }, only],
    ['a root that nobody can trace', { lexical: '/ws/ada/a', roots: { root: null } }, only],
  ])('judges %s', (_what, given, expected) => {
    expect(judge(given)).toBe(expected);
  });

  it('compares a root that is a link by its real path', () => {
    const roots = { root: '/mnt/disk/ada' };
    expect(judge({ lexical: '/ws/ada/a', real: '/mnt/disk/ada/a', roots })).toBe('passes');
    expect(judge({ lexical: '/mnt/disk/ada/a', roots })).toBe('passes');
    expect(judge({ lexical: '/ws/ada/a', real: '/ws/ada/a', roots })).toBe(only);
  });

  it('opens the extra roots for reading and writing', () => {
    const workspace = { allowed_roots: ['/srv/shared'] };
    const roots = { allowed: [{ path: '/srv/shared', real: '/srv/shared' }] };
    const given = { lexical: '/srv/shared/a', workspace, roots };
    expect(judge({ ...given, access: 'read_write' })).toBe('passes');
    expect(judge({ ...given, roots: { allowed: [] } })).toBe(only);
  });
});

describe("given a sibling's workspace", () => {
  const access = (mode: AccessMode): Workspace => ({ access: { bob: mode } });
  const theirs = '/ws/bob/a.md';
  it.each<[AccessMode | 'no', AccessMode, string]>([
    ['no', 'read', 'workspace.access bob'],
    ['read', 'read', 'passes'],
    ['read', 'write', 'workspace.access bob'],
    ['read', 'read_write', 'workspace.access bob'],
    ['write', 'write', 'passes'],
    ['write', 'read', 'workspace.access bob'],
    ['read_write', 'read_write', 'passes'],
  ])('with %s edge, judges a %s', (edge, wanted, expected) => {
    const workspace = edge === 'no' ? {} : access(edge);
    expect(judge({ lexical: theirs, access: wanted, workspace })).toBe(expected);
  });

  it("brings the owner's forbidden paths along", () => {
    const workspace = access('read_write');
    expect(judge({ lexical: '/ws/bob/x/.secret', workspace })).toBe(forbidden('**/.secret'));
    expect(judge({ lexical: '/ws/bob/private/a', workspace })).toBe(forbidden('/ws/bob/private'));
    expect(judge({ lexical: '/ws/ada/x/.secret', workspace })).toBe('passes');
  });

  it("brings them along when an extra root covers the sibling's workspace", () => {
    const workspace = { allowed_roots: ['/ws'] };
    const roots = { allowed: [{ path: '/ws', real: '/ws' }] };
    expect(judge({ lexical: '/ws/bob/a', workspace, roots })).toBe('passes');
    expect(judge({ lexical: '/ws/bob/.secret', workspace, roots })).toBe(forbidden('**/.secret'));
  });

  it('is not reached by a link from the own workspace', () => {
    expect(judge({ lexical: '/ws/ada/link', real: theirs })).toBe('workspace.access bob');
  });

  it('stays closed when workspace_only is off, also behind a link from anywhere', () => {
    const workspace = { workspace_only: false };
    expect(judge({ lexical: theirs, workspace })).toBe('workspace.access bob');
    expect(judge({ lexical: '/tmp/link', real: theirs, workspace })).toBe('workspace.access bob');
    const open = { ...workspace, unrestricted_filesystem: true };
    expect(judge({ lexical: theirs, workspace: open })).toBe('passes');
  });
});

describe('given forbidden and protected paths', () => {
  it.each<[string, Given, string]>([
    ['a forbidden name in the root', { lexical: '/ws/ada/.env' }, forbidden('**/.env')],
    ['a forbidden name deep below', { lexical: '/ws/ada/a/b/.env' }, forbidden('**/.env')],
    ['what lies below a forbidden name', { lexical: '/ws/ada/.env/a' }, forbidden('**/.env')],
    ['a pattern in a name', { lexical: '/ws/ada/.env.local' }, forbidden('**/.env.*')],
    ['a name that only begins so', { lexical: '/ws/ada/.environment' }, 'passes'],
    ['another case', { lexical: '/ws/ada/.ENV' }, forbidden('**/.env')],
    [
      'a link to a forbidden name',
      { lexical: '/ws/ada/a', real: '/ws/ada/.env' },
      forbidden('**/.env'),
    ],
    [
      'a forbidden name that is a link',
      { lexical: '/ws/ada/.env', real: '/ws/ada/a' },
      forbidden('**/.env'),
    ],
    ['a forbidden folder', { lexical: '/etc/passwd' }, forbidden('/etc')],
    ['a forbidden folder in another case', { lexical: '/ETC/passwd' }, forbidden('/etc')],
    ['a folder whose name begins like a forbidden one', { lexical: '/etcetera' }, only],
    ['a protected folder', { lexical: '/data/log.db' }, forbidden('/data')],
    ['what is excepted in a protected folder', { lexical: '/data/workspaces/x' }, only],
    ['an exception in another case', { lexical: '/data/WORKSPACES/x' }, forbidden('/data')],
  ])('judges %s', (_what, given, expected) => {
    expect(judge(given)).toBe(expected);
  });

  it('holds them above every grant', () => {
    const workspace = {
      workspace_only: false,
      unrestricted_filesystem: true,
      access: { bob: 'read_write' as const },
      allowed_roots: ['/etc', '/data'],
    };
    expect(judge({ lexical: '/etc/passwd', workspace })).toBe(forbidden('/etc'));
    expect(judge({ lexical: '/data/log.db', workspace })).toBe(forbidden('/data'));
    expect(judge({ lexical: '/home/x/.env', workspace })).toBe(forbidden('**/.env'));
    expect(judge({ lexical: '/home/x/a', workspace })).toBe('passes');
    expect(judge({ lexical: '/home/x/a', real: null, workspace })).toBe(
      'workspace.forbidden_paths',
    );
  });

  it('closes the real path of a folder that is forbidden by a link', () => {
    const roots = { denied: [{ path: '/etc', real: '/private/etc' }] };
    const workspace = { workspace_only: false };
    expect(judge({ lexical: '/private/etc/passwd', workspace, roots })).toBe(forbidden('/etc'));
  });

  it('excepts the workspaces of a data folder under its real path too', () => {
    const workspace = { root: '/data/workspaces/ada' };
    const roots = {
      root: '/mnt/data/workspaces/ada',
      denied: [{ path: '/data', real: '/mnt/data' }],
    };
    const given = { workspace, roots };
    expect(
      judge({ lexical: '/data/workspaces/ada/a', real: '/mnt/data/workspaces/ada/a', ...given }),
    ).toBe('passes');
    expect(
      judge({ lexical: '/data/workspaces/ada/link', real: '/mnt/data/log.db', ...given }),
    ).toBe(forbidden('/data'));
  });

  it('keeps a protected folder inside an excepted one closed', () => {
    const workspace = {
      protected: ['/data', '/data/workspaces/ada/skills'],
      root: '/data/workspaces/ada',
    };
    const roots = { root: '/data/workspaces/ada' };
    expect(judge({ lexical: '/data/workspaces/ada/skills/x', workspace, roots })).toBe(
      forbidden('/data/workspaces/ada/skills'),
    );
  });

  it("does not take a name above the root for the root's own", () => {
    const workspace = { root: '/home/x/.env.d/ada' };
    const roots = { root: '/home/x/.env.d/ada' };
    expect(judge({ lexical: '/home/x/.env.d/ada/a', workspace, roots })).toBe('passes');
  });
});

describe('given a folder that is listed', () => {
  const policy = samplePolicy();
  const roots = sampleRoots();
  it.each<[string, string, string | null, boolean]>([
    ['names a plain entry', '/ws/ada/a', '/ws/ada/a', true],
    ['leaves out a forbidden entry', '/ws/ada/.env', '/ws/ada/.env', false],
    ['leaves out a link to a forbidden entry', '/ws/ada/a', '/ws/ada/.env', false],
    ['leaves out a link that leads out', '/ws/ada/a', '/tmp/a', false],
    ['leaves out a link that leads nowhere known', '/ws/ada/a', null, false],
  ])('%s', (_what, lexical, real, visible) => {
    expect(pathVisible(policy, roots, lexical, real)).toBe(visible);
  });
});

it('judges anew when the same roots meet another policy', () => {
  const roots = sampleRoots();
  const operand = { access: 'read', lexical: '/ws/ada/a', real: '/ws/ada/a' } as const;
  expect(judgePath(samplePolicy(), roots, operand)).toBeNull();
  const narrower = samplePolicy({ workspace: { forbidden_paths: ['**/a'] } });
  expect(judgePath(narrower, roots, operand)?.pattern).toBe('**/a');
});
