import { canonicalJson, digestOf, parseStoredConfig, type AppliedConfig } from '@lockstep/policy';
import type { EventOf, LockstepEvent } from '../../events/event.ts';
import { counterfactuals } from '../counterfactual/counterfactual.ts';
import type { VerdictComparison, VerdictSeen } from '../counterfactual/report.ts';
import { thisBuild, type Engine } from '../engine.ts';
import { isConfigTable } from '../minimize/config-tree.ts';
import { ddmin } from '../minimize/ddmin.ts';
import { recordingOf, type Recording } from '../recording.ts';
import { replayer } from '../replay-turn.ts';
import { configDifferences, keyOf, withDifferences } from './config-differences.ts';
import type { BisectKey, BisectReport } from './report.ts';
import { findFlip, type Flip } from './versions.ts';

/** Which verdict is asked about. */
export interface BisectAsk {
  readonly turn: string;
  /** Id of a call, or its place among the judged calls of the turn, from 1; absent = the first that another version judges otherwise. */
  readonly call?: string | number;
}

/** Which config version, and which keys of it, flipped the verdict on a call. The history holds the turn and the versions to be tried.
 * Pure: nothing is performed. */
export const bisect = (
  events: readonly LockstepEvent[],
  ask: BisectAsk,
  engine: Engine = thisBuild,
): BisectReport => {
  const { turn } = ask;
  const own = counterfactuals(events, engine).compare(turn, 'open', {});
  if (own.outcome === 'refused') return { outcome: 'refused', turn, problems: own.problems };
  if (own.outcome === 'stopped') return { outcome: 'stopped', turn, missing: own.missing };
  if (own.outcome === 'not_reachable')
    return notConfig(events, { turn, call: '', engine }, `the turn would not begin: ${own.why}`);
  const judged = chosen(own.verdicts, ask.call);
  if (judged.length === 0)
    return { outcome: 'stopped', turn, missing: `a verdict on the call \`${ask.call ?? 'any'}\`` };
  const otherwise = judged.find(({ recorded, now }) => now !== null && !isSame(recorded, now));
  if (otherwise !== undefined) {
    const { call, recorded, now } = otherwise;
    const why = `the recorded verdict is ${said(recorded)}, and the turn's own config gives ${said(now)}`;
    return notConfig(events, { turn, call, engine }, why);
  }
  return overVersions(events, { turn, judged, engine });
};

const chosen = (
  verdicts: readonly VerdictComparison[],
  call: string | number | undefined,
): readonly VerdictComparison[] => {
  if (call === undefined) return verdicts;
  const found =
    typeof call === 'number'
      ? verdicts[call - 1]
      : verdicts.find((verdict) => verdict.call === call);
  return found === undefined ? [] : [found];
};

const isSame = (a: VerdictSeen, b: VerdictSeen): boolean =>
  a.verdict === b.verdict && a.rule === b.rule;

const said = (verdict: VerdictSeen | null): string =>
  verdict === null ? 'nothing' : `${verdict.verdict} by ${verdict.rule}`;

interface Told {
  readonly turn: string;
  readonly call: string;
  readonly engine: Engine;
}

/** The first event that does not follow from the turn's own config says where to look. */
const notConfig = (
  events: readonly LockstepEvent[],
  { turn, call, engine }: Told,
  why: string,
): BisectReport => {
  const strict = replayer(events, engine).replay(turn, 'open');
  if (strict.outcome !== 'diverged') return { outcome: 'not_config', turn, call, why, at: null };
  const { at, fields } = strict;
  const [field] = fields;
  const where = at === null ? 'after its last event' : `at event ${at.revision} (${at.type})`;
  const what = field === undefined ? strict.why : `\`${field.path}\` differs`;
  return {
    outcome: 'not_config',
    turn,
    call,
    why: `${why}: it was made otherwise ${where}, where ${what}`,
    at,
  };
};

interface Version {
  readonly applied: AppliedConfig;
  readonly event: EventOf<'ConfigApplied'>;
}

interface Over {
  readonly turn: string;
  readonly judged: readonly VerdictComparison[];
  readonly engine: Engine;
}

