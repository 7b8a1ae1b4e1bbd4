import { isTerminal } from './terminal.ts';
import type { PolicySnapshot } from '@lockstep/policy';
import type { EventOf, LockstepEvent, TurnEvent } from '../../events/event.ts';
import { probedEvents } from '../../events/probed-events.ts';
import { characters } from '../../monitors/recorded-turn.ts';
import { setBounded } from './bounded.ts';
import { addJudgement } from './evidence.ts';
import { judgeParity } from './judge-parity.ts';
import { addSeq } from './agent-seq.ts';
import { figureOf } from './parity-view.ts';
import { bounds, type OpenTurn, type ParityState, type RecordedAt } from './parity-state.ts';
import { addPoint, isDue } from './trend.ts';
import { addUse, parentOf } from './usage.ts';

/** Takes one event in. Changes and returns the state it was given; never throws on a recorded event. */
export const foldParity = (state: ParityState, event: LockstepEvent): ParityState => {
  state.position = event.position;
  addSeq(state.seqs, event);
  if (event.type === 'ProbeRecorded') {
    const { time, position } = event;
    for (const inner of probedEvents(event)) foldOne(state, inner, { time, position });
  } else foldOne(state, event, null);
  return state;
};

/** `recorded`: where a probe's event was recorded; null = it stands in the log itself. */
const foldOne = (state: ParityState, event: LockstepEvent, recorded: RecordedAt | null): void => {
  if (event.stream.startsWith('turn-')) foldTurn(state, event as TurnEvent, recorded);
  else foldOther(state, event);
};

const foldTurn = (state: ParityState, event: TurnEvent, recorded: RecordedAt | null): void => {
  const id = event.stream.slice('turn-'.length);
  const open = state.open.get(id);
  if (open === undefined && !opensTurn(event)) return;
  const turn = open ?? openTurn(state, event);
  if (open === undefined) state.open.set(id, turn);
  turn.recorded = recorded;
  turn.events.push(event);
  const tally = addUse(state.usage, event, (ref) => snapshotIn(state, ref));
  if (tally !== null) turn.tallies.set(event.id, tally);
  if (!isTerminal(event)) return;
  state.open.delete(id);
  const judgement = judgeParity(state, turn);
  if (judgement !== null) addJudgement(state.lanes, judgement);
  keepTraces(state, id, turn.events);
  const { position, time } = recorded ?? event;
  if (judgement !== null && isDue(state.trend, time)) {
    addPoint(state.trend, { position, time, ...figureOf(state) });
  }
};

const openTurn = (state: ParityState, first: TurnEvent): OpenTurn => ({
  events: [],
  parent: parentOf(state.usage, first),
  tallies: new Map(),
  recorded: null,
});

const snapshotIn = (
  state: ParityState,
  ref: EventOf<'PolicyResolved'>['data']['snapshot'],
): PolicySnapshot | null => {
  if ('inline' in ref) return ref.inline;
  const text = state.texts.get(ref.artifact);
  return text === undefined ? null : state.expectations.snapshot(text);
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
  else foldMemory(state, event);
};

const foldMemory = (state: ParityState, event: LockstepEvent): void => {
  if (event.type === 'MemoryStored' || event.type === 'MemoryImported') {
    const { row, agent, person, backend, expires } = event.data;
    const stored = event.time;
    const kept = { agent, person, backend, stored, expires, dropped: null };
    setBounded(state.rows, row, kept, bounds.rows);
  } else if (event.type === 'MemoryForgotten') {
    const known = state.rows.get(event.data.row);
    if (known !== undefined) state.rows.set(event.data.row, { ...known, dropped: event.time });
  }
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
