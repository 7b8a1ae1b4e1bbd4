import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { LockstepEvent } from '../events/event.ts';
import { positionOf } from '../log/stamp.ts';
import { foldLedger, sessionTurns } from './fold-ledger.ts';
import { ledgerOf } from './ledger-of.ts';
import {
  emptyLedger,
  keepChanges,
  letGo,
  pagedTables,
  takeChanges,
  type LedgerState,
  type StoredRows,
} from './ledger-state.ts';

const owner = { kind: 'token', id: 't1', person: null };
const session = (n: number): string => `session-ada-${n}`;

/** Events of sessions, as the writer folds them. */
class Log {
  #position = 0;
  readonly events: LockstepEvent[] = [];

  add(n: number, stream: string, type: string, data: object): void {
    this.#position += 1;
    const turn = stream.startsWith('turn-') ? stream.slice(5) : null;
    this.events.push({
      ...{ id: `id-${this.#position}`, stream, type, data, schema: 1, time: this.#position },
      ...{ revision: this.#position, position: positionOf(this.#position) },
      meta: { agent: 'ada', session: session(n), turn, parent: null, chain: [], principal: owner },
    } as unknown as LockstepEvent);
  }

  open(n: number): void {
    this.add(n, session(n), 'SessionOpened', { agent: 'ada', owner });
  }
  accept(n: number, message: string, keyed: boolean): void {
    const idempotency = keyed ? { key: 'k', body: 'b' } : null;
    const data = { message, turn: `of-${n}-${message}`, text: { inline: 'x' }, idempotency };
    this.add(n, session(n), 'MessageAccepted', data);
  }
  turn(n: number, turn: string): void {
    const request = {
      agent: 'ada',
      principal: owner,
      session: session(n),
      origin: { kind: 'run' },
    };
    this.add(n, `turn-${turn}`, 'TurnRequested', { request, records: {} });
    this.add(n, `turn-${turn}`, 'TurnCancelled', { by: 'x', why: 'y', activeMs: 0 });
  }
}

/** The checkpoint, as the log's own file keeps it. */
const disk = () => {
  const rows = new Map<string, { table: string; key: string; json: string }>();
  const stored: StoredRows = {
    get: (table, key) => rows.get(`${table} ${key}`)?.json ?? null,
    all: (table) => [...rows.values()].filter((row) => row.table === table),
  };
  /** Writes what changed, or fails to. */
  const checkpoint = (state: LedgerState, ok: boolean, atHand: number): void => {
    const changes = takeChanges(state);
    if (!ok) {
      keepChanges(state, changes);
      return;
    }
    for (const { table, key, json } of changes) {
      rows.delete(`${table} ${key}`);
      if (json !== null) rows.set(`${table} ${key}`, { table, key, json });
    }
    letGo(state, stored, atHand);
  };
  return { checkpoint };
};

const sizes = ({ rows }: LedgerState): Readonly<Record<string, number>> =>
  Object.fromEntries(Object.entries(rows).map(([table, { size }]) => [table, size]));

describe('given far more sessions than are kept at hand', () => {
  it('holds a bounded number of rows, however many turns there were, and knows each session and key', () => {
    const state = emptyLedger();
    const { checkpoint } = disk();
    const seen: number[] = [];
    for (let n = 0; n < 3_000; n += 1) {
      const log = new Log();
      log.open(n);
      log.accept(n, `m${n}`, true);
      log.turn(n, `of-${n}-m${n}`);
      for (const event of log.events) foldLedger(state, event);
      if (n % 100 === 99) {
        checkpoint(state, true, 50);
        seen.push(Object.values(sizes(state)).reduce((sum, size) => sum + size, 0));
      }
    }
    expect(new Set(seen)).toEqual(new Set([50 * pagedTables.length]));
    expect([state.touched.size, state.gone.size]).toEqual([0, 0]);
    const ledger = ledgerOf(state);
    expect(ledger.sessions().length).toBe(3_000);
    expect(ledger.session(session(0))?.turns).toEqual(['of-0-m0']);
    expect(ledger.message(session(1), 'm1')?.turn).toBe('of-1-m1');
    expect(ledger.sessionOfKey('m2')).toBe(session(2));
  });

  it('knows of one session no more than its last turns', () => {
    const state = emptyLedger();
    const log = new Log();
    log.open(0);
    for (let n = 0; n < sessionTurns + 5; n += 1) log.turn(0, `t${n}`);
    for (const event of log.events) foldLedger(state, event);
    const turns = ledgerOf(state).session(session(0))?.turns ?? [];
    expect([turns.length, turns[0]]).toEqual([sessionTurns, 't5']);
  });

  it('answers as if all were at hand, wherever checkpoints fall and fail', () => {
    const few = fc.integer({ min: 0, max: 3 });
    const step = fc.oneof(
      fc.record({ kind: fc.constant('open' as const), n: few }),
      fc.record({ kind: fc.constant('accept' as const), n: few, m: few, keyed: fc.boolean() }),
      fc.record({ kind: fc.constant('turn' as const), n: few, m: few }),
      fc.record({ kind: fc.constant('close' as const), n: few }),
      fc.record({
        kind: fc.constant('save' as const),
        ok: fc.boolean(),
        atHand: fc.integer({ min: 0, max: 2 }),
      }),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        const [whole, paged] = [emptyLedger(), emptyLedger()];
        const { checkpoint } = disk();
        const log = new Log();
        for (const one of steps) {
          if (one.kind === 'save') {
            checkpoint(paged, one.ok, one.atHand);
            continue;
          }
          if (one.kind === 'open') log.open(one.n);
          else if (one.kind === 'accept') log.accept(one.n, `m${one.m}`, one.keyed);
          else if (one.kind === 'turn') log.turn(one.n, `of-${one.n}-m${one.m}`);
          else log.add(one.n, session(one.n), 'SessionClosed', { by: 'x', why: 'y' });
          for (const event of log.events.splice(0)) {
            foldLedger(whole, event);
            foldLedger(paged, event);
          }
        }
        expect(answers(paged)).toEqual(answers(whole));
      }),
    );
  });

  const answers = (state: LedgerState) => {
    const ledger = ledgerOf(state);
    const numbers = [0, 1, 2, 3];
    return {
      sessions: ledger.sessions(),
      each: numbers.map((n) => ledger.session(session(n))),
      messages: numbers.flatMap((n) => numbers.map((m) => ledger.message(session(n), `m${m}`))),
      keys: numbers.map((m) => ledger.sessionOfKey(`m${m}`)),
    };
  };
});
