import pc from 'picocolors';
import type { HistoryProblem, ReplayReport } from '@lockstep/engine';
import type { HistoryCheck } from '../../replay/histories/verify-histories.ts';
import { safeLine } from '../print.ts';

/** A line for one history, and what is wrong with it on lines of their own. */
export const checkLine = (check: HistoryCheck): string => {
  const [head, ...rest] = checkTexts(check);
  return [head ?? '', ...rest.map((line) => `  ${line}`)].join('\n');
};

const checkTexts = (check: HistoryCheck): readonly string[] => {
  const name = safeLine(check.file);
  switch (check.state) {
    case 'same':
      return [
        `${pc.green('same')} ${name}: ${count(check.turns, 'turn')}, ${count(check.events, 'event')}`,
      ];
    case 'as_expected':
      return [`${pc.green('as expected')} ${name}: ${expectedText(check.expected)}`];
    case 'not_as_expected':
      return [
        `${pc.red('not as expected')} ${name}: ${expectedText(check.expected)}`,
        check.seen === null
          ? safeLine(check.why ?? '')
          : `now ${check.seen.verdict} by ${safeLine(check.seen.rule)}: ${safeLine(check.seen.why)}`,
      ];
    case 'diverged':
      return [
        `${pc.red('diverged')} ${name}: ${check.reports.length} of ${count(check.turns, 'turn')}`,
        ...check.reports.map(reportLine),
      ];
    case 'refused':
      return [
        `${pc.red('refused')} ${name}: this is no history as it was recorded`,
        ...problemLines(check.problems),
      ];
  }
};

/** What is wrong, in words, for one history that is not as it has to be. */
export const whatIsWrong = (check: HistoryCheck): string => checkTexts(check).slice(1).join('\n');

const expectedText = ({ call, tool, verdict, rule }: Expected): string =>
  `${verdict} \`${safeLine(tool)}\` (call \`${safeLine(call)}\`) by ${safeLine(rule)}`;

type Expected = Extract<HistoryCheck, { state: 'as_expected' | 'not_as_expected' }>['expected'];

const reportLine = (report: ReplayReport): string => {
  switch (report.outcome) {
    case 'same':
      return `same turn ${safeLine(report.turn)}`;
    case 'diverged': {
      const [field] = report.fields;
      const where =
        report.at === null
          ? 'after its last event'
          : `at event ${report.at.revision} (${safeLine(report.at.type)})`;
      return `turn ${safeLine(report.turn)} ${where}: ${safeLine(report.why)}${field === undefined ? '' : `, first ${safeLine(field.path)}`}`;
    }
    case 'stopped':
      return `turn ${safeLine(report.turn)} stopped: ${safeLine(report.missing)} is not in the history`;
    case 'refused':
      return `turn ${safeLine(report.turn)} refused: ${problemLines(report.problems).join('; ')}`;
  }
};

const problemLines = (problems: readonly HistoryProblem[]): readonly string[] =>
  problems.map(({ where, message }) => `${safeLine(where)}: ${safeLine(message)}`);

/** How many of each kind. */
export const verifySum = (checks: readonly HistoryCheck[]): string => {
  const of = (state: HistoryCheck['state']): number =>
    checks.filter((check) => check.state === state).length;
  const kinds = [
    [of('same'), 'same'],
    [of('as_expected'), 'as expected'],
    [of('not_as_expected'), 'not as expected'],
    [of('diverged'), 'diverged'],
    [of('refused'), 'refused'],
  ] as const;
  const parts = kinds.flatMap(([number, name]) => (number === 0 ? [] : [`${number} ${name}`]));
  return `${checks.length} ${checks.length === 1 ? 'history' : 'histories'}: ${parts.join(', ')}`;
};

/** A number of things, in the plural where there is not one. */
export const count = (number: number, what: string): string =>
  `${number} ${what}${number === 1 ? '' : 's'}`;
