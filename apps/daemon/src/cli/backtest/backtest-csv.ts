import { stringify } from 'csv-stringify/sync';
import type { BacktestChange, BacktestReport } from '@lockstep/engine';

const cells = {
  change: ({ change }) => change,
  time: ({ time }) => new Date(time).toISOString(),
  agent: ({ agent }) => agent,
  path: ({ path }) => path,
  person: ({ person }) => person,
  tool: ({ tool }) => tool,
  recorded_verdict: ({ recorded }) => recorded.verdict,
  recorded_rule: ({ recorded }) => recorded.rule,
  recorded_why: ({ recorded }) => recorded.why,
  verdict: ({ now }) => now.verdict,
  rule: ({ now }) => now.rule,
  why: ({ now }) => now.why,
  turn: ({ turn }) => turn,
  call: ({ call }) => call,
  position: ({ position }) => position,
} as const satisfies Record<string, (change: BacktestChange) => string>;

/** The changed verdicts, one a line. A cell that a spreadsheet would take as a formula begins with an apostrophe. */
export const csvOf = ({ changes }: BacktestReport): string =>
  stringify(
    changes.map((change) => Object.values(cells).map((cell) => cell(change))),
    { header: true, columns: Object.keys(cells), escape_formulas: true },
  );
