import {
  counterfactuals,
  recordingOf,
  replayer,
  replaySteps,
  type ComparedStep,
  type CounterfactualReport,
  type LockstepEvent,
  type ReplayHistory,
  type ReplayReport,
} from '@lockstep/engine';
import type { AppliedConfig } from '@lockstep/policy';
import { askOf, type OtherWay } from './re-enter/re-enter.ts';

/** What is put in the place of what was recorded; nothing = a strict replay. */
export interface ReplayAsked {
  readonly way: OtherWay | null;
  /** Version 0 = a draft. */
  readonly config: AppliedConfig | null;
  readonly timeline: boolean;
}

export type AnsweredReplay =
  (ReplayReport & { readonly steps?: readonly ComparedStep[] }) | CounterfactualReport;

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
  return {
    turns: recording.turns,
    version: versionOf,
    newest: () => {
      const last = recording.stream('config').findLast((event) => event.type === 'ConfigApplied');
      return last?.type === 'ConfigApplied' ? versionOf(last.data.version) : null;
    },
    answer: (turn, end, asked) => {
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
      return {
        outcome: 'not_reachable',
        turn,
        now: {
          path: way?.path ?? 'loop',
          trigger,
          config: { version: version === 0 ? null : version, digest },
        },
        why,
      };
    },
  };
};
