import { describe, expect, it } from 'vitest';
import type { VerdictComparison, VerdictSeen } from '../counterfactual/report.ts';
import { backtestReport } from './backtest-report.ts';
import { addTurns } from './count-turns.ts';
import type { JudgedTurn } from './judged-turn.ts';
import { emptyTally, tallyLimits } from './tally.ts';

const day = 86_400_000;
const config = { version: null, digest: 'd' };
const start = { path: 'loop', trigger: 'cron', config: { version: 1, digest: 'c' } } as const;

const allow: VerdictSeen = {
  verdict: 'allow',
  rule: 'approval.auto_approve',
  key: 'approval.auto_approve',
  why: 'the pattern lets it through',
};
const ask: VerdictSeen = {
  verdict: 'ask',
  rule: 'approval.autonomy',
  key: 'approval.autonomy',
  why: 'a person has to decide',
};
const refuse: VerdictSeen = {
  verdict: 'refuse',
  rule: 'tools.denied',
  key: 'tools.denied',
  why: 'the tool is denied',
};

const verdict = (
  n: number,
  [recorded, now, change]: readonly [VerdictSeen, VerdictSeen | null, VerdictComparison['change']],
): VerdictComparison => ({
  call: `c${n}`,
  tool: 'builtin:file_write',
  at: { revision: n, id: `e${n}`, type: 'ToolCallAuthorized', time: n, position: `p${n}` },
  recorded,
  now,
  change,
  decidedBy: null,
  waitedMs: null,
});

const turn = (
  name: string,
  time: number,
  more: Partial<JudgedTurn> & Pick<JudgedTurn, 'report'>,
): JudgedTurn => ({
  turn: name,
  agent: 'clerk',
  path: 'loop',
  person: 'ana',
  time,
  position: `p-${name}`,
  waits: [],
  ...more,
});

const compared = (
  name: string,
  verdicts: readonly VerdictComparison[],
  horizon: VerdictComparison['at'] | null = null,
): JudgedTurn['report'] => ({
  outcome: 'compared',
  turn: name,
  agent: 'clerk',
  recorded: start,
  now: start,
  policy: [],
  verdicts,
  steps: [],
  horizon,
  notes: [],
});

const none = {
  unchanged: 0,
  newly_refused: 0,
  newly_asked: 0,
  newly_allowed: 0,
  beyond_horizon: 0,
};

const judged: readonly JudgedTurn[] = [
  turn('t1', 0, {
    report: compared(
      't1',
      [
        verdict(1, [allow, allow, 'unchanged']),
        verdict(2, [allow, ask, 'newly_asked']),
        verdict(3, [ask, null, 'beyond_horizon']),
      ],
      verdict(3, [ask, null, 'beyond_horizon']).at,
    ),
    waits: [20],
  }),
  turn('t2', day, {
    report: compared('t2', [verdict(4, [ask, refuse, 'newly_refused'])]),
    waits: [40],
  }),
  turn('t3', day, { report: compared('t3', [verdict(5, [ask, ask, 'unchanged'])]), waits: [null] }),
  turn('t4', 2 * day, {
    path: 'gateway',
    report: { outcome: 'not_reachable', turn: 't4', now: start, why: 'the agent is disabled' },
    waits: [60],
  }),
  turn('t5', 2 * day, {
    report: { outcome: 'stopped', turn: 't5', at: null, missing: 'config version 3' },
    waits: [5],
  }),
];

describe('given turns of two days that a draft changes in several ways', () => {
  it('reports every count, the approvals of a day, the waiting time and each change', () => {
    const { by, ...report } = backtestReport(addTurns(emptyTally(), judged), config);
    expect(report).toEqual({
      config,
      span: { first: 0, last: 2 * day },
      turns: { all: 5, unchanged: 1, changed: 2, notReachable: 1, stopped: 1, refused: 0 },
      verdicts: {
        unchanged: 2,
        newly_refused: 1,
        newly_asked: 1,
        newly_allowed: 0,
        beyond_horizon: 1,
      },
      approvals: {
        perDay: { recorded: 2, expected: 1 },
        recorded: 4,
        expected: 2,
        beyondHorizon: 1,
        // Of turns that nothing can be said of, the waits are left out too.
        wait: { p50: 40, p90: 60, answers: 3 },
      },
      changes: [
        {
          turn: 't1',
          call: 'c2',
          tool: 'builtin:file_write',
          agent: 'clerk',
          path: 'loop',
          person: 'ana',
          time: 2,
          position: 'p2',
          recorded: allow,
          now: ask,
          change: 'newly_asked',
        },
        {
          turn: 't2',
          call: 'c4',
          tool: 'builtin:file_write',
          agent: 'clerk',
          path: 'loop',
          person: 'ana',
          time: 4,
          position: 'p4',
          recorded: ask,
          now: refuse,
          change: 'newly_refused',
        },
      ],
      more: 0,
      unjudged: [
        { turn: 't4', outcome: 'not_reachable', why: 'the agent is disabled', position: 'p-t4' },
        {
          turn: 't5',
          outcome: 'stopped',
          why: 'config version 3 is not in the recording',
          position: 'p-t5',
        },
      ],
      notes: [],
    });
    expect(by.rule).toEqual([
      {
        name: 'approval.autonomy',
        counts: { ...none, unchanged: 1, newly_asked: 1, beyond_horizon: 1 },
      },
      { name: 'tools.denied', counts: { ...none, newly_refused: 1 } },
      { name: 'approval.auto_approve', counts: { ...none, unchanged: 1 } },
    ]);
    expect(by.path).toEqual([{ name: 'loop', counts: report.verdicts }]);
  });

  it('says no rate of a day for less than a day', () => {
    const tally = addTurns(emptyTally(), judged.slice(1, 3));
    expect(backtestReport(tally, config).approvals.perDay).toBeNull();
  });

  it('counts names beyond its limit together, last', () => {
    const limits = { ...tallyLimits, names: 1 };
    const report = backtestReport(addTurns(emptyTally(limits), judged), config);
    expect(report.by.rule).toEqual([
      { name: 'approval.auto_approve', counts: { ...none, unchanged: 1 } },
      {
        name: '(others)',
        counts: { ...none, unchanged: 1, newly_asked: 1, newly_refused: 1, beyond_horizon: 1 },
      },
    ]);
  });
});
