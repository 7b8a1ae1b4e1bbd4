import { describe, expect, it } from 'vitest';
import type { LockstepEvent, TurnFact } from '../events/event.ts';
import { positionOf } from '../log/stamp.ts';
import { foldLedger } from './fold-ledger.ts';
import { ledgerOf } from './ledger-of.ts';
import { emptyLedger, freezeLedger, thawLedger, type LedgerState } from './ledger-state.ts';

const hour = 3_600_000;
const day = 86_400_000;
const noon = 20_000 * day + day / 2;

/** A log that is folded as it is written. */
class Log {
  state: LedgerState = emptyLedger();
  #position = 0;

  add(turn: string, fact: TurnFact, time: number, parent: string | null = null): this {
    this.#position += 1;
    const event = {
      ...fact,
      id: `id-${this.#position}`,
      stream: `turn-${turn}`,
      revision: this.#position,
      position: positionOf(this.#position),
      schema: 1,
      time,
      meta: { agent: 'ada', turn, parent, session: null, chain: [] },
    };
    foldLedger(this.state, event as unknown as LockstepEvent);
    return this;
  }

  begin(
    turn: string,
    parent: string | null = null,
    principal = ana,
    origin: object = { kind: 'run' },
  ): this {
    const request = {
      agent: 'ada',
      principal,
      session: 's',
      origin,
      client: 'none',
    };
    return this.add(
      turn,
      { type: 'TurnRequested', data: { request, records: {} } } as never,
      noon,
      parent,
    );
  }

  /** A config in which one key changed. */
  applied(
    version: number,
    path: string,
    { by, person }: { readonly by: string; readonly person: string | null },
  ): this {
    const event = {
      type: 'ConfigApplied',
      time: noon,
      meta: { principal: { kind: 'token', id: by, person } },
      data: { version, by, diff: [{ path, before: null, after: '1' }] },
    };
    foldLedger(this.state, event as unknown as LockstepEvent);
    return this;
  }

  tool(turn: string, time: number, attempt = 1): this {
    return this.add(turn, { type: 'ToolCallStarted', data: { attempt } } as never, time);
  }

  model(turn: string, time: number, reserved: { tokens: number; cost: number | 'unknown' }): this {
    return this.add(turn, { type: 'ModelCallStarted', data: { reserved } } as never, time);
  }

  settle(turn: string, time: number, settled: { tokens: number; cost: number | 'unknown' }): this {
    return this.add(turn, { type: 'ModelCallCompleted', data: { settled } } as never, time);
  }

  end(turn: string): this {
    return this.add(turn, { type: 'TurnCancelled', data: { activeMs: 40 } } as never, noon);
  }

  get ledger() {
    return ledgerOf(this.state);
  }
}
const ana = { kind: 'token', id: 't1', person: 'ana' as string | null };

describe('given tool calls of an agent', () => {
  it('counts those less than an hour back, a second that begins to leave as a whole', () => {
    const { ledger } = new Log()
      .begin('t')
      .tool('t', noon)
      .tool('t', noon + 999)
      .tool('t', noon + 1_000);
    expect(ledger.windows('ada', noon + hour - 1).actions).toBe(3);
    expect(ledger.windows('ada', noon + hour + 999).actions).toBe(3);
    expect(ledger.windows('ada', noon + hour + 1_000).actions).toBe(1);
    expect(ledger.windows('ada', noon + hour + 2_000).actions).toBe(0);
    expect(ledger.windows('bob', noon).actions).toBe(0);
  });

  it('counts them too while the clock lags behind the log', () => {
    const { ledger } = new Log().begin('t').tool('t', noon);
    expect(ledger.windows('ada', noon - 600_000).actions).toBe(1);
  });

  it('takes a further attempt for no further action', () => {
    expect(
      new Log().begin('t').tool('t', noon).tool('t', noon, 2).ledger.windows('ada', noon).actions,
    ).toBe(1);
  });

  it('keeps no more than an hour of them', () => {
    const log = new Log().begin('t');
    for (let i = 0; i < 20_000; i += 1) log.tool('t', noon + i * 2_500);
    const kept = [...log.state.rows.actions.values()].flat();
    expect(kept.length).toBeLessThan(1_500);
    expect(log.ledger.windows('ada', noon + 20_000 * 2_500).actions).toBe(1_440);
  });
});

describe('given money of an agent', () => {
  it('counts the UTC day, and holds what is in flight across midnight', () => {
    const log = new Log().begin('t').model('t', noon, { tokens: 10, cost: 50 });
    expect(log.ledger.windows('ada', noon)).toMatchObject({ cost: 0, held: 50 });
    log.settle('t', noon, { tokens: 5, cost: 30 });
    expect(log.ledger.windows('ada', noon)).toMatchObject({ cost: 30, held: 0 });
    expect(log.ledger.windows('ada', noon + day).cost).toBe(0);
    log.model('t', noon, { tokens: 10, cost: 50 }).settle('t', noon + day, { tokens: 1, cost: 7 });
    expect(log.ledger.windows('ada', noon + day)).toMatchObject({ cost: 7, held: 0 });
  });

  it('is unknown for the day once a part of it is, and never zero', () => {
    const log = new Log().begin('t').model('t', noon, { tokens: 1, cost: 'unknown' });
    log.settle('t', noon, { tokens: 1, cost: 'unknown' }).settle('t', noon, { tokens: 1, cost: 5 });
    expect(log.ledger.windows('ada', noon).cost).toBe('unknown');
  });
});

describe('given a tree of turns', () => {
  it('adds up what those below use and hold, and comes back from a checkpoint', () => {
    const log = new Log().begin('a').begin('b', 'a').begin('c', 'b');
    log.tool('c', noon).model('c', noon, { tokens: 100, cost: 9 }).tool('b', noon);
    expect(log.ledger.spending('a')?.below).toMatchObject({
      tools: 2,
      heldTokens: 100,
      heldCost: 9,
    });
    log.settle('c', noon, { tokens: 60, cost: 4 });
    const state = thawLedger(freezeLedger(log.state));
    expect(ledgerOf(state).spending('a')?.below).toEqual({
      tools: 2,
      tokens: 60,
      cost: 4,
      heldTokens: 0,
      heldCost: 0,
      activeMs: 0,
    });
    expect(
      ledgerOf(state)
        .below('a')
        .map(({ turn }) => turn),
    ).toEqual(['b', 'c']);
    expect(
      ledgerOf(state)
        .below('b')
        .map(({ turn }) => turn),
    ).toEqual(['c']);
  });

  it('is forgotten with its last open turn, and not before', () => {
    const log = new Log().begin('a').begin('b', 'a').end('a');
    expect(log.ledger.spending('a')?.open).toBe(false);
    log.end('b');
    expect(log.state.rows.spending.size).toBe(0);
  });

  it('knows who asked for it, all the way down', () => {
    const log = new Log().begin('a').begin('b', 'a', { kind: 'agent', id: 'ada', person: null });
    expect(log.ledger.spending('b')?.asker).toBe('ana');
    const nobody = new Log().begin('a', null, { kind: 'token', id: 't1', person: null });
    expect(nobody.ledger.spending('a')?.asker).toBe('token:t1');
    // A sender is named as it is when it decides.
    const eve = { kind: 'peer', id: 'mqtt.desk/eve', person: null };
    const sent = new Log().begin('a', null, eve, { kind: 'channel', binding: 'mqtt.desk' });
    expect(sent.ledger.spending('a')?.asker).toBe('mqtt.desk/eve');
  });

  it('was asked for by whoever brought the config in which its job last changed, not by whoever brought the last one', () => {
    const asker = (
      job: string,
      ...changes: readonly (readonly [string, string, string | null])[]
    ) => {
      const log = new Log();
      for (const [n, [path, by, person]] of changes.entries())
        log.applied(n + 1, path, { by, person });
      const principal = { kind: 'job', id: job, person: null } as const;
      const origin = { kind: 'cron', job } as const;
      log.begin('a', null, principal, origin);
      expect(log.ledger.asker(principal, origin)).toBe(log.ledger.spending('a')?.asker);
      return log.ledger.spending('a')?.asker;
    };
    const first = ['cron.nightly', 't1', 'ana'] as const;
    expect(asker('nightly', first, ['agents.ada.enabled', 't2', 'ben'])).toBe('ana');
    expect(asker('nightly', first, ['cron.nightly.prompt', 't2', 'ben'])).toBe('ben');
    expect(asker('nightly', first, ['cron.night', 't2', 'ben'])).toBe('ana');
    expect(asker('nightly', first, ['cron', 't2', null])).toBe('t2');
    expect(asker('heartbeat-ada', ['heartbeat.ada', 't1', 'ana'], first)).toBe('ana');
    expect(asker('unheard', first)).toBe('job:unheard');
  });

  it('is reached by a stop of an agent above', () => {
    const log = new Log().begin('a').begin('b', 'a');
    const set = { type: 'EmergencyStopSet', data: { agent: 'ada', by: 'x', why: 'y' } };
    log.add('z', set as never, noon);
    expect(log.ledger.flagsOf('b', 'bob').stopped).toMatchObject({ agent: 'ada', by: 'x' });
    expect(log.ledger.flagsOf('z', 'bob').stopped).toBeNull();
  });
});
