import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Host } from '@lockstep/policy';

/** What of the program's own clone no agent may touch: not the clone as a whole, which may hold a team's workspaces. */
const programParts = [
  'apps',
  'libs',
  'node_modules',
  '.git',
  'package.json',
  'package-lock.json',
  'tsconfig.base.json',
  'tsconfig.json',
];

const root = fileURLToPath(new URL('../../../../', import.meta.url)).replace(/\/$/, '');

/** Where on this machine paths are anchored. Both paths absolute. */
export const hostOf = (config: string, data: string): Host => ({
  home: homedir(),
  base: dirname(config),
  data,
  config,
  program: programParts.map((part) => join(root, part)).filter((path) => existsSync(path)),
});
