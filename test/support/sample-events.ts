import type { Fact, Ids, NewEvent, NewMeta } from '@lockstep/engine';

/** Meta of an event that belongs to one agent, or to none. */
export const sampleMeta = (agent: string | null, place: Partial<NewMeta> = {}): NewMeta => ({
  agent,
  path: null,
  trigger: null,
  principal: null,
  session: null,
  turn: null,
  root: null,
  parent: null,
  chain: [],
  correlation: 'sample',
  causation: null,
  attempt: 1,
  daemon: 'd1',
  build: 'test',
  ...place,
});

/** A fact as a command brings it to the store. */
export const newEvent = (ids: Ids, fact: Fact, meta: NewMeta = sampleMeta(null)): NewEvent => ({
  ...fact,
  id: ids.next(),
  schema: 1,
  meta,
});

/** A small event of an agent that changes nothing but the log. */
export const steered = (ids: Ids, agent: string, text: string): NewEvent =>
  newEvent(
    ids,
    { type: 'TurnSteered', data: { text: { inline: text }, by: 'token:t1' } },
    sampleMeta(agent),
  );
