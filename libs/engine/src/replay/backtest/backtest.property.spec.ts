import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { VerdictChange, VerdictComparison, VerdictSeen } from '../counterfactual/report.ts';
import { backtestReport } from './backtest-report.ts';
import { addTurns } from './count-turns.ts';
import { bucketOf, countOf, middleOf, quantile } from './histogram.ts';
import type { JudgedTurn } from './judged-turn.ts';
import { emptyTally, mergeTallies, type BacktestTally, type TallyLimits } from './tally.ts';

// So low that every list and every kind of name overflows.
const limits: TallyLimits = { changes: 4, unjudged: 2, notes: 2, names: 2 };
const config = { version: null, digest: 'd'.repeat(64) };

const seen = (verdict: VerdictSeen['verdict'], rule: string): VerdictSeen => ({
  verdict,
  rule,
  key: null,
  why: 'because',
});

const nowOf = (change: VerdictChange, recorded: VerdictSeen): VerdictSeen | null => {
  switch (change) {
    case 'unchanged':
      return recorded;
    case 'newly_refused':
      return seen('refuse', 'tools.denied');
    case 'newly_asked':
      return seen('ask', 'approval.mode');
    case 'newly_allowed':
      return seen('allow', 'tools.allowed');
    case 'beyond_horizon':
      return null;
  }
};

const positionOf = (turn: number, place: number): string =>
  String(turn * 100 + place).padStart(20, '0');

const verdictOf = fc.record({
  tool: fc.constantFrom('builtin:a', 'builtin:b', 'builtin:c', 'mcp:x/y'),
  change: fc.constantFrom<VerdictChange>(
    'unchanged',
    'newly_refused',
    'newly_asked',
    'newly_allowed',
    'beyond_horizon',
  ),
  verdict: fc.constantFrom<VerdictSeen['verdict']>('allow', 'ask', 'refuse'),
});

const drawn = fc.record({
  agent: fc.constantFrom('clerk', 'ops', 'scout'),
  path: fc.constantFrom('loop', 'gateway', 'channel'),
  person: fc.constantFrom('ana', 'bo', 'token:t1'),
  waits: fc.array(fc.option(fc.nat(10_000_000), { nil: null }), { maxLength: 3 }),
  outcome: fc.constantFrom(
    'compared' as const,
    'not_reachable' as const,
    'stopped' as const,
    'refused' as const,
  ),
  verdicts: fc.array(verdictOf, { maxLength: 4 }),
  notes: fc.array(fc.constantFrom('one', 'two', 'three'), { maxLength: 2 }),
});

type Drawn = typeof drawn extends fc.Arbitrary<infer T> ? T : never;

const turnOf = (one: Drawn, index: number): JudgedTurn => {
  const turn = `t${index}`;
  const { agent, path, person, waits } = one;
  const origin = { turn, agent, path, person, waits, time: index, position: positionOf(index, 0) };
  const start = { path: 'loop', trigger: 'cron', config: { version: 1, digest: 'c' } } as const;
  switch (one.outcome) {
    case 'not_reachable':
      return { ...origin, report: { outcome: 'not_reachable', turn, now: start, why: 'no agent' } };
    case 'stopped':
      return { ...origin, report: { outcome: 'stopped', turn, at: null, missing: 'a text' } };
    case 'refused':
      return { ...origin, report: { outcome: 'refused', turn, problems: [] } };
    case 'compared':
      return {
        ...origin,
        report: {
          outcome: 'compared',
          turn,
          agent,
          recorded: start,
          now: start,
          policy: [],
          verdicts: one.verdicts.map((verdict, at) => comparison(verdict, index, at)),
          steps: [],
          horizon: null,
          notes: one.notes,
        },
      };
  }
};

const comparison = (
  { tool, change, verdict }: typeof verdictOf extends fc.Arbitrary<infer T> ? T : never,
  turn: number,
  at: number,
): VerdictComparison => {
  const recorded = seen(verdict, 'tools.allowed');
  return {
    call: `c${at}`,
    tool,
    at: {
      revision: at,
      id: `e${at}`,
      type: 'ToolCallAuthorized',
      time: turn,
      position: positionOf(turn, at + 1),
    },
    recorded,
    now: nowOf(change, recorded),
    change,
    decidedBy: null,
    waitedMs: null,
  };
};

const turnsOf = fc.array(drawn, { maxLength: 30 }).map((all) => all.map(turnOf));

const count = (turns: readonly JudgedTurn[]): BacktestTally => addTurns(emptyTally(limits), turns);

