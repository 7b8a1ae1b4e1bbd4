import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** What the program itself runs on: a child that is an npm program needs both. */
export interface ProgramPaths {
  /** The node binary. */
  readonly node: string;
  /** Every `node_modules` folder from this file upwards, the nearest first. */
  readonly modules: readonly string[];
}

export const programPaths = (): ProgramPaths => {
  const modules: string[] = [];
  for (let at = import.meta.dirname; ; at = dirname(at)) {
    const folder = join(at, 'node_modules');
    if (existsSync(folder)) modules.push(folder);
    if (dirname(at) === at) break;
  }
  return { node: process.execPath, modules };
};

/** Where a child finds programs: the project's own ones, node, then the system's. */
export const childPath = (program: ProgramPaths): string =>
  [
    ...program.modules.map((m) => join(m, '.bin')),
    dirname(program.node),
    '/usr/local/bin',
    '/usr/bin',
    '/bin',
  ].join(':');
