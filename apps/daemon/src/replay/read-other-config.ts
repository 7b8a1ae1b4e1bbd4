import {
  readableConfig,
  type AppliedConfig,
  type ConfigProblem,
  type Host,
} from '@lockstep/policy';
import { parseDraft } from './parse-draft.ts';

export type OtherConfig =
  | { readonly ok: true; readonly applied: AppliedConfig }
  | { readonly ok: false; readonly problems: readonly ConfigProblem[] };

/** A draft as the machine of the log would read it. Scripts that it names are not looked for, since no model is called.
 * @param file its name says the format */
export const readOtherConfig = (text: string, file: string, host: Host): OtherConfig => {
  const parsed = parseDraft(text, file, host);
  if (!parsed.ok) return { ok: false, problems: parsed.problems };
  const { config } = parsed;
  // It was never in force: it has no version.
  return { ok: true, applied: { version: 0, digest: readableConfig(config).digest, config, host } };
};
