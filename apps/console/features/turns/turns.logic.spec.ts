import { describe, expect, it } from 'vitest';
import type { LockstepEvent } from '@lockstep/engine';
import {
  appendTurns,
  foldTurns,
  matchesTurn,
  mergeTurns,
  splitHeld,
  type ShownRow,
  type TurnPage,
} from './turns.logic.ts';

const at = (n: number): string => String(n).padStart(20, '0');

const row = (id: string, startedAt: number, change: Partial<ShownRow> = {}): ShownRow => ({
  id,
  agent: 'researcher',
  path: 'loop',
  trigger: 'run',
  principal: 'local:local',
  person: null,
  session: 's1',
  parent: null,
  status: 'running',
  startedAt,
  endedAt: null,
  configVersion: 1,
  policyDigest: null,
  input: 'tidy the notes',
  reply: null,
  modelCalls: 0,
  allowed: 0,
  refused: 0,
  asked: 0,
  tokens: 0,
  cost: 0,
  position: at(startedAt),
  pending: [],
  busy: [],
  ...change,
});

const meta: LockstepEvent['meta'] = {
  agent: 'researcher',
  path: 'loop',
  trigger: 'run',
  principal: { kind: 'local', id: 'local', person: null },
  session: 's1',
  turn: 't2',
  root: 't2',
  parent: null,
  chain: [],
  correlation: 't2',
  causation: null,
  attempt: 1,
  epoch: 0,
  agentSeq: 1,
  daemon: 'd1',
  build: 'test',
};

const accepted: LockstepEvent = {
  id: '00000000-0000-7000-8000-000000000001',
  stream: 'session-s1',
  revision: 1,
  position: at(20),
  schema: 1,
  time: 20,
  meta,
  type: 'MessageAccepted',
  data: {
    message: 'm1',
    turn: 't2',
    text: { inline: 'hello' },
    idempotency: null,
  },
};

const cancelled: LockstepEvent = {
  ...accepted,
  stream: 'turn-t1',
  position: at(21),
  time: 21,
  meta: { ...meta, turn: 't1' },
  type: 'TurnCancelled',
  data: { by: 'local', why: 'asked for by a person', activeMs: 3 },
};

describe('given a list with one running turn', () => {
  const page: TurnPage = { items: [row('t1', 10)], next: null };

  it('puts a turn that begins first', () => {
    expect(foldTurns(page, accepted).items.map(({ id, status }) => [id, status])).toEqual([
      ['t2', 'queued'],
      ['t1', 'running'],
    ]);
  });

  it('changes a known turn where it stands', () => {
    expect(foldTurns(page, cancelled).items).toEqual([
      row('t1', 10, { status: 'cancelled', endedAt: 21, position: at(21) }),
    ]);
  });

  it('takes the same event in once', () => {
    const once = foldTurns(page, cancelled);
    expect(foldTurns(once, cancelled)).toBe(once);
  });

  it('leaves the middle of a turn that it does not list alone', () => {
    expect(foldTurns({ items: [], next: null }, cancelled)).toEqual({ items: [], next: null });
  });
});

describe('given a first page and one fetched further down', () => {
  const before: TurnPage = { items: [row('t3', 30), row('t2', 20), row('t1', 10)], next: 'more' };

  it('keeps what was fetched when the first page is read again', () => {
    const read: TurnPage = { items: [row('t4', 40), row('t3', 30)], next: 'first' };
    expect(mergeTurns(before, read)).toEqual({
      items: [row('t4', 40), row('t3', 30), row('t2', 20), row('t1', 10)],
      next: 'more',
    });
  });

  it('drops it when the new reading is the whole list', () => {
    const read: TurnPage = { items: [row('t4', 40)], next: null };
    expect(mergeTurns(before, read)).toEqual(read);
  });

  it('adds an older page without repeating rows', () => {
    expect(appendTurns(before, { items: [row('t1', 10), row('t0', 5)], next: null })).toEqual({
      items: [row('t3', 30), row('t2', 20), row('t1', 10), row('t0', 5)],
      next: null,
    });
  });
});

describe('given a list that a person points at', () => {
  it('holds new rows back and says how many', () => {
    const rows = [row('t3', 30), row('t2', 20), row('t1', 10)];
    expect(splitHeld(rows, new Set(['t2', 't1']))).toEqual({
      drawn: [row('t2', 20), row('t1', 10)],
      held: 1,
    });
  });

  it('draws all rows once nobody points at it', () => {
    expect(splitHeld([row('t1', 10)], null)).toEqual({ drawn: [row('t1', 10)], held: 0 });
  });
});

it('joins filters by and', () => {
  const filter = { agent: 'researcher', path: 'loop', status: 'waiting' };
  expect([
    matchesTurn(row('t1', 1), filter),
    matchesTurn(row('t1', 1, { status: 'waiting' }), filter),
  ]).toEqual([false, true]);
});
