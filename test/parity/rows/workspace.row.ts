import type { RowsOf } from './row.ts';

export const workspaceRows = {
  'workspace.root': [
    {
      title: 'absent is a folder of its own',
      agent: {},
      expected: '/srv/team/.lockstep/workspaces/ada',
    },
    {
      title: 'a relative path starts at the config file',
      agent: { workspace: { root: 'work' } },
      expected: '/srv/team/work',
    },
  ],
  'workspace.workspace_only': [
    { title: 'absent is on', agent: {}, expected: true },
    {
      title: 'it stays on where nothing permits to switch it off',
      agent: { workspace: { workspace_only: false } },
      expected: true,
      refused: /`workspace_only = false` cannot act without/,
    },
    {
      title: 'full autonomy permits it',
      agent: { autonomy: 'full', workspace: { workspace_only: false } },
      expected: false,
    },
    { title: 'full autonomy alone changes nothing', agent: { autonomy: 'full' }, expected: true },
  ],
  'workspace.access': [
    { title: 'absent is none', agent: {}, expected: {} },
    {
      title: 'by sibling',
      agent: { workspace: { access: { ben: 'read' } } },
      expected: { ben: 'read' },
    },
  ],
  'workspace.allowed_roots': [
    { title: 'absent is none', agent: {}, expected: [] },
    {
      title: 'sorted and absolute',
      agent: { workspace: { allowed_roots: ['~/docs', '/data/b'] } },
      expected: ['/data/b', '/home/ana/docs'],
    },
  ],
  'workspace.forbidden_paths': [
    {
      title: 'a written list replaces the usual one',
      agent: { workspace: { forbidden_paths: ['**/.env', '~/.ssh'] } },
      expected: ['**/.env', '/home/ana/.ssh'],
    },
  ],
  'workspace.unrestricted_filesystem': [
    { title: 'absent is off', agent: {}, expected: false },
    {
      title: 'written',
      agent: { workspace: { unrestricted_filesystem: true } },
      expected: true,
    },
  ],
} satisfies RowsOf<'workspace'>;