/** The tallies of the turns dealt out to so many parts. */
const dealt = (turns: readonly JudgedTurn[], parts: readonly number[]): BacktestTally[] =>
  [0, 1, 2].map((part) => count(turns.filter((_, i) => (parts[i] ?? 0) === part)));

const dealing = fc.tuple(turnsOf, fc.array(fc.nat(2), { minLength: 30, maxLength: 30 }));

describe('given the turns of a log in parts', () => {
  it('counts the same whichever part a turn is in and whichever part comes first', () => {
    fc.assert(
      fc.property(dealing, ([turns, parts]) => {
        const [a, b, c] = dealt(turns, parts);
        if (a === undefined || b === undefined || c === undefined) throw new Error('three parts');
        const whole = backtestReport(count(turns), config);
        const left = mergeTallies(mergeTallies(a, [b]), [c]);
        const right = mergeTallies(a, [mergeTallies(b, [c])]);
        const other = mergeTallies(c, [b, a]);
        for (const tally of [left, right, other])
          expect(backtestReport(tally, config)).toEqual(whole);
        expect(mergeTallies(emptyTally(limits), [a])).toEqual(a);
      }),
      { numRuns: 60 },
    );
  });

  it('loses no turn and no verdict, however few it keeps by name', () => {
    fc.assert(
      fc.property(turnsOf, (turns) => {
        const report = backtestReport(count(turns), config);
        const { all, ...kinds } = report.turns;
        expect(all).toBe(turns.length);
        expect(Object.values(kinds).reduce((sum, n) => sum + n, 0)).toBe(all);
        for (const groups of Object.values(report.by))
          for (const change of Object.keys(report.verdicts) as VerdictChange[])
            expect(groups.reduce((sum, { counts }) => sum + counts[change], 0)).toBe(
              report.verdicts[change],
            );
        const { newly_allowed, newly_asked, newly_refused } = report.verdicts;
        expect(report.changes.length + report.more).toBe(
          newly_allowed + newly_asked + newly_refused,
        );
      }),
      { numRuns: 60 },
    );
  });
});

/** How many things a tally holds. */
const kept = (tally: BacktestTally): number =>
  tally.changes.length +
  tally.unjudged.length +
  tally.notes.length +
  tally.waits.size +
  Object.values(tally.by).reduce((sum, { named }) => sum + named.size, 0);

describe('given more and more turns', () => {
  it('keeps no more than its limits', () => {
    const all = fc.sample(drawn, { numRuns: 3_000, seed: 7 }).map(turnOf);
    // Waits of every length, names that never repeat.
    const turns = all.map((turn, i) => ({ ...turn, waits: [i * 977], person: `p${i}` }));
    const some = count(turns.slice(0, 300));
    const more = addTurns(some, turns.slice(300));
    expect(more.turns.all).toBe(3_000);
    expect(more.changes).toHaveLength(limits.changes);
    expect(more.unjudged).toHaveLength(limits.unjudged);
    expect(kept({ ...more, waits: new Map() })).toBe(kept({ ...some, waits: new Map() }));
    // A doubling of the longest wait has 64 buckets.
    expect(more.waits.size).toBeLessThan(64 * Math.log2(3_000 * 977));
  });
});

describe('given waiting times', () => {
  it('puts each into a bucket whose middle is less than one percent off', () => {
    fc.assert(
      fc.property(fc.nat(Number.MAX_SAFE_INTEGER), (value) => {
        const middle = middleOf(bucketOf(value));
        expect(Math.abs(middle - value)).toBeLessThanOrEqual(value / 100);
      }),
    );
  });

  it('never puts a longer time into an earlier bucket', () => {
    fc.assert(
      fc.property(fc.nat(2 ** 40), fc.nat(1_000), (value, more) => {
        expect(bucketOf(value + more)).toBeGreaterThanOrEqual(bucketOf(value));
      }),
    );
    for (const power of [6, 7, 10, 20, 31, 32, 40, 52])
      expect(bucketOf(2 ** power) - bucketOf(2 ** power - 1)).toBe(1);
  });

  it('answers the nearest rank, and nothing for no times', () => {
    const histogram = new Map([1, 2, 3, 4, 5, 6, 7, 8, 9, 60].map((ms) => [bucketOf(ms), 1]));
    expect([0.5, 0.9, 1].map((share) => quantile(histogram, share))).toEqual([5, 9, 60]);
    expect(countOf(histogram)).toBe(10);
    expect(quantile(new Map(), 0.5)).toBeNull();
  });
});
