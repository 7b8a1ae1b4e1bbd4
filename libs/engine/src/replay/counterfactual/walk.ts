import type { PolicySnapshot } from '@lockstep/policy';
import type { LockstepEvent, TurnFact } from '../../events/event.ts';
import type { TurnCommand } from '../../turn/commands.ts';
import type { ToolList } from '../../turn/model-input.ts';
import { activeAt, type OpenTurn, type TurnState } from '../../turn/state.ts';
import { isEnd } from '../check-history.ts';
import type { Engine } from '../engine.ts';
import type { Unfed } from '../fed.ts';
import { asItActed } from '../other-registry.ts';
import { loadTexts, type Past } from '../past.ts';
import { withRecordedChange } from '../recorded-change.ts';
import type { Recording } from '../recording.ts';
import type { CounterfactualAsk } from './ask.ts';
import type { PoliciesUnder } from './policies-under.ts';
import type { CallRecord } from './turn-index.ts';
import { isVerdictFact, type VerdictFact } from './verdicts.ts';

/** A fact that would be recorded, and the place among the recorded events at which it would be. */
export interface NowFact {
  readonly at: number;
  readonly fact: TurnFact;
}

/** What turns of one history share. */
export interface Shared {
  readonly engine: Engine;
  readonly recording: Recording;
  readonly policies: PoliciesUnder;
  readonly past: Past;
  /** Lists of tools as they would be offered. */
  readonly offered: Map<string, ToolList>;
}

/** A turn on its way: as it was recorded, and as it would be. */
export interface Walk extends Shared {
  readonly turn: string;
  readonly ask: CounterfactualAsk;
  readonly events: readonly LockstepEvent[];
  readonly calls: ReadonlyMap<string, CallRecord>;
  /** The policy that was recorded, as it acted. */
  readonly recordedPolicy: PolicySnapshot;
  readonly began: {
    readonly recordedDigest: string;
    readonly nowDigest: string;
    /** Nothing of what a model input is made of differs between the two policies. */
    readonly sentTheSame: boolean;
    /** The two policies as they stand in the two events. */
    readonly written: PolicySnapshot;
    readonly shown: PolicySnapshot;
  };
  /** Place of the next recorded event. */
  at: number;
  /** As recorded so far. */
  then: TurnState;
  /** As it would be. */
  now: TurnState;
  readonly facts: NowFact[];
  readonly verdicts: Map<string, VerdictFact[]>;
  /** Outcomes of calls that would not have started when they came, by call. */
  readonly early: Map<string, LockstepEvent>;
  readonly notes: Set<string>;
  /** Place of the first recorded event that rests on something that the model would not have been told. */
  horizon: number | null;
  /** Why the engine refused the last command; null = it did not. */
  refusal: string | null;
  /** What the recording does not hold, and was needed. */
  unfed: Unfed | null;
}

/** The turn as it would be, while it is open. */
export const openNow = ({ now }: Walk): OpenTurn | null => (now.status === 'open' ? now : null);

/** The recorded turn, while it is open. */
export const openThen = ({ then }: Walk): OpenTurn | null => (then.status === 'open' ? then : null);

/** From here on nothing can be known. */
export const stopHere = (walk: Walk, note: string | null): void => {
  walk.horizon ??= walk.at;
  if (note !== null) walk.notes.add(note);
};

/** Tells the engine something, and folds what follows. The clock is the recorded one: time in which the recorded turn waited for
 * people does not count as work of the other.
 * @param activeMs active time at the command where the recording says it; null = as the times of the events give it
 * @returns false when nothing follows */
export const tell = (walk: Walk, command: TurnCommand, activeMs: number | null = null): boolean => {
  const event = walk.events[walk.at] ?? walk.events.at(-1);
  const state = openNow(walk);
  if (event === undefined || state === null) return false;
  const now = 'now' in command ? command.now : event.time;
  const first = walk.engine.decide(command, clocked(walk, state, { now, activeMs }));
  walk.refusal = first.kind === 'refuse' ? first.refusal.message : null;
  if (first.kind !== 'record') return false;
  const known = endedMs(walk, first.facts);
  const decision =
    known === null
      ? first
      : walk.engine.decide(command, clocked(walk, state, { now, activeMs: known }));
  if (decision.kind !== 'record') return false;
  for (const decided of decision.facts) {
    const fact = asShown(walk, decided);
    walk.facts.push({ at: walk.at, fact });
    if (command.type === 'JudgeCalls' && isVerdictFact(fact)) keepVerdict(walk, fact);
    const { time, meta } = event;
    walk.now = walk.engine.evolve(walk.now, { ...fact, time, meta });
  }
  return true;
};

/** What stood in a file is recorded only in the view that a person was shown. */
const asShown = ({ calls, recording }: Walk, fact: TurnFact): TurnFact => {
  if (fact.type !== 'ApprovalRequested') return fact;
  const asked = calls.get(fact.data.call)?.asked;
  return asked == null
    ? fact
    : withRecordedChange(recording, { type: asked.type, data: asked.data }, fact);
};

const keepVerdict = ({ verdicts }: Walk, fact: VerdictFact): void => {
  const known = verdicts.get(fact.data.call);
  if (known === undefined) verdicts.set(fact.data.call, [fact]);
  else known.push(fact);
};

const clocked = (
  walk: Walk,
  state: OpenTurn,
  { now, activeMs }: { readonly now: number; readonly activeMs: number | null },
): OpenTurn => {
  const then = openThen(walk);
  const known = activeMs ?? (then === null ? null : activeAt(then, now));
  return known === null ? state : { ...state, time: { ...state.time, activeMs: known, last: now } };
};

/** Where both turns end in this append, the recorded end knows the active time to the millisecond. */
const endedMs = ({ events, at }: Walk, facts: readonly TurnFact[]): number | null => {
  const last = facts.at(-1);
  if (last === undefined || !('activeMs' in last.data)) return null;
  const end = events.slice(at, at + facts.length + 1).find(isEnd);
  return end !== undefined && 'activeMs' in end.data ? end.data.activeMs : null;
};

/** Goes on over a recorded event. False = something that it cites is not there. */
export const pass = (walk: Walk, event: LockstepEvent): boolean => {
  const fact = walk.recording.hydrated(event);
  const loaded = fact.ok ? loadTexts(walk.recording, event) : fact;
  if (!fact.ok || !loaded.ok) {
    walk.unfed = fact.ok ? (loaded.ok ? null : loaded) : fact;
    return false;
  }
  walk.then = walk.engine.evolve(walk.then, asItActed(fact.value));
  walk.at += 1;
  return true;
};
