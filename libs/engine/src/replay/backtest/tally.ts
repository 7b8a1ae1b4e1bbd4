import type { Histogram } from './histogram.ts';
import type { BacktestChange, BacktestReport, ChangeCounts, UnjudgedTurn } from './report.ts';

/** How much of each kind a tally keeps, however many turns it counts. */
export interface TallyLimits {
  readonly changes: number;
  readonly unjudged: number;
  readonly notes: number;
  /** Names of tools, rules, persons and so on, of each kind. */
  readonly names: number;
}

/** What a report keeps unless told otherwise. */
export const tallyLimits: TallyLimits = { changes: 1_000, unjudged: 100, notes: 20, names: 1_000 };

/** By what verdicts are counted. */
export type GroupKind = keyof BacktestReport['by'];

/** Verdicts by name. What has no name of its own any more is in `others`. */
export interface GroupTally {
  readonly named: ReadonlyMap<string, ChangeCounts>;
  readonly others: ChangeCounts;
}

/** What was counted so far, over some of the turns of a log. Plain data: it may cross a thread. */
export interface BacktestTally {
  readonly limits: TallyLimits;
  readonly turns: BacktestReport['turns'];
  readonly span: BacktestReport['span'];
  readonly verdicts: ChangeCounts;
  readonly by: Readonly<Record<GroupKind, GroupTally>>;
  readonly asked: Omit<BacktestReport['approvals'], 'perDay' | 'wait'>;
  readonly waits: Histogram;
  /** The first ones in log order. */
  readonly changes: readonly BacktestChange[];
  /** How many changes there are in all. */
  readonly changed: number;
  readonly unjudged: readonly UnjudgedTurn[];
  readonly notes: readonly string[];
}

/** No verdict of any kind. */
export const noCounts: ChangeCounts = {
  unchanged: 0,
  newly_refused: 0,
  newly_asked: 0,
  newly_allowed: 0,
  beyond_horizon: 0,
};

/** No name. */
export const noGroups: GroupTally = { named: new Map(), others: noCounts };

/** Nothing counted. */
export const emptyTally = (limits: TallyLimits = tallyLimits): BacktestTally => ({
  limits,
  turns: { all: 0, unchanged: 0, changed: 0, notReachable: 0, stopped: 0, refused: 0 },
  span: null,
  verdicts: noCounts,
  by: { tool: noGroups, rule: noGroups, path: noGroups, agent: noGroups, person: noGroups },
  asked: { recorded: 0, expected: 0, beyondHorizon: 0 },
  waits: new Map(),
  changes: [],
  changed: 0,
  unjudged: [],
  notes: [],
});

/** All of them together. Associative and commutative: turns may be counted in any parts. */
export const mergeTallies = (
  into: BacktestTally,
  more: readonly BacktestTally[],
): BacktestTally => {
  if (more.length === 0) return into;
  const all = [into, ...more];
  const { limits } = into;
  const each = <T>(of: (tally: BacktestTally) => T): readonly T[] => all.map(of);
  return {
    limits,
    turns: sum(each(({ turns }) => turns)),
    span: join(each(({ span }) => span)),
    verdicts: sum(each(({ verdicts }) => verdicts)),
    by: {
      tool: joinGroups(
        each(({ by }) => by.tool),
        limits.names,
      ),
      rule: joinGroups(
        each(({ by }) => by.rule),
        limits.names,
      ),
      path: joinGroups(
        each(({ by }) => by.path),
        limits.names,
      ),
      agent: joinGroups(
        each(({ by }) => by.agent),
        limits.names,
      ),
      person: joinGroups(
        each(({ by }) => by.person),
        limits.names,
      ),
    },
    asked: sum(each(({ asked }) => asked)),
    waits: joinWaits(each(({ waits }) => waits)),
    changes: firstOf(
      each(({ changes }) => changes),
      limits.changes,
    ),
    changed: all.reduce((total, { changed }) => total + changed, 0),
    unjudged: firstOf(
      each(({ unjudged }) => unjudged),
      limits.unjudged,
    ),
    notes: [...new Set(all.flatMap(({ notes }) => notes))].sort().slice(0, limits.notes),
  };
};

/** Field by field. */
export const sum = <T extends Readonly<Record<keyof T, number>>>(parts: readonly T[]): T => {
  const total = { ...parts[0] } as Record<keyof T, number>;
  for (const part of parts.slice(1))
    for (const key of Object.keys(part) as (keyof T)[]) total[key] += part[key];
  return total as T;
};

const join = (spans: readonly BacktestReport['span'][]): BacktestReport['span'] => {
  const known = spans.filter((span) => span !== null);
  if (known.length === 0) return null;
  return {
    first: Math.min(...known.map(({ first }) => first)),
    last: Math.max(...known.map(({ last }) => last)),
  };
};

/** The names that come first in the alphabet are kept, so that the parts in which turns are counted make no difference: a name that
 * is kept of all was kept of each part. */
export const joinGroups = (groups: readonly GroupTally[], most: number): GroupTally => {
  const named = new Map<string, ChangeCounts>();
  for (const group of groups)
    for (const [name, counts] of group.named) {
      const known = named.get(name);
      named.set(name, known === undefined ? counts : sum([known, counts]));
    }
  const others = sum(groups.map((group) => group.others));
  if (named.size <= most) return { named, others };
  const names = [...named.keys()].sort();
  const kept = new Map(names.slice(0, most).map((name) => [name, named.get(name) ?? noCounts]));
  const rest = names.slice(most).map((name) => named.get(name) ?? noCounts);
  return { named: kept, others: sum([others, ...rest]) };
};

const joinWaits = (parts: readonly Histogram[]): Histogram => {
  const all = new Map<number, number>();
  for (const part of parts)
    for (const [bucket, count] of part) all.set(bucket, (all.get(bucket) ?? 0) + count);
  return all;
};

const firstOf = <T extends { readonly position: string }>(
  lists: readonly (readonly T[])[],
  most: number,
): readonly T[] => {
  const found = lists.filter((list) => list.length > 0);
  const [only] = found;
  if (only === undefined) return [];
  if (found.length === 1) return only.slice(0, most);
  return found
    .flat()
    .sort((a, b) => (a.position < b.position ? -1 : 1))
    .slice(0, most);
};
