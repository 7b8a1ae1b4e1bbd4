import pc from 'picocolors';
import type { BacktestChange, BacktestGroup, BacktestReport } from '@lockstep/engine';
import { oneLine, safeLine, table } from '../print.ts';

/** Rows of each table, and changes, that are printed; `--json` prints all that is kept. */
const most = 15;

/** A report as a person reads it. */
export const backtestText = (report: BacktestReport, columns: number | null): string =>
  [
    ...headLines(report),
    ...Object.entries(report.by).flatMap(([kind, groups]) => groupLines(kind, groups, columns)),
    '',
    ...approvalLines(report.approvals),
    ...changeLines(report),
    ...unjudgedLines(report),
    ...report.notes.map((note) => `note: ${safeLine(note)}`),
  ].join('\n');

const headLines = ({ config, span, turns, verdicts }: BacktestReport): readonly string[] => {
  const draft = config.version === null ? 'the draft' : `config version ${config.version}`;
  const when = span === null ? '' : `, from ${isoOf(span.first)} to ${isoOf(span.last)}`;
  const judged = [
    `${turns.unchanged} unchanged`,
    `${turns.changed} changed`,
    `${turns.notReachable} would not begin`,
    `${turns.stopped} incomplete in the log`,
    `${turns.refused} damaged in the log`,
  ];
  const counted = [
    pc.red(`${verdicts.newly_refused} newly refused`),
    pc.yellow(`${verdicts.newly_asked} newly asked`),
    pc.magenta(`${verdicts.newly_allowed} newly allowed`),
    `${verdicts.unchanged} unchanged`,
    pc.dim(`${verdicts.beyond_horizon} beyond the horizon`),
  ];
  return [
    `${draft} (${config.digest.slice(0, 12)}) over ${turns.all} ${turns.all === 1 ? 'turn' : 'turns'}${when}`,
    `turns: ${judged.join(', ')}`,
    `verdicts: ${counted.join(', ')}`,
  ];
};

const isoOf = (time: number): string => new Date(time).toISOString();

const groupLines = (
  kind: string,
  groups: readonly BacktestGroup[],
  columns: number | null,
): readonly string[] => {
  if (groups.length === 0) return [];
  const rows = groups
    .slice(0, most)
    .map(({ name, counts }) => [
      safeLine(name),
      ...[counts.newly_refused, counts.newly_asked, counts.newly_allowed].map(String),
      ...[counts.unchanged, counts.beyond_horizon].map(String),
    ]);
  const head = [kind, 'newly refused', 'newly asked', 'newly allowed', 'unchanged', 'beyond'];
  return ['', table(head, rows, columns), ...moreLine(groups.length - rows.length)];
};

const moreLine = (more: number): readonly string[] =>
  more > 0 ? [pc.dim(`${more} more, see \`--json\``)] : [];

const approvalLines = (approvals: BacktestReport['approvals']): readonly string[] => {
  const { perDay, recorded, expected, beyondHorizon, wait } = approvals;
  const beyond = beyondHorizon === 0 ? '' : `, ${beyondHorizon} beyond the horizon`;
  const rate =
    perDay === null
      ? `approvals: ${recorded} recorded, ${expected} expected${beyond}`
      : `approvals: ${rateOf(perDay.recorded)} a day recorded, ${rateOf(perDay.expected)} a day expected (${recorded} and ${expected} in all${beyond})`;
  if (wait === null) return [rate, 'waiting: nobody has answered yet'];
  const { p50, p90, answers } = wait;
  return [
    rate,
    `waiting: half of ${answers} answers came within ${spanOf(p50)}, nine of ten within ${spanOf(p90)}`,
  ];
};

const rateOf = (perDay: number): string => perDay.toFixed(perDay < 10 ? 1 : 0);

const spanOf = (ms: number): string => {
  if (ms < 1_000) return `${ms} ms`;
  if (ms < 120_000) return `${Math.round(ms / 1_000)} s`;
  if (ms < 2 * 3_600_000) return `${Math.round(ms / 60_000)} min`;
  return `${Math.round(ms / 3_600_000)} h`;
};

const changeLines = ({ changes, more }: BacktestReport): readonly string[] => {
  const shown = changes.slice(0, most);
  if (shown.length === 0) return [];
  return ['', ...shown.map(changeLine), ...moreLine(changes.length - shown.length + more)];
};

const words = {
  newly_refused: pc.red('newly refused'),
  newly_asked: pc.yellow('newly asked'),
  newly_allowed: pc.magenta('newly allowed'),
} as const satisfies Record<BacktestChange['change'], string>;

const changeLine = ({ change, tool, agent, path, turn, now }: BacktestChange): string =>
  `${words[change]} ${safeLine(tool)} of ${safeLine(agent)} over ${path}, turn ${safeLine(turn)}: ${oneLine(now.why, 120)}`;

const unjudgedLines = ({ turns, unjudged }: BacktestReport): readonly string[] => {
  const shown = unjudged.slice(0, most);
  if (shown.length === 0) return [];
  return [
    '',
    ...shown.map(
      ({ turn, outcome, why }) =>
        `${outcomes[outcome]} turn ${safeLine(turn)}: ${oneLine(why, 160)}`,
    ),
    ...moreLine(turns.notReachable + turns.stopped + turns.refused - shown.length),
  ];
};

const outcomes = {
  not_reachable: pc.red('would not begin'),
  stopped: pc.yellow('incomplete'),
  refused: pc.yellow('damaged'),
} as const;
