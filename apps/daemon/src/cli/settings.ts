import { existsSync } from 'node:fs';
import { resolve } from 'node:path';

/** What every command may be told. Flag > environment > file > default. */
export interface CliSettings {
  readonly config: string;
  /** The config was named on the command line. */
  readonly configNamed: boolean;
  readonly data: string;
  readonly json: boolean;
  readonly url: string | null;
  readonly token: string | null;
}

export interface GlobalFlags {
  readonly config?: string;
  readonly data?: string;
  readonly json?: boolean;
  readonly url?: string;
  readonly token?: string;
}

/** The config that is used when none is named: `lockstep.toml` here, else the example team. */
const defaultConfig = (cwd: string): string => {
  for (const name of ['lockstep.toml', 'lockstep.yaml', 'lockstep.json'])
    if (existsSync(resolve(cwd, name))) return resolve(cwd, name);
  return resolve(cwd, 'examples/team/lockstep.toml');
};

export const settingsFrom = (
  flags: GlobalFlags,
  env: NodeJS.ProcessEnv,
  cwd: string,
): CliSettings => ({
  config: resolve(cwd, flags.config ?? env['LOCKSTEP_CONFIG'] ?? defaultConfig(cwd)),
  configNamed: flags.config !== undefined,
  data: resolve(cwd, flags.data ?? env['LOCKSTEP_DATA'] ?? '.lockstep'),
  json: flags.json ?? false,
  url: flags.url ?? env['LOCKSTEP_URL'] ?? null,
  token: flags.token ?? env['LOCKSTEP_TOKEN'] ?? null,
});
