import { resolve } from 'node:path';
import type { ConfigProblem } from '@lockstep/policy';
import { checkConfig } from './check-config.ts';
import { hostOf } from './host.ts';

/** Judges a config text as a daemon on this machine would, without one.
 * @param source the file that it is or would be in, and the data folder of the daemon */
export const checkConfigFile = async (source: {
  readonly file: string;
  readonly data: string;
  readonly text: string;
}): Promise<{
  readonly ok: boolean;
  readonly problems: readonly ConfigProblem[];
  readonly warnings: readonly ConfigProblem[];
}> => {
  const file = resolve(source.file);
  const checked = await checkConfig(source.text, file, hostOf(file, resolve(source.data)));
  return checked.ok
    ? { ok: true, problems: [], warnings: checked.warnings }
    : { ok: false, problems: checked.problems, warnings: [] };
};
