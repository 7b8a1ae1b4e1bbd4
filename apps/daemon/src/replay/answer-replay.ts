import {
  counterfactuals,
  recordingOf,
  replayer,
  replaySteps,
  type ComparedStep,
  type CounterfactualReport,
  type EventOf,
  type LockstepEvent,
  type Recording,
  type ReplayHistory,
  type ReplayReport,
} from '@lockstep/engine';
import type { AppliedConfig, PathName, Trigger } from '@lockstep/policy';
import { isUnchanged } from './is-unchanged.ts';
import { askOf, type OtherWay } from './re-enter/re-enter.ts';

/** What is put in the place of what was recorded; nothing = a strict replay. */
export interface ReplayAsked {
  readonly way: OtherWay | null;
  /** Version 0 = a draft. */
  readonly config: AppliedConfig | null;
  readonly timeline: boolean;
}

/** A turn below the one that was asked about, as its own replay says. */
export interface BelowTurn {
  readonly turn: string;
  readonly agent: string;
  readonly path: PathName;
  readonly trigger: Trigger;
  readonly outcome: Report['outcome'];
  /** It came out as it was recorded. */
  readonly unchanged: boolean;
}

type Report = (ReplayReport & { readonly steps?: readonly ComparedStep[] }) | CounterfactualReport;

/** `below`: turns that its calls started, at every depth. Absent where there is none, and where another path is asked about. */
export type AnsweredReplay = Report & { readonly below?: readonly BelowTurn[] };

/** Replays turns of one history, as they were asked for. */
export interface Answerer {
  readonly turns: readonly string[];
  /** A config version that the history holds, or null. */
  version(version: number): AppliedConfig | null;
  /** The newest config that the history holds, or null. */
  newest(): AppliedConfig | null;
  answer(turn: string, end: ReplayHistory['end'], asked: ReplayAsked): AnsweredReplay;
}

/** An answerer over the events of a history, in log order. */
export const answererOf = (events: readonly LockstepEvent[]): Answerer => {
  const recording = recordingOf(events);
  const strict = replayer(events);
  const all = counterfactuals(events);
  const versionOf = (version: number): AppliedConfig | null => {
    const found = recording.config({ version, digest: null });
    return found.ok ? found.value : null;
  };
  const one = (turn: string, end: ReplayHistory['end'], asked: ReplayAsked): Report => {
    const { way, config, timeline } = asked;
    if (way === null && config === null) {
      const report = strict.replay(turn, end);
      const steps = replaySteps(report, recording.stream(`turn-${turn}`));
      return timeline ? { ...report, steps } : report;
    }
    const found = askOf(recording, turn, { way, config });
    if (found.kind === 'ask')
      return all.compare(turn, end, { ...found.ask, ...(timeline ? { steps: 'all' } : {}) });
    const { trigger, why, under } = found;
    const { version, digest } = under;
    const path = way?.path ?? 'loop';
    const put = { version: version === 0 ? null : version, digest };
    return { outcome: 'not_reachable', turn, now: { path, trigger, config: put }, why };
  };
  return {
    turns: recording.turns,
    version: versionOf,
    newest: () => {
      const last = recording.stream('config').findLast((event) => event.type === 'ConfigApplied');
      return last?.type === 'ConfigApplied' ? versionOf(last.data.version) : null;
    },
    answer: (turn, end, asked) => {
      const report = one(turn, end, asked);
      if (asked.way !== null) return report;
      const below = turnsBelow(recording, turn).map((started): BelowTurn => {
        const found = one(started.turn, end, { ...asked, timeline: false });
        return { ...started, outcome: found.outcome, unchanged: isUnchanged(found) };
      });
      return below.length === 0 ? report : { ...report, below };
    },
  };
};

/** Turns that hang below a turn, in the order in which they began. */
const turnsBelow = (
  recording: Recording,
  turn: string,
): readonly Omit<BelowTurn, 'outcome' | 'unchanged'>[] =>
  recording.turns.flatMap((id) => {
    const [first] = recording.stream(`turn-${id}`);
    if (first?.type !== 'TurnRequested' || !isBelow(recording, first, turn)) return [];
    const { path, trigger, request } = first.data;
    return [{ turn: id, agent: request.agent, path, trigger }];
  });

const isBelow = (
  recording: Recording,
  { data }: EventOf<'TurnRequested'>,
  turn: string,
): boolean => {
  const seen = new Set<string>();
  for (let above = data.records.parent?.turn; above !== undefined && !seen.has(above);) {
    if (above === turn) return true;
    seen.add(above);
    const [first] = recording.stream(`turn-${above}`);
    above = first?.type === 'TurnRequested' ? first.data.records.parent?.turn : undefined;
  }
  return false;
};
