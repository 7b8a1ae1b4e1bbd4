import type Database from 'better-sqlite3';
import { recordingOver, type EventOf } from '@lockstep/engine';
import { readableConfig, type AppliedConfig, type ConfigProblem } from '@lockstep/policy';
import { parseDraft } from '../parse-draft.ts';
import { logSource } from './log-source.ts';

/** The config that turns are judged under. */
export interface Draft {
  readonly applied: AppliedConfig;
  /** Null = it was never in force. */
  readonly version: number | null;
  readonly digest: string;
}

/** A draft as it was asked for. */
export type DraftSource =
  | {
      readonly text: string;
      /** The file that it is from: its name says the format. */
      readonly file: string;
    }
  | { readonly version: number };

export type ReadDraft =
  | { readonly kind: 'draft'; readonly draft: Draft }
  | { readonly kind: 'invalid'; readonly problems: readonly ConfigProblem[] }
  /** The log holds no such version, or no config at all. */
  | { readonly kind: 'missing'; readonly message: string };

/** Version of a config that was never in force. */
const neverInForce = 0;

/** Reads a draft as the machine that wrote the log would: its paths are anchored where those of the newest recorded config are. Scripts
 * that it names are not looked for, since no model is called. */
export const readDraft = (db: Database.Database, source: DraftSource): ReadDraft => {
  const turns = logSource(db, Number.MAX_SAFE_INTEGER).forTurns([]);
  const versions = turns
    .stream('config')
    .filter((event): event is EventOf<'ConfigApplied'> => event.type === 'ConfigApplied');
  const newest = versions.at(-1);
  if (newest === undefined)
    return { kind: 'missing', message: 'the log holds no config, so nobody was judged by one' };
  if ('version' in source) {
    const { version } = source;
    const known = versions.find((event) => event.data.version === version);
    const found = recordingOver(turns).config({ version, digest: null });
    if (known === undefined || !found.ok) {
      const last = newest.data.version;
      const message =
        found.ok || 'missing' in found
          ? `the log holds no config version ${version}, the newest is ${last}`
          : found.damaged.message;
      return { kind: 'missing', message };
    }
    const { digest } = found.value;
    return { kind: 'draft', draft: { applied: found.value, version, digest } };
  }
  const { text, file } = source;
  const { host } = newest.data;
  const parsed = parseDraft(text, file, host);
  if (!parsed.ok) return { kind: 'invalid', problems: parsed.problems };
  const { config } = parsed;
  const { digest } = readableConfig(config);
  return {
    kind: 'draft',
    draft: { applied: { version: neverInForce, digest, config, host }, version: null, digest },
  };
};
