import { samplePolicy } from '@lockstep/engine/testing';
import { describe, expect, it } from 'vitest';
import { eventOfRow, readRow, type EventRow } from './event-row.ts';

const meta = JSON.stringify({
  agent: 'ada',
  path: 'loop',
  trigger: 'run',
  principal: null,
  session: null,
  turn: 't-1',
  root: 't-1',
  parent: null,
  chain: [],
  correlation: 't-1',
  causation: null,
  attempt: 1,
  daemon: 'd-1',
  build: 'test',
});

const row = (change: Partial<EventRow> = {}): EventRow => ({
  position: 7,
  id: '01890000-0000-7000-8000-000000000007',
  stream: 'turn-t-1',
  revision: 3,
  type: 'TurnSteered',
  schema: 1,
  time: 1_800_000_000_000,
  agent: 'ada',
  agent_seq: 5,
  epoch: 0,
  data: '{"text":{"inline":"hurry"},"by":"token:t1"}',
  meta,
  ...change,
});

const surfaces =
  'tools approval budgets context memory skills workspace shell network mcp delegation channels secrets output';
const policyText = JSON.stringify({
  config: { version: 1, digest: 'c'.repeat(64) },
  registry: 1,
  snapshot: { inline: samplePolicy() },
  digest: 'd'.repeat(64),
  surfaces: Object.fromEntries(surfaces.split(' ').map((key) => [key, 'e'.repeat(64)])),
  provenance: [],
  narrowings: [],
});

describe('a row of the log', () => {
  it('is the event that was written, with the stamps of its columns', () => {
    expect(eventOfRow(row())).toEqual({
      id: '01890000-0000-7000-8000-000000000007',
      stream: 'turn-t-1',
      revision: 3,
      position: '00000000000000000007',
      type: 'TurnSteered',
      schema: 1,
      time: 1_800_000_000_000,
      data: { text: { inline: 'hurry' }, by: 'token:t1' },
      meta: { ...(JSON.parse(meta) as object), epoch: 0, agentSeq: 5 },
    });
  });

  it('has stamps of its own where its meta is the text of another row', () => {
    eventOfRow(row());
    const { meta: read } = eventOfRow(row({ position: 8, revision: 4, agent_seq: 6, epoch: 2 }));
    expect(read).toEqual({ ...(JSON.parse(meta) as object), epoch: 2, agentSeq: 6 });
  });

  it('is refused for wrong stamps and wrong data, also where its meta was read before', () => {
    eventOfRow(row());
    expect(readRow(row({ agent_seq: 0 })).ok).toBe(false);
    expect(readRow(row({ epoch: -1 })).ok).toBe(false);
    expect(readRow(row({ data: '{"text":{"inline":"hurry"}}' })).ok).toBe(false);
    expect(readRow(row({ data: '{"text"' })).ok).toBe(false);
    expect(readRow(row({ id: 'no uuid' })).ok).toBe(false);
  });

  it('is refused for wrong meta however often it is read', () => {
    const wrong = row({ meta: '{"agent":"ada"}' });
    expect([readRow(wrong).ok, readRow(wrong).ok]).toEqual([false, false]);
  });

  it('shares the object of an equal policy, and takes it for no other type of event', () => {
    const first = row({ type: 'PolicyResolved', data: policyText });
    const again = { ...first, position: 9, id: '01890000-0000-7000-8000-000000000009' };
    expect(eventOfRow(again).data).toBe(eventOfRow(first).data);
    expect(readRow({ ...first, type: 'PolicyNarrowed' }).ok).toBe(false);
  });
});
