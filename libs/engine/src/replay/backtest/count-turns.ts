import type {
  CounterfactualReport,
  VerdictChange,
  VerdictComparison,
} from '../counterfactual/report.ts';
import { bucketOf, type Histogram } from './histogram.ts';
import type { JudgedTurn } from './judged-turn.ts';
import type { BacktestChange, ChangeCounts, UnjudgedTurn } from './report.ts';
import {
  emptyTally,
  joinGroups,
  noGroups,
  mergeTallies,
  noCounts,
  sum,
  type BacktestTally,
  type GroupTally,
  type TallyLimits,
} from './tally.ts';

/** Counts turns in. Their order does not matter. */
export const addTurns = (tally: BacktestTally, turns: readonly JudgedTurn[]): BacktestTally =>
  mergeTallies(
    tally,
    turns.map((turn) => tallyOf(turn, tally.limits)),
  );

/** One turn counted by itself. */
const tallyOf = (turn: JudgedTurn, limits: TallyLimits): BacktestTally => {
  const { report, time, waits } = turn;
  const base = { ...emptyTally(limits), span: { first: time, last: time } };
  const one = { ...base.turns, all: 1 };
  switch (report.outcome) {
    case 'compared':
      return comparedTally(turn, report, base);
    case 'not_reachable':
      return {
        ...base,
        turns: { ...one, notReachable: 1 },
        asked: { ...base.asked, recorded: waits.length },
        waits: waitsOf(turn),
        unjudged: [unjudged(turn, 'not_reachable', report.why)],
      };
    case 'stopped':
      return {
        ...base,
        turns: { ...one, stopped: 1 },
        unjudged: [unjudged(turn, 'stopped', `${report.missing} is not in the recording`)],
      };
    case 'refused': {
      const [problem] = report.problems;
      const why = problem === undefined ? 'no history' : `${problem.where}: ${problem.message}`;
      return {
        ...base,
        turns: { ...one, refused: 1 },
        unjudged: [unjudged(turn, 'refused', why)],
      };
    }
  }
};

type Compared = Extract<CounterfactualReport, { readonly outcome: 'compared' }>;

const comparedTally = (turn: JudgedTurn, report: Compared, base: BacktestTally): BacktestTally => {
  const { verdicts, horizon, notes } = report;
  const changes = verdicts.flatMap((one) => changeOf(turn, one));
  const same = changes.length === 0 && horizon === null;
  const grouped = (nameOf: (one: VerdictComparison) => string): GroupTally =>
    joinGroups(
      [noGroups, ...verdicts.map((one) => groupOfOne(nameOf(one), one.change))],
      base.limits.names,
    );
  const count = (is: (one: VerdictComparison) => boolean): number => verdicts.filter(is).length;
  return {
    ...base,
    turns: { ...base.turns, all: 1, ...(same ? { unchanged: 1 } : { changed: 1 }) },
    verdicts: sum([noCounts, ...verdicts.map(({ change }) => countOne(change))]),
    by: {
      tool: grouped(({ tool }) => tool),
      rule: grouped(({ now, recorded }) => (now ?? recorded).rule),
      path: grouped(() => turn.path),
      agent: grouped(() => turn.agent),
      person: grouped(() => turn.person),
    },
    asked: {
      recorded: count(({ recorded }) => recorded.verdict === 'ask'),
      expected: count(({ now }) => now?.verdict === 'ask'),
      beyondHorizon: count(({ now, recorded }) => now === null && recorded.verdict === 'ask'),
    },
    waits: waitsOf(turn),
    changes: changes.slice(0, base.limits.changes),
    changed: changes.length,
    notes,
  };
};

const groupOfOne = (name: string, change: VerdictChange): GroupTally => ({
  named: new Map([[name, countOne(change)]]),
  others: noCounts,
});

const countOne = (change: VerdictChange): ChangeCounts => ({ ...noCounts, [change]: 1 });

const changeOf = (turn: JudgedTurn, one: VerdictComparison): readonly BacktestChange[] => {
  const { call, tool, at, recorded, now, change } = one;
  if (now === null || change === 'unchanged' || change === 'beyond_horizon') return [];
  const { agent, path, person } = turn;
  const where = { time: at.time, position: at.position };
  return [{ turn: turn.turn, call, tool, agent, path, person, ...where, recorded, now, change }];
};

const waitsOf = ({ waits }: JudgedTurn): Histogram => {
  const known = new Map<number, number>();
  for (const wait of waits) {
    if (wait === null) continue;
    const bucket = bucketOf(wait);
    known.set(bucket, (known.get(bucket) ?? 0) + 1);
  }
  return known;
};

const unjudged = (
  { turn, position }: JudgedTurn,
  outcome: UnjudgedTurn['outcome'],
  why: string,
): UnjudgedTurn => ({ turn, outcome, why, position });
