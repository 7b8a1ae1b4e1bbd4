import type { EventOf, LockstepEvent } from '../events/event.ts';
import { whyRefused } from '../turn/why-refused.ts';
import { callsOf } from '../turn/state.ts';
import type { RecoveryStep } from '../turn/recover.ts';
import { command, idle, withFed, type Cursor, type Next } from './cursor.ts';
import { configAhead, judgeCalls } from './gate-port.ts';
import { inputOf, interrupted, newerConfig } from './inputs.ts';
import { beginModelCall } from './model-port.ts';

/** What the engine is told next: what a restart has to do, what came from outside, or what is due by the engine's own word. */
export const nextCommand = (cursor: Cursor, event: LockstepEvent): Next => {
  if (event.type === 'TurnRequested') return begin(cursor, event);
  // What stood above was stopped meanwhile: nothing of this turn is taken up.
  if (isStoppedFromOutside(event)) cursor.recovery = [];
  const [step] = cursor.recovery;
  if (step !== undefined) return recover(cursor, event, step);
  return inputOf(cursor, event) ?? newerConfigAhead(cursor) ?? due(cursor, event);
};

const isStoppedFromOutside = (event: LockstepEvent): boolean =>
  event.type === 'CancelRequested' && event.data.by !== 'config';

/** What only some paths bring along. */
const arrivedWith = ({ data: { earlier, call, replyTo } }: EventOf<'TurnRequested'>) => ({
  ...(earlier === undefined ? {} : { earlier }),
  ...(call === undefined ? {} : { call }),
  ...(replyTo === undefined ? {} : { replyTo }),
});

/** The policy is resolved anew, and the turn begins or is refused with it. */
const begin = (cursor: Cursor, event: EventOf<'TurnRequested'>): Next => {
  const { request, records, config, path, trigger, message, history } = event.data;
  const second = cursor.events[1];
  const stopped = second?.type === 'TurnRefused' && second.data.code === 'stopped';
  return withFed(cursor.recording.config(config), (applied) =>
    withFed(cursor.recording.textOf(event.data.input), (input) => {
      const found = cursor.policies.first(applied, request, records);
      if (found.ok && !stopped)
        return command({
          type: 'StartTurn',
          policy: found.policy,
          input,
          message,
          history,
          ...arrivedWith(event),
        });
      const problems = found.ok ? [] : found.problems;
      const { version, digest } = applied;
      return command({
        type: 'RefuseTurn',
        request,
        records,
        config: { version, digest },
        path,
        trigger,
        input,
        message,
        problems,
        ...whyRefused(request.agent, problems),
        ...arrivedWith(event),
      });
    }),
  );
};

/** A verdict was given under a newer config than the turn's policy has seen: it is met with that config first, as the runner does. */
const newerConfigAhead = (cursor: Cursor): Next | null => {
  const { state } = cursor;
  const ref = configAhead(cursor);
  if (ref === null || state.status !== 'open' || cursor.otherRegistry !== null) return null;
  if (ref.version <= Math.max(cursor.seenConfig, state.config.version)) return null;
  // It came into force between the look and the verdict: the turn takes it over further on.
  if (isTakenOverLater(cursor, ref.version)) return null;
  const next = newerConfig(cursor, ref);
  if (next.kind !== 'command' || next.command.type !== 'NarrowTurn') return next;
  const { policy, keys } = next.command;
  return keys.length === 0 || policy.parts.digest === state.policyDigest ? null : next;
};

const isTakenOverLater = ({ events, at }: Cursor, version: number): boolean =>
  events
    .slice(at)
    .some(
      (event) =>
        (event.type === 'PolicyNarrowed' && event.data.config.version >= version) ||
        (event.type === 'CancelRequested' && event.data.by === 'config'),
    );

const recover = (cursor: Cursor, event: LockstepEvent, step: RecoveryStep): Next => {
  const rest = cursor.recovery.slice(1);
  switch (step.kind) {
    case 'interrupt-model':
      cursor.recovery = rest;
      return interrupted(event);
    case 'lose-call':
      cursor.recovery = rest;
      return command({ type: 'LoseToolCall', now: event.time, call: step.call, why: step.why });
    case 'take-up':
      // Nothing is recorded of it: what the turns below left comes as an outcome.
      cursor.recovery = rest;
      return nextCommand(cursor, event);
    case 'run-again':
      return runAgain(cursor, event, step.calls);
  }
};

/** Repeatable calls that a restart runs again. A newer config is taken over first; one that it no longer lets through is lost. */
const runAgain = (cursor: Cursor, event: LockstepEvent, calls: readonly string[]): Next => {
  const { type } = event;
  if (type === 'PolicyNarrowed' || type === 'CancelRequested' || type === 'ApprovalClosed') {
    if (type === 'CancelRequested') cursor.recovery = [];
    return type === 'ApprovalClosed'
      ? judgeCalls(cursor, pendingIn(cursor))
      : (inputOf(cursor, event) ?? idle(''));
  }
  const again = stillToDo(cursor, calls);
  cursor.recovery = again.length > 1 ? [{ kind: 'run-again', calls: again.slice(1) }] : [];
  const [first] = again;
  if (first === undefined) return nextCommand(cursor, event);
  const lost = type === 'ToolCallOutcomeUnknown' && event.data.call === first;
  return lost ? (inputOf(cursor, event) ?? idle('')) : judgeCalls(cursor, [first]);
};

const stillToDo = ({ state, daemon, events, at }: Cursor, calls: readonly string[]): string[] => {
  if (state.status !== 'open') return [];
  const done = new Set(
    events
      .slice(0, at)
      .flatMap((event) =>
        event.type === 'ToolCallStarted' && event.meta.daemon === daemon ? [event.data.call] : [],
      ),
  );
  return calls.filter(
    (id) => !done.has(id) && callsOf(state).find((call) => call.call === id)?.status === 'running',
  );
};

const pendingIn = ({ state }: Cursor): string[] =>
  state.status !== 'open'
    ? []
    : callsOf(state).flatMap((call) => (call.status === 'pending' ? [call.call] : []));

/** What the engine itself has to do now. */
const due = (cursor: Cursor, event: LockstepEvent): Next => {
  if (event.type === 'ApprovalClosed') return judgeCalls(cursor, pendingIn(cursor));
  const effect = cursor.engine.nextEffect(cursor.state);
  switch (effect.kind) {
    case 'recall-memory':
      return idle('what memory gives is not recorded');
    case 'call-model':
    case 'retry-model':
      return beginModelCall(cursor, effect.final);
    case 'judge-calls':
      return judgeCalls(cursor, effect.calls);
    case 'finish':
      return command({ type: 'Finish', now: event.time });
    case 'await-model':
      return idle(`the reply of model call ${effect.modelCall} is awaited`);
    case 'await-tools':
      return idle(`the outcome of \`${effect.calls.join('`, `')}\` is awaited`);
    case 'wait':
      return idle('a person is asked and has not answered');
    case 'none':
      return idle('nothing is due');
  }
};
