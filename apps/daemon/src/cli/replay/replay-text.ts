import pc from 'picocolors';
import type { HistoryProblem } from '@lockstep/engine';
import type { ReplayAnswer } from '../../http/schemas/replay.schema.ts';
import type { AnsweredReplay } from '../../replay/answer-replay.ts';
import { isUnchanged } from '../../replay/is-unchanged.ts';
import { safeLine } from '../print.ts';
import { comparedText, notReachableText } from './compared-text.ts';

/** What became of one replay, from this process or from a daemon. */
export type ShownReplay = AnsweredReplay | ReplayAnswer;

/** Whether nothing came out otherwise than it was recorded, in the turn and in those below it. */
export const isAsRecorded = (report: ShownReplay): boolean =>
  isUnchanged(report) && belowOf(report).every(({ unchanged }) => unchanged);

const belowOf = (report: ShownReplay): NonNullable<AnsweredReplay['below']> =>
  'below' in report ? (report.below ?? []) : [];

/** One report as a person reads it.
 * @param columns width of the terminal; null = it is none */
export const replayText = (report: ShownReplay, columns: number | null): string =>
  [
    outcomeText(report, columns),
    ...('notes' in report ? (report.notes ?? []) : []).map((note) => `  note: ${safeLine(note)}`),
    ...belowOf(report).map(
      (one) =>
        `  below: ${one.unchanged ? pc.green('same') : pc.red(one.outcome.replaceAll('_', ' '))} turn ${safeLine(one.turn)} of \`${safeLine(one.agent)}\` by ${one.path}/${one.trigger}`,
    ),
  ].join('\n');

const outcomeText = (report: ShownReplay, columns: number | null): string => {
  switch (report.outcome) {
    case 'same': {
      const open = report.ended ? '' : ', and the turn has not ended';
      return `${pc.green('same')} turn ${safeLine(report.turn)}: ${report.events} events came out as recorded${open}`;
    }
    case 'diverged':
      return divergedText(report);
    case 'stopped':
      return `${pc.yellow('stopped')} turn ${safeLine(report.turn)}${placeOf(report.at)}: ${safeLine(report.missing)} is not in the recording`;
    case 'refused':
      return refusedText(`turn ${report.turn}`, report.problems);
    case 'compared':
      return comparedText(report, columns);
    case 'not_reachable':
      return notReachableText(report);
  }
};

const divergedText = (report: Extract<ShownReplay, { readonly outcome: 'diverged' }>): string => {
  const { turn, at, events, recorded, replayed, fields, why } = report;
  const head = `${pc.red('diverged')} turn ${safeLine(turn)}${placeOf(at)}, after ${events} equal events: ${safeLine(why)}`;
  if (fields.length > 0)
    return [
      head,
      ...fields.flatMap((field) => [
        `  ${safeLine(field.path)}`,
        `    recorded  ${valueText(field.recorded)}`,
        `    replayed  ${valueText(field.replayed)}`,
      ]),
    ].join('\n');
  return [
    head,
    `    recorded  ${recorded === null ? 'nothing' : safeLine(recorded.type)}`,
    `    replayed  ${replayed === null ? 'nothing' : safeLine(replayed.type)}`,
  ].join('\n');
};

const placeOf = (at: Extract<ShownReplay, { readonly outcome: 'stopped' }>['at']): string =>
  at === null
    ? ' after its last event'
    : ` at event ${at.revision} (${safeLine(at.type)}, position ${safeLine(at.position)})`;

const longest = 400;

const valueText = (value: string | null): string => {
  if (value === null) return pc.dim('not there');
  const text = safeLine(value);
  return text.length <= longest
    ? text
    : `${text.slice(0, longest)}… ${pc.dim(`(${text.length} characters)`)}`;
};

/** A file or a turn that is no history as it was recorded, with what is wrong and where. */
export const refusedText = (what: string, problems: readonly HistoryProblem[]): string =>
  [
    `${pc.red('refused')} ${safeLine(what)}: this is no history as it was recorded`,
    ...problems.map(({ where, message }) => `  ${safeLine(where)}: ${safeLine(message)}`),
  ].join('\n');
