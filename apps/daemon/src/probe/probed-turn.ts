import {
  evolve,
  initialState,
  probedEvents,
  turnDetail,
  type Artifacts,
  type EventStore,
  type LockstepEvent,
  type TurnEvent,
} from '@lockstep/engine';
import { answerOf, placeOf } from '../turns/answer.ts';
import { hydrate, type Texts } from '../turns/turn-contents.ts';
import type { ProbedTurn } from './probes.port.ts';

interface Parts {
  readonly store: EventStore;
  readonly artifacts: Artifacts;
}

/** A recorded turn of a probe, looked for in the records of every run; null = none holds it. */
export const readProbedTurn = async (parts: Parts, id: string): Promise<ProbedTurn | null> => {
  const found = await eventsOf(parts.store, id);
  if (found === null) return null;
  const { run, events } = found;
  const place = placeOf(id, events);
  if (place === null) return null;
  const texts: Texts = new Map();
  let state = initialState(id);
  for (const event of events) state = evolve(state, await hydrate(event, parts.artifacts, texts));
  const answer = await answerOf(state, place, { artifacts: parts.artifacts, texts, below: null });
  const snapshots = await snapshotsOf(parts.artifacts, events);
  const detail = turnDetail(events, (digest) => snapshots.get(digest) ?? null);
  return detail === null ? null : { run, answer, detail };
};

const eventsOf = async (
  store: EventStore,
  id: string,
): Promise<{ readonly run: string; readonly events: readonly TurnEvent[] } | null> => {
  const events: TurnEvent[] = [];
  let run = '';
  let after: Parameters<EventStore['readAll']>[0]['after'] = 'start';
  for (;;) {
    const page = await store.readAll({ after, limit: 200, filter: { types: ['ProbeRecorded'] } });
    for (const event of page.events) {
      if (event.type !== 'ProbeRecorded') continue;
      const own = probedEvents(event).filter(isOf(id));
      if (own.length > 0) run = event.stream.slice('probe-'.length);
      events.push(...own);
    }
    after = page.next;
    if (page.end) return events.length === 0 ? null : { run, events };
  }
};

const isOf =
  (id: string) =>
  (event: LockstepEvent): event is TurnEvent =>
    event.stream === `turn-${id}`;

const snapshotsOf = async (
  artifacts: Artifacts,
  events: readonly TurnEvent[],
): Promise<ReadonlyMap<string, string>> => {
  const texts = new Map<string, string>();
  for (const { type, data } of events) {
    if (type !== 'PolicyResolved' && type !== 'PolicyNarrowed') continue;
    if (!('artifact' in data.snapshot)) continue;
    const text = await artifacts.get(data.snapshot.artifact);
    if (text !== null) texts.set(data.snapshot.artifact, text);
  }
  return texts;
};
