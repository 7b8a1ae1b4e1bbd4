import { digestOf } from '@lockstep/policy';
import type { LockstepEvent, TurnFact } from '../events/event.ts';
import type { Decision } from '../turn/decision.ts';
import { initialState, type TurnState } from '../turn/state.ts';
import { checkOrder, checkTurn, isEnd } from './check-history.ts';
import { differences } from './compare.ts';
import type { Cursor, Next } from './cursor.ts';
import { thisBuild, type Engine } from './engine.ts';
import { fed, type Fed, type Unfed } from './fed.ts';
import { nextCommand } from './next-command.ts';
import { loadTexts, pastOf } from './past.ts';
import {
  asItActed,
  derivedAnew,
  asRecordedThen,
  notesOf,
  settledByOther,
} from './other-registry.ts';
import { policiesOf } from './policies.ts';
import { recordingOf } from './recording.ts';
import type { EventRef, FieldDifference, HistoryProblem, ReplayReport } from './report.ts';
import { withRecordedChange } from './recorded-change.ts';

/** What is replayed: one turn, with everything that its events cite, in log order. */
export interface ReplayHistory {
  readonly turn: string;
  readonly events: readonly LockstepEvent[];
  /** `required` = a turn that has not ended is a history that was cut; `open` = it may still run. */
  readonly end: 'required' | 'open';
}

/** Replays turns of one history. What they share is worked out once. */
export interface Replayer {
  /** Ids of the turns that the history holds, in the order in which they began. */
  readonly turns: readonly string[];
  replay(turn: string, end: ReplayHistory['end']): ReplayReport;
}

/** Makes the events of a recorded turn again and compares. Pure: model, tools, people, timers and clock are what the history says, and
 * nothing is performed. */
export const replayTurn = (history: ReplayHistory, engine: Engine = thisBuild): ReplayReport =>
  replayer(history.events, engine).replay(history.turn, history.end);

/** A replayer over a history of one or many turns. */
export const replayer = (
  events: readonly LockstepEvent[],
  engine: Engine = thisBuild,
): Replayer => {
  const recording = recordingOf(events);
  const policies = policiesOf(engine);
  const past = pastOf(recording, engine);
  const disorder = checkOrder(events);
  return {
    turns: recording.turns,
    replay: (turn, end) => {
      const problems = [...disorder, ...checkTurn(recording, turn, end)];
      if (problems.length > 0) return { outcome: 'refused', turn, problems };
      const recorded = recording.stream(`turn-${turn}`);
      return run({
        engine,
        recording,
        policies,
        past,
        turn,
        events: recorded,
        at: 0,
        state: initialState(turn),
        daemon: recorded[0]?.meta.daemon ?? '',
        recovery: [],
        seenConfig: 0,
        otherRegistry: null,
      });
    },
  };
};

const run = (cursor: Cursor): ReplayReport => {
  for (;;) {
    const event = cursor.events[cursor.at];
    if (event === undefined) return same(cursor);
    const stop = isOthers(event) ? take(cursor, event) : step(cursor, event);
    if (stop !== null) return stop;
  }
};

/** What others record in the stream of a turn: no decision of the engine. */
const others: ReadonlySet<string> = new Set([
  'ChildTurnLinked',
  'TurnTakenOver',
  'ReplyDeliveryStarted',
  'ReplyDelivered',
  'ReplyDeliveryFailed',
]);

const isOthers = (event: LockstepEvent): boolean => others.has(event.type);

const step = (cursor: Cursor, event: LockstepEvent): ReplayReport | null => {
  const settled = settledByOther(cursor, event);
  if (settled > 0) return takeSettled(cursor, settled);
  if (event.meta.daemon !== cursor.daemon) {
    cursor.daemon = event.meta.daemon;
    cursor.recovery = cursor.engine.recoverySteps(cursor.state);
  }
  const next = nextCommand(cursor, event);
  if (next.kind === 'unfed') return unfedReport(cursor, next.unfed);
  if (next.kind === 'idle') return diverged(cursor, null, [], next.why);
  const decision = decideAt(cursor, next);
  switch (decision.kind) {
    case 'nothing':
      return diverged(cursor, null, [], `nothing follows from ${next.command.type}`);
    case 'refuse':
      return diverged(
        cursor,
        null,
        [],
        `${next.command.type} is refused: ${decision.refusal.message}`,
      );
    case 'record':
      return takeAll(cursor, asRecordedThen(cursor, decision.facts));
  }
};

/** Goes on over recorded events that are not made again, if they are what was recorded. */
const takeSettled = (cursor: Cursor, count: number): ReplayReport | null => {
  for (const event of cursor.events.slice(cursor.at, cursor.at + count)) {
    const edited = editedPolicy(cursor, event);
    if (edited.length > 0) return { outcome: 'refused', turn: cursor.turn, problems: edited };
    const cited = citedBy(cursor, event);
    if (!cited.ok) return unfedReport(cursor, cited);
    const derived = derivedAnew(cursor, event);
    if (derived !== null) {
      const fields = differences({ type: event.type, data: event.data } as TurnFact, derived);
      if (fields.length > 0) return diverged(cursor, derived, fields, whatDiffers(fields));
    }
    const stop = take(cursor, event);
    if (stop !== null) return stop;
  }
  return null;
};

