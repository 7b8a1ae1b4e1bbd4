import type { AppliedConfig } from '@lockstep/policy';
import type { LockstepEvent } from '../../events/event.ts';
import { counterfactuals } from '../counterfactual/counterfactual.ts';
import type { VerdictSeen } from '../counterfactual/report.ts';
import type { Engine } from '../engine.ts';
import { replayer } from '../replay-turn.ts';
import type { HistoryProblem, ReplayReport } from '../report.ts';

/** What is asked of a history. */
export interface DivergenceAsk {
  readonly turn: string;
  /** The config that is right. Absent = the recorded one: what is looked for is a turn that does not follow from it. */
  readonly under?: AppliedConfig;
  /** Id of the call that is meant; absent = the first whose verdict differs. */
  readonly call?: string;
  readonly engine: Engine;
}

/** How a turn diverges: what a smaller history has to show as well. */
export interface Divergence {
  /** Type of the first event that differs in a strict replay and the fields that do; null = the replay is the same. */
  readonly replay: string | null;
  readonly verdict: {
    readonly call: string;
    readonly tool: string;
    readonly recorded: VerdictSeen;
    readonly now: VerdictSeen;
  } | null;
}

export type FoundDivergence =
  | { readonly kind: 'diverges'; readonly divergence: Divergence }
  | { readonly kind: 'same' }
  | { readonly kind: 'stopped'; readonly missing: string }
  | { readonly kind: 'refused'; readonly problems: readonly HistoryProblem[] };

/** How a turn of a history diverges, if it does. */
export const divergenceOf = (
  events: readonly LockstepEvent[],
  { turn, under, call, engine }: DivergenceAsk,
): FoundDivergence => {
  const strict = replayer(events, engine).replay(turn, 'open');
  if (strict.outcome === 'refused') return { kind: 'refused', problems: strict.problems };
  if (strict.outcome === 'stopped') return { kind: 'stopped', missing: strict.missing };
  const ask = under === undefined ? {} : { config: under };
  const report = counterfactuals(events, engine).compare(turn, 'open', ask);
  if (report.outcome === 'refused') return { kind: 'refused', problems: report.problems };
  if (report.outcome === 'stopped' && under !== undefined)
    return { kind: 'stopped', missing: report.missing };
  const verdict = report.outcome === 'compared' ? differing(report.verdicts, call) : null;
  const replay = signatureOf(strict);
  return replay === null && verdict === null
    ? { kind: 'same' }
    : { kind: 'diverges', divergence: { replay, verdict } };
};

const differing = (
  verdicts: readonly {
    readonly call: string;
    readonly tool: string;
    readonly recorded: VerdictSeen;
    readonly now: VerdictSeen | null;
  }[],
  call: string | undefined,
): Divergence['verdict'] => {
  for (const one of verdicts) {
    const { now, recorded, tool } = one;
    if ((call !== undefined && one.call !== call) || now === null) continue;
    if (now.verdict !== recorded.verdict || now.rule !== recorded.rule)
      return { call: one.call, tool, recorded, now };
  }
  return null;
};

const signatureOf = (report: ReplayReport): string | null =>
  report.outcome === 'diverged'
    ? [
        report.at?.type ?? 'the end',
        report.replayed?.type ?? 'nothing',
        ...report.fields.map(({ path }) => path),
      ].join(' ')
    : null;

/** Whether a smaller history diverges in the same way. */
export const isSameDivergence = (found: FoundDivergence, wanted: Divergence): boolean => {
  if (found.kind !== 'diverges') return false;
  const { replay, verdict } = found.divergence;
  if (replay !== wanted.replay) return false;
  if (wanted.verdict === null || verdict === null) return verdict === wanted.verdict;
  return (
    verdict.call === wanted.verdict.call &&
    isSameVerdict(verdict.recorded, wanted.verdict.recorded) &&
    isSameVerdict(verdict.now, wanted.verdict.now)
  );
};

/** Whether two verdicts are the same by the same rule. Their words may differ. */
export const isSameVerdict = (a: VerdictSeen, b: VerdictSeen): boolean =>
  a.verdict === b.verdict && a.rule === b.rule;