const overVersions = (
  events: readonly LockstepEvent[],
  { turn, judged, engine }: Over,
): BisectReport => {
  const recording = recordingOf(events);
  const versions = versionsIn(recording);
  const tries = triesOf(events, turn, engine);
  const [requested] = recording.stream(`turn-${turn}`);
  const cited = requested?.type === 'TurnRequested' ? requested.data.config.version : null;
  const own = versions.findIndex(({ event }) => event.data.version === cited);
  for (const { call, tool } of judged) {
    const asked = (at: number): VerdictSeen | null => {
      const version = versions[at];
      return version === undefined ? null : tries.under(version.applied, call);
    };
    const flip = own === -1 ? null : findFlip(asked, own, versions.length);
    const found = flip === null ? null : told(flip, { versions, tries, call });
    if (found !== null)
      return { outcome: 'found', turn, call, tool, ...found, tried: tries.count() };
  }
  const [first] = judged;
  return {
    outcome: 'not_config',
    turn,
    call: first?.call ?? '',
    why: `all ${versions.length} config versions of the history give the same verdict`,
    at: null,
  };
};

const versionsIn = (recording: Recording): readonly Version[] =>
  recording.stream('config').flatMap((event) => {
    if (event.type !== 'ConfigApplied') return [];
    const found = recording.config({ version: event.data.version, digest: null });
    return found.ok ? [{ applied: found.value, event }] : [];
  });

/** Verdicts of the turn under other configs; each config is tried once. */
interface Tries {
  under(applied: AppliedConfig, call: string): VerdictSeen | null;
  count(): number;
}

const triesOf = (events: readonly LockstepEvent[], turn: string, engine: Engine): Tries => {
  const all = counterfactuals(events, engine);
  const known = new Map<string, ((call: string) => VerdictSeen | null) | null>();
  const look = (applied: AppliedConfig): ((call: string) => VerdictSeen | null) | null => {
    const report = all.compare(turn, 'open', { config: applied });
    if (report.outcome === 'not_reachable') {
      const { why } = report;
      return () => ({ verdict: 'refuse', rule: 'not_reachable', key: null, why });
    }
    if (report.outcome !== 'compared') return null;
    const verdicts = new Map(report.verdicts.map(({ call, now }) => [call, now]));
    return (call) => verdicts.get(call) ?? null;
  };
  return {
    under: (applied, call) => {
      const found = known.get(applied.digest) ?? look(applied);
      known.set(applied.digest, found);
      return found === null ? null : found(call);
    },
    count: () => known.size,
  };
};

interface Tell {
  readonly versions: readonly Version[];
  readonly tries: Tries;
  readonly call: string;
}

const told = (flip: Flip, { versions, tries, call }: Tell) => {
  const [before, after] = [versions[flip.before], versions[flip.after]];
  if (before === undefined || after === undefined) return null;
  const [was, is] = [tries.under(before.applied, call), tries.under(after.applied, call)];
  if (was === null || is === null) return null;
  const { version, by } = after.event.data;
  return {
    before: { version: before.event.data.version, verdict: was },
    after: { version, verdict: is, by, time: after.event.time },
    keys: keysOf(before.applied, after.applied, (candidate) => {
      const seen = tries.under(candidate, call);
      return seen !== null && isSame(seen, is);
    }),
  };
};

/** The smallest part of the change between two configs that gives the later one's verdict. */
const keysOf = (
  before: AppliedConfig,
  after: AppliedConfig,
  flips: (candidate: AppliedConfig) => boolean,
): readonly BisectKey[] => {
  const from: unknown = JSON.parse(canonicalJson(before.config));
  if (!isConfigTable(from)) return [];
  const all = configDifferences(from, JSON.parse(canonicalJson(after.config)));
  const smallest = ddmin(all, (some) => {
    const read = parseStoredConfig(canonicalJson(withDifferences(from, some)));
    if (!read.ok) return false;
    const { config } = read;
    return flips({ version: 0, digest: digestOf(config), config, host: after.host });
  });
  return smallest.map(keyOf);
};
