import type { LockstepEvent } from '../../events/event.ts';
import { ddmin } from './ddmin.ts';
import type { Shrink } from './minimize.ts';

/** Without what follows the verdict on a call, without turns of the session before it, and without other calls of its step. */
export const shrinkTurn =
  (call: string): Shrink =>
  (events, at) =>
    [cutEnd(call), dropHistory, dropCalls(call)].reduce((left, step) => step(left, at), events);

/** The shortest beginning of the turn that still shows it. */
const cutEnd =
  (call: string): Shrink =>
  (events, { turn, holds }) => {
    const own = events.filter(({ stream }) => stream === `turn-${turn}`);
    const first = own.findIndex((event) => isVerdictOn(event, call));
    for (let length = Math.max(first + 1, 1); length < own.length; length += 1) {
      const gone = new Set(own.slice(length));
      const part = events.filter((event) => !gone.has(event));
      if (holds(part)) return part;
    }
    return events;
  };

const isVerdictOn = ({ type, data }: LockstepEvent, call: string): boolean =>
  (type === 'ToolCallAuthorized' || type === 'ToolCallRefused' || type === 'ApprovalRequested') &&
  data.call === call;

const dropHistory: Shrink = (events, { turn, holds }) => {
  const requested = events.find(
    (event) => event.stream === `turn-${turn}` && event.type === 'TurnRequested',
  );
  if (requested?.type !== 'TurnRequested' || requested.data.history.length === 0) return events;
  const part = (history: readonly string[]): readonly LockstepEvent[] =>
    events.map((event) =>
      event === requested
        ? { ...requested, data: { ...requested.data, history: [...history] } }
        : event,
    );
  return part(ddmin(requested.data.history, (history) => holds(part(history))));
};

const dropCalls =
  (call: string): Shrink =>
  (events, { turn, holds }) => {
    const stream = `turn-${turn}`;
    const step = events.findLast(
      (event) =>
        event.stream === stream &&
        event.type === 'ModelCallCompleted' &&
        event.data.calls.some((one) => one.call === call),
    );
    if (step?.type !== 'ModelCallCompleted') return events;
    const others = step.data.calls.map((one) => one.call).filter((one) => one !== call);
    const part = (kept: readonly string[]): readonly LockstepEvent[] => {
      const gone = new Set(others.filter((one) => !kept.includes(one)));
      const calls = step.data.calls.filter((one) => !gone.has(one.call));
      return renumbered(
        stream,
        events.flatMap((event) => {
          if (event === step) return [{ ...step, data: { ...step.data, calls } }];
          return event.stream === stream && isOf(event, gone) ? [] : [event];
        }),
      );
    };
    return part(ddmin(others, (kept) => holds(part(kept))));
  };

const isOf = ({ data }: LockstepEvent, calls: ReadonlySet<string>): boolean =>
  'call' in data && typeof data.call === 'string' && calls.has(data.call);

/** A stream without holes after events were left out. */
const renumbered = (stream: string, events: readonly LockstepEvent[]): readonly LockstepEvent[] => {
  let next = 0;
  return events.map((event) => {
    if (event.stream !== stream) return event;
    const revision = next;
    next += 1;
    return event.revision === revision ? event : { ...event, revision };
  });
};
