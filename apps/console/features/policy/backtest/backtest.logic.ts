import type { BacktestChange, BacktestReport, VerdictChange } from '@lockstep/engine';

/** A backtest as the daemon answers it. */
export interface Backtest {
  readonly id: string;
  readonly state: 'running' | 'done' | 'failed' | 'cancelled';
  readonly startedAt: number;
  readonly progress: Progress;
  readonly report: BacktestReport | null;
  readonly error: string | null;
}
export interface Progress {
  readonly done: number;
  readonly all: number;
}

/** The kinds of change, what a person is warned of first. */
export const changeKinds: readonly VerdictChange[] = [
  'newly_allowed',
  'newly_refused',
  'newly_asked',
  'unchanged',
  'beyond_horizon',
];

export const changeWords: Readonly<Record<VerdictChange, string>> = {
  newly_allowed: 'newly allowed',
  newly_refused: 'newly refused',
  newly_asked: 'newly asked',
  unchanged: 'unchanged',
  beyond_horizon: 'beyond horizon',
};

export const changeMeans: Readonly<Record<VerdictChange, string>> = {
  newly_allowed: 'was refused or asked, would run without a question',
  newly_refused: 'ran or was asked, would be refused',
  newly_asked: 'ran or was refused, would wait for a person',
  unchanged: 'the same verdict',
  beyond_horizon:
    'came after the model would have been told something else: nobody knows, nothing is counted',
};

/** What is put in place of the recorded config, as it stands in an address: `draft`, or a version. */
export type ConfigChoice = 'draft' | number;

export const configChoice = (word: string | null): ConfigChoice | null => {
  if (word === 'draft') return 'draft';
  return word !== null && /^[1-9]\d{0,8}$/.test(word) ? Number(word) : null;
};

/** The part of the body that names the config; null = a draft is meant and there is none. */
export const configBody = (
  choice: ConfigChoice,
  draft: string | null,
): { readonly text: string } | { readonly version: number } | null => {
  if (choice !== 'draft') return { version: choice };
  return draft === null ? null : { text: draft };
};

/** What of the log is judged, as it stands in an address. */
export interface BacktestChoice {
  readonly since: string | null;
  readonly agent: string | null;
  readonly path: string | null;
  readonly limit: string | null;
}

/** The body of a start; what is not chosen is left out. */
export const startBody = (
  config: NonNullable<ReturnType<typeof configBody>>,
  { since, agent, path, limit }: BacktestChoice,
): Readonly<Record<string, unknown>> => ({
  config,
  ...(since === null ? {} : { since }),
  ...(agent === null ? {} : { agent }),
  ...(path === null ? {} : { path }),
  ...(limit === null || !/^[1-9]\d*$/.test(limit) ? {} : { limit: Number(limit) }),
});

/** By what a report's verdicts can be grouped. */
export const groupings = ['tool', 'rule', 'path', 'agent', 'person'] as const;
export type Grouping = (typeof groupings)[number];

export const groupingOf = (word: string | null): Grouping =>
  groupings.find((one) => one === word) ?? 'tool';

/** The changes of one kind, or all. */
export const changesOf = (
  report: BacktestReport,
  kind: string | null,
): readonly BacktestChange[] =>
  kind === null ? report.changes : report.changes.filter(({ change }) => change === kind);

/** What a draft means for people who answer, in sentences. */
export const approvalsText = ({ approvals }: BacktestReport): readonly string[] => {
  const { recorded, expected, beyondHorizon, perDay } = approvals;
  const day = (value: number): string => value.toFixed(value < 10 ? 1 : 0);
  return [
    `${expected} of these turns' calls would be asked, ${recorded} were`,
    ...(perDay === null
      ? []
      : [`${day(perDay.expected)} questions a day, ${day(perDay.recorded)} before`]),
    ...(beyondHorizon === 0
      ? []
      : [`${beyondHorizon} recorded ones lie beyond the horizon and are not counted`]),
  ];
};

/** Turns that make up the whole, in the order in which a person asks; those of which there are none are left out. */
export const turnParts = ({
  turns,
}: BacktestReport): readonly { readonly count: number; readonly words: string }[] =>
  [
    { count: turns.unchanged, words: 'as they went' },
    { count: turns.changed, words: 'would go another way' },
    { count: turns.notReachable, words: 'would not begin' },
    { count: turns.stopped, words: 'lack a recording' },
    { count: turns.refused, words: 'are no history as it was recorded' },
  ].filter(({ count }) => count > 0);
