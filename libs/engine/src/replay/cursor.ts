import type { LockstepEvent } from '../events/event.ts';
import type { TurnCommand } from '../turn/commands.ts';
import type { RecoveryStep } from '../turn/recover.ts';
import type { OpenTurn, TurnState } from '../turn/state.ts';
import type { Engine } from './engine.ts';
import type { Fed, Unfed } from './fed.ts';
import type { Past } from './past.ts';
import type { Policies } from './policies.ts';
import type { Recording } from './recording.ts';

/** Where a replay stands: what was made again so far, and which recorded event comes next. */
export interface Cursor {
  readonly engine: Engine;
  readonly recording: Recording;
  readonly policies: Policies;
  readonly past: Past;
  readonly turn: string;
  /** The turn's recorded events. */
  readonly events: readonly LockstepEvent[];
  /** Index of the next recorded event. */
  at: number;
  state: TurnState;
  /** The run of a daemon that recorded the last event. */
  daemon: string;
  /** What a restart still has to do before the turn goes on. */
  recovery: readonly RecoveryStep[];
  /** Newest config version that was met with the turn's policy. */
  seenConfig: number;
  /** The registry of settings that the turn's policy was resolved by, when it is not this build's. */
  otherRegistry: number | null;
}

/** What the engine is told next. */
export type Next =
  | {
      readonly kind: 'command';
      readonly command: TurnCommand;
      /** Active time at the command in ms, where the recording says it; null = as the times of the events give it. */
      readonly activeMs: number | null;
    }
  | { readonly kind: 'unfed'; readonly unfed: Unfed }
  /** Nothing that records an event is due. */
  | { readonly kind: 'idle'; readonly why: string };

/** A command for the engine. */
export const command = (told: TurnCommand, activeMs: number | null = null): Next => ({
  kind: 'command',
  command: told,
  activeMs,
});

/** The replay cannot go on: this was not recorded. */
export const unfed = (what: Unfed): Next => ({ kind: 'unfed', unfed: what });

/** Nothing is due here. */
export const idle = (why: string): Next => ({ kind: 'idle', why });

/** Goes on with a value that the recording gives, or stops for want of it. */
export const withFed = <T>(value: Fed<T>, go: (value: T) => Next): Next =>
  value.ok ? go(value.value) : unfed(value);

/** The open turn, or nothing due where there is none. */
export const inOpenTurn = (cursor: Cursor, go: (state: OpenTurn) => Next): Next =>
  cursor.state.status === 'open' ? go(cursor.state) : idle(`the turn is ${cursor.state.status}`);

/** All of them, or the first that is not there. */
export const allFed = <T>(values: readonly Fed<T>[]): Fed<readonly T[]> => {
  const out: T[] = [];
  for (const value of values) {
    if (!value.ok) return value;
    out.push(value.value);
  }
  return { ok: true, value: out };
};

/** The first of the next events that is of this type, looking no further than the types that may stand between. */
export const findAhead = <T extends LockstepEvent['type']>(
  { events, at }: Pick<Cursor, 'events' | 'at'>,
  type: T,
  between: ReadonlySet<LockstepEvent['type']>,
): Extract<LockstepEvent, { type: T }> | null => {
  for (let i = at; i < events.length; i += 1) {
    const event = events[i];
    if (event === undefined) return null;
    if (event.type === type) return event as Extract<LockstepEvent, { type: T }>;
    if (!between.has(event.type)) return null;
  }
  return null;
};
