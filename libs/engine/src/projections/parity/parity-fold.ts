import { isTerminal } from './terminal.ts';
import type { LockstepEvent, TurnEvent } from '../../events/event.ts';
import { characters } from '../../monitors/recorded-turn.ts';
import { setBounded } from './bounded.ts';
import { addJudgement } from './evidence.ts';
import { judgeParity } from './judge-parity.ts';
import { bounds, type ParityState } from './parity-state.ts';

/** Takes one event in. Changes and returns the state it was given; never throws on a recorded event. */
export const foldParity = (state: ParityState, event: LockstepEvent): ParityState => {
  state.position = event.position;
  if (event.stream.startsWith('turn-')) foldTurn(state, event as TurnEvent);
  else foldOther(state, event);
  return state;
};

const foldTurn = (state: ParityState, event: TurnEvent): void => {
  const id = event.stream.slice('turn-'.length);
  const open = state.open.get(id);
  if (open === undefined && !opensTurn(event)) return;
  const turn = open ?? { events: [] };
  if (open === undefined) state.open.set(id, turn);
  turn.events.push(event);
  if (!isTerminal(event)) return;
  state.open.delete(id);
  const judgement = judgeParity(state, turn.events);
  if (judgement !== null) addJudgement(state.lanes, judgement);
  keepTraces(state, id, turn.events);
};

/** What may follow a turn's end (a reply's delivery, a late settlement) opens no turn. */
const opensTurn = ({ type }: TurnEvent): boolean => !mayFollowEnd.has(type);

const mayFollowEnd: ReadonlySet<TurnEvent['type']> = new Set([
  'ReplyDeliveryStarted',
  'ReplyDelivered',
  'ReplyDeliveryFailed',
  'UnknownOutcomeSettled',
  'ApprovalClosed',
  'TurnTakenOver',
  'ToolCallCancelled',
]);

/** What later turns are judged by. */
const keepTraces = (state: ParityState, id: string, events: readonly TurnEvent[]): void => {
  let results = 0;
  for (const { type, data, meta } of events) {
    if (type !== 'ToolCallCompleted') continue;
    results += 1;
    for (const touch of data.touched) {
      if (touch.kind !== 'mcp' || meta.agent === null || meta.session === null) continue;
      if (state.connections.has(touch.connection)) continue;
      const principal =
        meta.principal === null ? '' : `${meta.principal.kind}:${meta.principal.id}`;
      const owner = { agent: meta.agent, session: meta.session, principal };
      setBounded(state.connections, touch.connection, owner, bounds.connections);
    }
  }
  setBounded(state.toolResults, id, results, bounds.toolResults);
};

const foldOther = (state: ParityState, event: LockstepEvent): void => {
  if (event.type === 'ConfigApplied') {
    const { version, digest, content, host } = event.data;
    setBounded(state.configs, version, { version, digest, content, host }, bounds.configs);
  } else if (event.type === 'GrantIssued') {
    const { data } = event;
    setBounded(state.grants, data.grant, { data, revoked: null }, bounds.grants);
  } else if (event.type === 'GrantRevoked') {
    const known = state.grants.get(event.data.grant);
    if (known !== undefined)
      state.grants.set(event.data.grant, { ...known, revoked: event.position });
  } else if (event.type === 'ArtifactRecorded') foldArtifact(state, event.data);
};

/** Of most artifacts the length is enough; of policies and configs the text is kept, put together from its parts. */
const foldArtifact = (
  state: ParityState,
  { digest, part, text }: Extract<LockstepEvent, { type: 'ArtifactRecorded' }>['data'],
): void => {
  const before = part === 0 ? 0 : (state.chars.get(digest) ?? 0);
  setBounded(state.chars, digest, before + characters(text), bounds.chars);
  if (part === 0) {
    if (text.startsWith('{"agent":"') || text.startsWith('{"agents":'))
      setBounded(state.texts, digest, text, bounds.texts);
    return;
  }
  const begun = state.texts.get(digest);
  if (begun !== undefined) state.texts.set(digest, begun + text);
};
