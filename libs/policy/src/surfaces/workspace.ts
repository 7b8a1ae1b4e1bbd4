import { denyPatterns } from '../orders/deny-patterns.ts';
import { accessEntry, map } from '../orders/map.ts';
import { ownRoot } from '../orders/own.ts';
import { roots } from '../orders/roots.ts';
import { trueIsNarrower } from '../orders/true-is-narrower.ts';
import { trueIsWider } from '../orders/true-is-wider.ts';
import { layered } from './setting.ts';
import { below, forbiddenOf, pathOf } from './written.ts';

/** Forbidden unless config writes its own list: system folders, places where keys are kept, environment files. */
export const defaultForbiddenPaths: readonly string[] = [
  ...['/etc', '/proc', '/sys', '/dev', '/boot', '/run', '/var/run'],
  ...['~/.ssh', '~/.gnupg', '~/.aws', '~/.azure', '~/.config/gcloud', '~/.kube', '~/.docker'],
  ...['~/.netrc', '~/.npmrc', '~/.config/gh', '~/.git-credentials'],
  ...['**/.env', '**/.env.*'],
];

/** Which folders and files may be touched. */
export const workspaceSettings = {
  'workspace.root': layered('workspace.root', {
    order: ownRoot,
    layer: 'risk',
    fallback: '"<data>/workspaces/<alias>"',
    explain: 'The folder that the agent works in.',
    pick: (tables) => tables.workspace?.root,
    read: (written, place) => pathOf(place, written),
    default: ({ host, alias }) => below(host.data, `workspaces/${alias}`),
  }),
  'workspace.workspace_only': layered('workspace.workspace_only', {
    order: trueIsNarrower,
    layer: 'risk',
    fallback: 'true',
    explain:
      'Whether file tools stay inside the root and the folders granted beside it; false needs `full` autonomy or `unrestricted_filesystem`.',
    pick: (tables) => tables.workspace?.workspace_only,
    read: (written) => written,
    default: () => true,
  }),
  'workspace.access': layered('workspace.access', {
    order: map(accessEntry),
    layer: 'risk',
    fallback: '{}',
    explain: "Other agents' workspaces that may be read or written.",
    pick: (tables) => tables.workspace?.access,
    read: (written) => written,
    default: () => ({}),
  }),
  'workspace.allowed_roots': layered('workspace.allowed_roots', {
    order: roots,
    layer: 'risk',
    fallback: '[]',
    explain: 'Folders granted beside the root.',
    pick: (tables) => tables.workspace?.allowed_roots,
    read: (written, place) => written.map((folder) => pathOf(place, folder)),
    default: () => [],
  }),
  'workspace.forbidden_paths': layered('workspace.forbidden_paths', {
    order: denyPatterns(['/']),
    layer: 'risk',
    fallback: JSON.stringify(defaultForbiddenPaths),
    explain: 'Paths that no grant opens, inside the workspace too.',
    pick: (tables) => tables.workspace?.forbidden_paths,
    read: (written, place) => written.map((path) => forbiddenOf(place, path)),
    default: (place) => defaultForbiddenPaths.map((path) => forbiddenOf(place, path)),
  }),
  'workspace.unrestricted_filesystem': layered('workspace.unrestricted_filesystem', {
    order: trueIsWider,
    layer: 'risk',
    fallback: 'false',
    explain: 'Permits `workspace_only = false` without `full` autonomy.',
    pick: (tables) => tables.workspace?.unrestricted_filesystem,
    read: (written) => written,
    default: () => false,
  }),
};
