import {
  textFrom,
  type Artifacts,
  type EventOf,
  type LockstepEvent,
  type OpenTurn,
  type TurnAnswer,
  type TurnState,
} from '@lockstep/engine';
import type { PathName } from '@lockstep/policy';
import { askedBy } from './families.ts';
import { loadReply, type Texts } from './turn-contents.ts';

/** Where a turn belongs, as its first event's meta says. */
export interface TurnPlace {
  readonly turn: string;
  readonly session: string;
  readonly agent: string;
  readonly path: PathName;
  readonly position: string;
}

/** What is known of the turns below a turn. */
export interface Below {
  /** The turn and all that it waits for wait for people. */
  readonly isWaiting: boolean;
  /** Approvals and questions of the turns below it. */
  readonly approvals: readonly string[];
}

/** What a caller gets of a turn as it stands. */
export const answerOf = async (
  state: TurnState,
  place: TurnPlace,
  from: { readonly artifacts: Artifacts; readonly texts: Texts; readonly below: Below | null },
): Promise<TurnAnswer> => {
  await loadReply(state, from.artifacts, from.texts);
  const open = openOf(state);
  const { turn, session, agent, path, position } = place;
  return {
    id: turn,
    status: statusOf(state, from.below),
    session,
    agent,
    path,
    reply:
      state.status === 'ended' && state.reply !== null ? textFrom(from.texts)(state.reply) : null,
    reason: state.status === 'ended' ? state.reason : null,
    usage: usageOf(open),
    approvals: state.status === 'open' ? [...askedBy(state), ...(from.below?.approvals ?? [])] : [],
    position,
  };
};

/** The place of a recorded turn, from its events; null when there are none. */
export const placeOf = (turn: string, events: readonly LockstepEvent[]): TurnPlace | null => {
  const [first] = events;
  const last = events.at(-1);
  if (first?.type !== 'TurnRequested' || last === undefined) return null;
  const { request, path } = first.data;
  return { turn, session: request.session, agent: request.agent, path, position: last.position };
};

/** The answer of a turn whose message was accepted and that has not begun. */
export const queuedAnswer = (place: TurnPlace): TurnAnswer => ({
  id: place.turn,
  status: 'queued',
  session: place.session,
  agent: place.agent,
  path: place.path,
  reply: null,
  reason: null,
  usage: usageOf(null),
  approvals: [],
  position: place.position,
});

/** The answer of a turn whose message was taken back before it began. */
export const droppedAnswer = (
  turn: string,
  event: EventOf<'MessageDropped'>,
): TurnAnswer | null => {
  const { session, agent, path } = event.meta;
  if (session === null || agent === null || path === null) return null;
  const place = { turn, session, agent, path, position: event.position };
  return { ...queuedAnswer(place), status: 'cancelled', reason: event.data.why };
};

const openOf = (state: TurnState): OpenTurn | null => {
  if (state.status === 'open') return state;
  return state.status === 'ended' ? state.before : null;
};

const statusOf = (state: TurnState, below: Below | null): TurnAnswer['status'] => {
  switch (state.status) {
    case 'none':
    case 'requested':
      return 'queued';
    case 'open':
      return below?.isWaiting === true ? 'waiting' : 'running';
    case 'ended':
      return state.end;
  }
};

const usageOf = (open: OpenTurn | null): TurnAnswer['usage'] => ({
  inputTokens: open?.totals.usage.inputTokens ?? 0,
  outputTokens: open?.totals.usage.outputTokens ?? 0,
  tokens: open?.totals.tokens ?? 0,
  cost: open?.totals.cost ?? 0,
  modelCalls: open?.totals.modelCalls ?? 0,
  toolCalls: open?.totals.toolCalls ?? 0,
});
