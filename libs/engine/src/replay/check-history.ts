import type { LockstepEvent } from '../events/event.ts';
import type { Recording } from './recording.ts';
import type { HistoryProblem } from './report.ts';

/** Schema number of every event that this build writes and reads. */
const readSchema = 1;

const ends: ReadonlySet<string> = new Set([
  'TurnCompleted',
  'TurnFailed',
  'TurnCancelled',
  'TurnRefused',
]);

/** What may follow the end of a turn. */
const afterwards: ReadonlySet<string> = new Set([
  'UnknownOutcomeSettled',
  'ReplyDeliveryStarted',
  'ReplyDelivered',
  'ReplyDeliveryFailed',
]);

/** Whether this event ends a turn. */
export const isEnd = (event: LockstepEvent): boolean => ends.has(event.type);

const at = (event: LockstepEvent): string => `${event.stream}@${event.revision}`;

/** What is wrong with a history as a whole: events that stand twice or not in the order in which they were recorded. */
export const checkOrder = (events: readonly LockstepEvent[]): readonly HistoryProblem[] => {
  const problems: HistoryProblem[] = [];
  const seen = new Set<string>();
  let last: LockstepEvent | null = null;
  for (const event of events) {
    if (seen.has(event.id))
      problems.push({ where: at(event), message: `the event \`${event.id}\` stands twice` });
    else if (last !== null && event.position <= last.position)
      problems.push({
        where: at(event),
        message: `position ${event.position} stands after ${last.position}: the order was changed`,
      });
    seen.add(event.id);
    last = event;
  }
  return problems;
};

/** What is wrong with the stream of one turn, before anything of it is replayed.
 * @param end `required` = the turn must have ended; `open` = it may still run */
export const checkTurn = (
  recording: Recording,
  turn: string,
  end: 'required' | 'open',
): readonly HistoryProblem[] => {
  const stream = `turn-${turn}`;
  const events = recording.stream(stream);
  const [first] = events;
  if (first === undefined)
    return [{ where: stream, message: `the history holds no event of the turn \`${turn}\`` }];
  const problems = [...checkRevisions(events), ...checkOwner(events, { turn, first })];
  if (problems.length > 0) return problems;
  return checkShape(events, end);
};

const checkRevisions = (events: readonly LockstepEvent[]): readonly HistoryProblem[] => {
  const seen = new Set<number>();
  for (const [index, event] of events.entries()) {
    const { revision } = event;
    if (revision !== index) {
      const message = seen.has(revision)
        ? `revision ${revision} stands twice`
        : revision > index && !events.some((one) => one.revision === index)
          ? `revision ${index} is missing: the history was cut`
          : `revision ${revision} stands where ${index} belongs: the order was changed`;
      return [{ where: at(event), message }];
    }
    seen.add(revision);
  }
  return [];
};

const checkOwner = (
  events: readonly LockstepEvent[],
  { turn, first }: { readonly turn: string; readonly first: LockstepEvent },
): readonly HistoryProblem[] => {
  const problems: HistoryProblem[] = [];
  let time = first.time;
  for (const event of events) {
    const { meta } = event;
    if (meta.turn !== turn)
      problems.push({
        where: at(event),
        message: `this event belongs to the turn \`${meta.turn ?? 'none'}\``,
      });
    for (const key of ['agent', 'path', 'trigger', 'session'] as const)
      if (meta[key] !== first.meta[key])
        problems.push({
          where: at(event),
          message: `this event is of the ${key} \`${meta[key] ?? 'none'}\` and the turn of \`${first.meta[key] ?? 'none'}\``,
        });
    if (event.schema !== readSchema)
      problems.push({
        where: at(event),
        message: `${event.type} has schema ${event.schema} and this build reads ${readSchema}`,
      });
    if (event.time < time)
      problems.push({ where: at(event), message: 'this event is older than the one before it' });
    time = event.time;
  }
  return problems;
};

const checkShape = (
  events: readonly LockstepEvent[],
  end: 'required' | 'open',
): readonly HistoryProblem[] => {
  const [first, second] = events;
  const last = events.at(-1);
  if (first === undefined || last === undefined) return [];
  if (first.type !== 'TurnRequested')
    return [{ where: at(first), message: `a turn begins with TurnRequested, not ${first.type}` }];
  if (second?.type !== 'PolicyResolved' && second?.type !== 'TurnRefused')
    return [
      {
        where: at(second ?? first),
        message: 'TurnRequested is followed by PolicyResolved or TurnRefused',
      },
    ];
  const ended = events.findIndex(isEnd);
  if (ended === -1)
    return end === 'open'
      ? []
      : [
          {
            where: at(last),
            message: 'the turn does not end: the history was cut, or exported while it ran',
          },
        ];
  const late = events.slice(ended + 1).find((event) => !afterwards.has(event.type));
  return late === undefined
    ? []
    : [{ where: at(late), message: `${late.type} stands after the end of the turn` }];
};