/** What a request cites must be there, though nothing is derived from it. */
const citedBy = ({ recording }: Cursor, event: LockstepEvent): Fed<unknown> => {
  if (event.type !== 'TurnRequested') return fed(null);
  const config = recording.config(event.data.config);
  return config.ok ? recording.textOf(event.data.input) : config;
};

type Told = Extract<Next, { kind: 'command' }>;

/** Decides with the clock as it stood then. Where the decision ends the turn, its active time is known to the millisecond. */
const decideAt = (cursor: Cursor, { command, activeMs }: Told): Decision => {
  const now = 'now' in command ? command.now : 0;
  const decision = cursor.engine.decide(command, clocked(cursor.state, now, activeMs));
  if (decision.kind !== 'record') return decision;
  const last = cursor.events[cursor.at + decision.facts.length - 1];
  if (last === undefined || !isEnd(last) || !('activeMs' in last.data)) return decision;
  return cursor.engine.decide(command, clocked(cursor.state, now, last.data.activeMs));
};

const clocked = (state: TurnState, now: number, activeMs: number | null): TurnState =>
  activeMs === null || state.status !== 'open'
    ? state
    : { ...state, time: { ...state.time, activeMs, last: now } };

const takeAll = (cursor: Cursor, facts: readonly TurnFact[]): ReplayReport | null => {
  for (const fact of facts) {
    const event = cursor.events[cursor.at];
    if (event === undefined)
      return diverged(cursor, fact, [], `the replay records ${fact.type} after the last event`);
    const recorded: TurnFact = { type: event.type, data: event.data } as TurnFact;
    const replayed = withRecordedChange(cursor.recording, recorded, fact);
    const fields = differences(recorded, replayed);
    if (fields.length > 0) {
      const edited = editedPolicy(cursor, event);
      if (edited.length > 0) return { outcome: 'refused', turn: cursor.turn, problems: edited };
      return diverged(cursor, replayed, fields, whatDiffers(fields));
    }
    const stop = take(cursor, event);
    if (stop !== null) return stop;
  }
  return null;
};

const whatDiffers = (fields: readonly FieldDifference[]): string =>
  fields.length === 1 ? 'one field differs' : `${fields.length} fields differ`;

/** Goes on over a recorded event. The state is folded from what was recorded, which is what was made again. */
const take = (cursor: Cursor, event: LockstepEvent): ReplayReport | null => {
  const fact = cursor.recording.hydrated(event);
  if (!fact.ok) return unfedReport(cursor, fact);
  const loaded = loadTexts(cursor.recording, event);
  if (!loaded.ok) return unfedReport(cursor, loaded);
  cursor.state = cursor.engine.evolve(cursor.state, asItActed(fact.value));
  cursor.at += 1;
  return null;
};

/** A policy that does not have its own digest was not resolved otherwise: it was edited. */
const editedPolicy = (cursor: Cursor, event: LockstepEvent): readonly HistoryProblem[] => {
  if (event.type !== 'PolicyResolved' && event.type !== 'PolicyNarrowed') return [];
  const where = `${event.stream}@${event.revision}`;
  const fact = cursor.recording.hydrated(event);
  if (!fact.ok) return 'damaged' in fact ? [fact.damaged] : [];
  if (fact.value.type !== 'PolicyResolved' && fact.value.type !== 'PolicyNarrowed') return [];
  const { snapshot, digest } = fact.value.data;
  if (!('inline' in snapshot)) return [];
  const actual = digestOf(snapshot.inline);
  if (actual === digest) return [];
  return [
    {
      where,
      message: `the snapshot has digest \`${actual}\` and not \`${digest}\`: it was edited`,
    },
  ];
};

const same = (cursor: Cursor): ReplayReport => ({
  ...notesOf(cursor),
  outcome: 'same',
  turn: cursor.turn,
  events: cursor.at,
  ended: cursor.state.status === 'ended',
});

const diverged = (
  cursor: Cursor,
  replayed: TurnFact | null,
  fields: readonly FieldDifference[],
  why: string,
): ReplayReport => {
  const event = cursor.events[cursor.at];
  return {
    ...notesOf(cursor),
    outcome: 'diverged',
    turn: cursor.turn,
    events: cursor.at,
    at: event === undefined ? null : refOf(event),
    recorded: event === undefined ? null : ({ type: event.type, data: event.data } as TurnFact),
    replayed,
    fields,
    why,
  };
};

const unfedReport = (cursor: Cursor, unfed: Unfed): ReplayReport => {
  if ('damaged' in unfed)
    return { outcome: 'refused', turn: cursor.turn, problems: [unfed.damaged] };
  const event = cursor.events[cursor.at];
  return {
    ...notesOf(cursor),
    outcome: 'stopped',
    turn: cursor.turn,
    events: cursor.at,
    at: event === undefined ? null : refOf(event),
    missing: unfed.missing,
  };
};

const refOf = ({ revision, id, type, time, position }: LockstepEvent): EventRef => ({
  revision,
  id,
  type,
  time,
  position,
});
