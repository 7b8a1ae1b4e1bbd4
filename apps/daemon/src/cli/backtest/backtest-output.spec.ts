import { describe, expect, it } from 'vitest';
import { backtestReport, emptyTally, type BacktestReport } from '@lockstep/engine';
import { csvOf } from './backtest-csv.ts';
import { backtestText } from './backtest-text.ts';
import { hitsIn, readFailOn } from './fail-on.ts';

const empty = backtestReport(emptyTally(), { version: null, digest: 'abcdef0123456789' });

const verdict = { verdict: 'allow', rule: 'tools.allowed', key: 'tools.allowed' } as const;

const report: BacktestReport = {
  ...empty,
  span: { first: 0, last: 172_800_000 },
  turns: { all: 9, unchanged: 5, changed: 2, notReachable: 0, stopped: 1, refused: 1 },
  verdicts: {
    unchanged: 20,
    newly_refused: 0,
    newly_asked: 3,
    newly_allowed: 1,
    beyond_horizon: 4,
  },
  approvals: {
    perDay: { recorded: 2, expected: 12.4 },
    recorded: 4,
    expected: 25,
    beyondHorizon: 1,
    wait: { p50: 30_000, p90: 600_000, answers: 4 },
  },
  changes: [
    {
      turn: 't1',
      call: 'c1',
      tool: 'builtin:file_write',
      agent: 'clerk',
      path: 'loop',
      person: '=HYPERLINK("x")',
      time: 0,
      position: '1',
      recorded: { ...verdict, why: '-1, "quoted"' },
      now: { ...verdict, verdict: 'ask', why: '@SUM(A1)\u001b[2J' },
      change: 'newly_asked',
    },
  ],
  more: 3,
};

describe('given a report', () => {
  it('writes CSV in which no cell is a formula', () => {
    expect(csvOf(report)).toBe(
      [
        'change,time,agent,path,person,tool,recorded_verdict,recorded_rule,recorded_why,verdict,rule,why,turn,call,position',
        `newly_asked,1970-01-01T00:00:00.000Z,clerk,loop,"'=HYPERLINK(""x"")",builtin:file_write,allow,tools.allowed,"'-1, ""quoted""",ask,tools.allowed,'@SUM(A1)\u001b[2J,t1,c1,1`,
        '',
      ].join('\n'),
    );
  });

  it('tells a person the counts, the approvals of a day and the waiting time', () => {
    const lines = backtestText(report, null).split('\n');
    const plain = lines.map((line) => line.replaceAll(/\u001b\[\d+m/g, ''));
    expect(plain.slice(0, 3)).toEqual([
      'the draft (abcdef012345) over 9 turns, from 1970-01-01T00:00:00.000Z to 1970-01-03T00:00:00.000Z',
      'turns: 5 unchanged, 2 changed, 0 would not begin, 1 incomplete in the log, 1 damaged in the log',
      'verdicts: 0 newly refused, 3 newly asked, 1 newly allowed, 20 unchanged, 4 beyond the horizon',
    ]);
    expect(plain).toContain(
      'approvals: 2.0 a day recorded, 12 a day expected (4 and 25 in all, 1 beyond the horizon)',
    );
    expect(plain).toContain(
      'waiting: half of 4 answers came within 30 s, nine of ten within 10 min',
    );
    expect(plain).toContain('3 more, see `--json`');
    // Text of a stranger moves no cursor.
    expect(plain).toContain(
      'newly asked builtin:file_write of clerk over loop, turn t1: @SUM(A1)⟨U+001B⟩[2J',
    );
  });
});

describe('given words that are to fail a build', () => {
  it('counts each of them that the report holds', () => {
    expect(hitsIn(report, ['newly-allowed', 'newly-refused', 'newly-asked', 'unjudged'])).toEqual([
      { word: 'newly-allowed', count: 1 },
      { word: 'newly-asked', count: 3 },
      { word: 'unjudged', count: 2 },
    ]);
    expect(hitsIn(empty, ['newly-allowed', 'beyond-horizon', 'not-reachable'])).toEqual([]);
  });

  it('reads a list and names the first word that is none', () => {
    expect(readFailOn('newly-allowed, unjudged')).toEqual({
      ok: true,
      words: ['newly-allowed', 'unjudged'],
    });
    expect(readFailOn('newly-allowed,toString')).toEqual({ ok: false, word: 'toString' });
  });
});
