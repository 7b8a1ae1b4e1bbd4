import {
  eventTitle,
  triggersByPath,
  type ComparedStep,
  type CounterfactualReport,
  type EventRef,
  type FieldDifference,
  type ReplayReport,
  type StepTone,
  type TurnFact,
  type VerdictChange,
  type VerdictComparison,
} from '@lockstep/engine';
import type { PathName } from '../parity/parity.logic.ts';

/** What the daemon answers to a replay: as the turn was, or with something else put in. */
export type ReplayAnswer = WithSteps<ReplayReport> | CounterfactualReport;
type WithSteps<T> = T & { readonly steps?: readonly ComparedStep[] };

/** What is put in, as it stands in an address; null = as recorded. */
export interface ReplayChoice {
  readonly path: string | null;
  readonly trigger: string | null;
  readonly config: string | null;
}

/** One line of the two timelines. */
export interface PairRow {
  /** 0-based place, by which an address names it. */
  readonly place: number;
  readonly state: 'same' | 'differs' | 'beyond';
  readonly recorded: Side | null;
  readonly now: Side | null;
  readonly fields: readonly FieldDifference[];
}
export interface Side {
  readonly type: string;
  /** Of the recorded event. */
  readonly at: number | null;
  readonly tone: StepTone;
  readonly title: string;
  readonly detail: string | null;
  readonly rule: string | null;
  readonly fact: TurnFact;
}

/** Both timelines, with where they part. */
export interface Pairing {
  readonly rows: readonly PairRow[];
  /** Place of the first line that differs by itself; null = none does. */
  readonly first: number | null;
  /** Place of the first line that nobody can judge; null = all are judged. */
  readonly horizon: number | null;
}

/** The two timelines of an answer; null where it holds none. */
export const pairingOf = (answer: ReplayAnswer): Pairing | null => {
  const steps = 'steps' in answer ? answer.steps : undefined;
  if (steps === undefined || steps.length === 0) return null;
  const rows = steps.map((step, place): PairRow => ({
    place,
    state: step.state === 'beyond_horizon' ? 'beyond' : step.state,
    recorded: step.recorded === null ? null : sideOf(step.recorded.fact, step.recorded.at),
    now: step.now === null ? null : sideOf(step.now, null),
    fields: step.fields,
  }));
  const given = answer.outcome === 'compared' ? putIn : new Set();
  const first = rows.find(
    ({ state, recorded }) => state === 'differs' && !given.has(recorded?.type),
  );
  const horizon = rows.find(({ state }) => state === 'beyond');
  return { rows, first: first?.place ?? null, horizon: horizon?.place ?? null };
};

/** Events that say what was put in: they differ because they were made to. */
const putIn: ReadonlySet<unknown> = new Set(['TurnRequested', 'PolicyResolved']);

const sideOf = (fact: TurnFact, at: Pick<EventRef, 'time'> | null): Side => {
  const said = eventTitle(fact);
  return {
    type: fact.type,
    at: at?.time ?? null,
    tone: said.tone,
    title: said.title,
    detail: said.detail ?? null,
    rule: said.rule ?? null,
    fact,
  };
};

/** Rows as they are drawn: a long run that is the same is one fold, but for its ends. */
export type Drawn =
  | { readonly kind: 'row'; readonly row: PairRow }
  | { readonly kind: 'fold'; readonly rows: readonly PairRow[] };

const longest = 8;
const ends = 2;

export const drawnRows = (rows: readonly PairRow[]): readonly Drawn[] =>
  runsOf(rows).flatMap((run): readonly Drawn[] => {
    const asRow = (row: PairRow): Drawn => ({ kind: 'row', row });
    if (run[0]?.state !== 'same' || run.length <= longest) return run.map(asRow);
    return [
      ...run.slice(0, ends).map(asRow),
      { kind: 'fold', rows: run.slice(ends, -ends) },
      ...run.slice(-ends).map(asRow),
    ];
  });

const runsOf = (rows: readonly PairRow[]): readonly (readonly PairRow[])[] =>
  rows.reduce<readonly (readonly PairRow[])[]>((runs, row) => {
    const last = runs.at(-1);
    return last?.[0]?.state === row.state
      ? [...runs.slice(0, -1), [...last, row]]
      : [...runs, [row]];
  }, []);

/** How many verdicts changed, and how. */
export const verdictCounts = (
  verdicts: readonly VerdictComparison[],
): Readonly<Record<VerdictChange, number>> => {
  const counts = {
    unchanged: 0,
    newly_refused: 0,
    newly_asked: 0,
    newly_allowed: 0,
    beyond_horizon: 0,
  };
  for (const { change } of verdicts) counts[change] += 1;
  return counts;
};

/** The triggers of a path that a replay can be told. */
export const triggersOf = (path: string | null): readonly string[] =>
  isPath(path) ? triggersByPath[path] : [];

const isPath = (path: string | null): path is PathName =>
  path !== null && Object.hasOwn(triggersByPath, path);
