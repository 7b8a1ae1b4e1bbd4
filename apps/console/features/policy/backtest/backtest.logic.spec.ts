import { describe, expect, it } from 'vitest';
import type { BacktestReport } from '@lockstep/engine';
import {
  approvalsText,
  changesOf,
  configBody,
  configChoice,
  groupingOf,
  startBody,
  turnParts,
} from './backtest.logic.ts';

const none = {
  unchanged: 0,
  newly_refused: 0,
  newly_asked: 0,
  newly_allowed: 0,
  beyond_horizon: 0,
};
const seen = { verdict: 'allow', rule: 'gate.plain', key: null, why: 'x' } as const;
const report: BacktestReport = {
  config: { version: null, digest: 'd' },
  span: { first: 0, last: 1 },
  turns: { all: 5, unchanged: 2, changed: 2, notReachable: 1, stopped: 0, refused: 0 },
  verdicts: none,
  by: { tool: [], rule: [], path: [], agent: [], person: [] },
  approvals: {
    perDay: { recorded: 1.25, expected: 12.5 },
    recorded: 1,
    expected: 10,
    beyondHorizon: 2,
    wait: null,
  },
  changes: (['newly_asked', 'newly_refused'] as const).map((change) => ({
    turn: 't',
    call: change,
    tool: 'x',
    agent: 'a',
    path: 'loop',
    person: 'p',
    time: 0,
    position: '1',
    recorded: seen,
    now: seen,
    change,
  })),
  more: 0,
  unjudged: [],
  notes: [],
};

describe('given what an address says of a config', () => {
  it.each([
    ['draft', 'draft'],
    ['3', 3],
    ['0', null],
    ['x', null],
    [null, null],
  ])('takes %j for %j', (word, choice) => {
    expect(configChoice(word)).toBe(choice);
  });

  it('sends the draft as it stands, and says when there is none', () => {
    expect([configBody('draft', 'text'), configBody(3, null), configBody('draft', null)]).toEqual([
      { text: 'text' },
      { version: 3 },
      null,
    ]);
  });
});

it('leaves out of a start what is not chosen or no count', () => {
  const choice = { since: '30d', agent: null, path: null, limit: '-5' };
  expect(startBody({ version: 2 }, choice)).toEqual({ config: { version: 2 }, since: '30d' });
  expect(startBody({ version: 2 }, { ...choice, limit: '50' })).toEqual({
    config: { version: 2 },
    since: '30d',
    limit: 50,
  });
});

describe('given a report', () => {
  it('shows the changes of one kind, or all', () => {
    const calls = (kind: string | null) => changesOf(report, kind).map(({ call }) => call);
    expect([calls(null), calls('newly_asked')]).toEqual([
      ['newly_asked', 'newly_refused'],
      ['newly_asked'],
    ]);
  });

  it('names the turns that there are', () => {
    expect(turnParts(report)).toEqual([
      { count: 2, words: 'as they went' },
      { count: 2, words: 'would go another way' },
      { count: 1, words: 'would not begin' },
    ]);
  });

  it('says what people would be asked', () => {
    expect(approvalsText(report)).toEqual([
      "10 of these turns' calls would be asked, 1 were",
      '13 questions a day, 1.3 before',
      '2 recorded ones lie beyond the horizon and are not counted',
    ]);
    const plain = { ...report.approvals, perDay: null, beyondHorizon: 0 };
    expect(approvalsText({ ...report, approvals: plain })).toHaveLength(1);
  });

  it('groups by tool where the address names nothing it knows', () => {
    expect([groupingOf('rule'), groupingOf('constructor'), groupingOf(null)]).toEqual([
      'rule',
      'tool',
      'tool',
    ]);
  });
});
