import { describe, expect, it } from 'vitest';
import { eventTypes, familyOf, isEventType, parseEvent, payloadsByFamily } from './event.ts';

const meta = {
  agent: 'ada',
  path: 'gateway',
  trigger: 'rest',
  principal: { kind: 'token', id: 'token:ana', person: 'ana' },
  session: 'session-ada-1',
  turn: 'turn-1',
  root: 'turn-1',
  parent: null,
  chain: [],
  correlation: 'turn-1',
  causation: null,
  attempt: 1,
  epoch: 0,
  agentSeq: 7,
  daemon: 'daemon-1',
  build: '0.1.0',
};
const event = {
  id: '01890a5d-ac96-774b-bcce-b302099a8057',
  stream: 'turn-1',
  revision: 0,
  position: '00000000000000000042',
  schema: 1,
  time: 1_700_000_000_000,
  type: 'CancelRequested',
  data: { by: 'token:ana', why: 'no longer needed' },
  meta,
};

const places = (record: unknown): readonly string[] => {
  const read = parseEvent(record);
  return read.ok ? [] : read.problems.map((problem) => problem.where);
};

describe('given a record', () => {
  it('reads an event as it was written', () => {
    expect(parseEvent(event)).toEqual({ ok: true, event });
  });

  it('reads it again after a way through JSON', () => {
    expect(parseEvent(JSON.parse(JSON.stringify(event)))).toEqual({ ok: true, event });
  });

  it.each<[string, unknown, readonly string[]]>([
    ['an unknown type', { ...event, type: 'Cancelled' }, ['type']],
    ['a type that every object inherits', { ...event, type: 'constructor' }, ['type']],
    ['no type', {}, ['type']],
    ['null', null, ['type']],
    ['text', 'CancelRequested', ['type']],
    ['an unknown key', { ...event, extra: 1 }, ['']],
    ['an unknown key in the data', { ...event, data: { ...event.data, extra: 1 } }, ['data']],
    ['a missing key in the data', { ...event, data: { by: 'token:ana' } }, ['data.why']],
    ['an id that is no UUID', { ...event, id: 'x' }, ['id']],
    ['a short position', { ...event, position: '42' }, ['position']],
    ['a negative revision', { ...event, revision: -1 }, ['revision']],
    ['a time with a fraction', { ...event, time: 1.5 }, ['time']],
    ['an unknown key in the meta', { ...event, meta: { ...meta, extra: 1 } }, ['meta']],
    ['an agentSeq of zero', { ...event, meta: { ...meta, agentSeq: 0 } }, ['meta.agentSeq']],
    ['a path that does not exist', { ...event, meta: { ...meta, path: 'cli' } }, ['meta.path']],
  ])('does not repair %s', (_what, record, where) => {
    expect(places(record)).toEqual(where);
  });

  it('names an unknown type', () => {
    const read = parseEvent({ ...event, type: 'Nope' });
    expect(read).toEqual({
      ok: false,
      problems: [{ where: 'type', message: 'unknown event type `Nope`' }],
    });
  });
});

describe('given all event types', () => {
  it('belongs each to one family', () => {
    const all = Object.values(payloadsByFamily).flatMap((family) => Object.keys(family));
    expect(new Set(all).size).toBe(all.length);
    expect(all.toSorted()).toEqual(eventTypes.toSorted());
  });

  it('knows its own names and no inherited ones', () => {
    expect(eventTypes.every(isEventType)).toBe(true);
    expect(['toString', '__proto__', 'hasOwnProperty'].some(isEventType)).toBe(false);
  });

  it('accepts no data of another type', () => {
    // Each schema is strict, so an object of a key that no type has fits none.
    for (const type of eventTypes)
      expect(places({ ...event, type, data: { nobodys: 1 } })).not.toEqual([]);
  });
});

it.each([
  ['config', 'config'],
  ['access', 'access'],
  ['daemon', 'daemon'],
  ['session-ada-1', 'session'],
  ['turn-1', 'turn'],
  ['agent-ada', 'agent'],
  ['artifact-abc', 'artifact'],
  ['config-1', null],
  ['turn', null],
  ['', null],
])('finds that the stream %j belongs to %s', (stream, family) => {
  expect(familyOf(stream)).toBe(family);
});
