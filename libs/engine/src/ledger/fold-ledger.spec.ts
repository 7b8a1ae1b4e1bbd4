import { describe, expect, it } from 'vitest';
import type { Fact, LockstepEvent } from '../events/event.ts';
import type { Meta } from '../events/envelope.ts';
import { positionOf } from '../log/stamp.ts';
import { decidedLimit, foldLedger } from './fold-ledger.ts';
import { ledgerOf } from './ledger-of.ts';
import { emptyLedger, freezeLedger, takeChanges, thawLedger } from './ledger-state.ts';

const session = 'session-ana-1';
const owner = { kind: 'token', id: 't1', person: null } as const;
const by = { principal: 'token:t1', person: null, surface: 'rest' } as const;
const d = (digit: string): string => digit.repeat(64);

let position = 0;
const event = (
  stream: string,
  fact: Fact,
  place: Partial<Meta> = {},
  time = 1_000,
): LockstepEvent => {
  position += 1;
  const meta: Meta = {
    agent: 'ana',
    path: null,
    trigger: null,
    principal: null,
    session,
    turn: stream.startsWith('turn-') ? stream.slice(5) : null,
    root: null,
    parent: null,
    chain: [],
    correlation: 'c',
    causation: null,
    attempt: 1,
    daemon: 'd1',
    build: 'b',
    epoch: 0,
    agentSeq: position,
    ...place,
  };
  const envelope = { id: 'i', stream, revision: position, position: positionOf(position), time };
  return { ...envelope, schema: 1, meta, ...fact };
};

const opened = event(session, { type: 'SessionOpened', data: { agent: 'ana', owner } });
const accepted = event(session, {
  type: 'MessageAccepted',
  data: { message: 'm1', turn: 't1', text: { inline: 'hello' }, idempotency: null },
});
const requested = (turn: string, parent: string | null = null): LockstepEvent =>
  event(
    `turn-${turn}`,
    {
      type: 'TurnRequested',
      data: {
        request: {
          agent: 'ana',
          principal: owner,
          session,
          origin: { kind: 'run' },
          client: 'none',
        },
        records: {},
        config: { version: 1, digest: d('1') },
        path: 'loop',
        trigger: 'run',
        input: { inline: 'hello' },
        message: 'm1',
        history: [],
      },
    },
    { parent },
  );
const cancelled = (turn: string): LockstepEvent =>
  event(`turn-${turn}`, { type: 'TurnCancelled', data: { by: 'x', why: 'y', activeMs: 0 } });
const asked = (question: string, turn = 't1'): LockstepEvent =>
  event(`turn-${turn}`, {
    type: 'QuestionAsked',
    data: { question, call: 'c1', text: { inline: '?' }, choices: [], deadline: 'never' },
  });
const answered = (question: string): LockstepEvent =>
  event('turn-t1', {
    type: 'QuestionAnswered',
    data: { question, call: 'c1', by, text: { inline: '!' } },
  });

const fold = (...events: readonly LockstepEvent[]) => events.reduce(foldLedger, emptyLedger());
const given = (...events: readonly LockstepEvent[]) => ledgerOf(fold(...events));

describe('given a session with an accepted message', () => {
  it('waits for its turn, with the text', () => {
    const ledger = given(opened, accepted);

    expect(ledger.waitingMessages()).toEqual([
      { session, agent: 'ana', message: 'm1', turn: 't1' },
    ]);
    expect(ledger.message(session, 'm1')).toEqual({
      message: 'm1',
      turn: 't1',
      text: { inline: 'hello' },
      idempotency: null,
    });
    expect(ledger.session(session)?.revision).toBe(accepted.revision);
  });

  it('stops waiting when its turn begins, and gives up the text', () => {
    const ledger = given(opened, accepted, requested('t1'));

    expect(ledger.waitingMessages()).toEqual([]);
    expect(ledger.message(session, 'm1')).toBeNull();
    expect(ledger.openTurns()).toEqual([{ turn: 't1', agent: 'ana' }]);
  });

  it('stays known without its text when its sender gave it a key, so that it may come again', () => {
    const idempotency = { key: d('9'), body: d('8') };
    const keyed = event(session, {
      type: 'MessageAccepted',
      data: { message: 'm1', turn: 't1', text: { inline: 'hello' }, idempotency },
    });

    expect(given(opened, keyed, requested('t1')).message(session, 'm1')).toEqual({
      message: 'm1',
      turn: 't1',
      text: null,
      idempotency,
    });
  });

  it('stops waiting when it is dropped', () => {
    const dropped = event(session, { type: 'MessageDropped', data: { message: 'm1', why: 'w' } });

    expect(given(opened, accepted, dropped).waitingMessages()).toEqual([]);
  });
});

describe('given turns of a session', () => {
  it('lists root turns since the last reset, and no child', () => {
    const reset = event(session, { type: 'SessionReset', data: { by: 'x' } });

    const ledger = given(opened, requested('t1'), reset, requested('t2'), requested('t3', 't2'));

    expect(ledger.session(session)?.turns).toEqual(['t2']);
  });

  it('forgets a turn that ended, with what it still asked', () => {
    const ledger = given(opened, requested('t1'), asked('q1'), cancelled('t1'));

    expect(ledger.openTurns()).toEqual([]);
    expect(ledger.pending()).toEqual([]);
    expect(ledger.approval('q1')?.state).toBe('decided');
  });

  it('marks a closed session', () => {
    const closed = event(session, { type: 'SessionClosed', data: { by: 'x', why: 'y' } });

    expect(given(opened, closed).session(session)?.closed).toBe(true);
  });
});

describe('given questions', () => {
  it('keeps pending ones oldest first until they are answered', () => {
    const ledger = given(asked('q1'), asked('q2'), answered('q1'));

    expect(ledger.pending().map(({ id }) => id)).toEqual(['q2']);
    expect(ledger.approval('q1')?.state).toBe('decided');
  });

  it('remembers a bounded number of decided ones', () => {
    const state = emptyLedger();
    for (let i = 0; i <= decidedLimit; i++) {
      foldLedger(state, asked(`q${i}`));
      foldLedger(state, answered(`q${i}`));
    }

    expect(ledgerOf(state).approval('q0')).toBeNull();
    expect(ledgerOf(state).approval('q1')?.state).toBe('decided');
  });
});

describe('given a call whose outcome is unknown', () => {
  const unknown = event('turn-t1', {
    type: 'ToolCallOutcomeUnknown',
    data: { call: 'c1', attempt: 1, tool: 'builtin:x', argsDigest: d('a'), why: 'w' },
  });

  it('is unsettled for the same session, tool and arguments', () => {
    const ledger = given(unknown);

    expect(ledger.unsettled(session, 'builtin:x', d('a'))).toBe('t1');
    expect(ledger.unsettled('session-ana-2', 'builtin:x', d('a'))).toBeNull();
    expect(ledger.unsettled(session, 'builtin:x', d('b'))).toBeNull();
  });

  it('is settled by a person', () => {
    const settled = event('turn-t1', {
      type: 'UnknownOutcomeSettled',
      data: { call: 'c1', as: 'done', by },
    });

    expect(given(unknown, settled).unsettled(session, 'builtin:x', d('a'))).toBeNull();
  });
});

describe('given grants', () => {
  const grant = (id: string, expires: number | 'never', time = 1_000): LockstepEvent =>
    event(
      'agent-ana',
      {
        type: 'GrantIssued',
        data: {
          grant: id,
          agent: 'ana',
          tool: 'builtin:x',
          spec: d('1'),
          person: null,
          scope: { kind: 'agent' },
          arguments: { kind: 'any' },
          expires,
          by,
          approval: 'a1',
        },
      },
      {},
      time,
    );
  const ids = (...events: readonly LockstepEvent[]) =>
    given(...events)
      .grants('ana')
      .map((g) => g.grant);

  it('lists those issued and not revoked', () => {
    const revoked = event('agent-ana', {
      type: 'GrantRevoked',
      data: { grant: 'g1', by: 'x', why: 'y' },
    });

    expect(ids(grant('g1', 'never'), grant('g2', 'never'), revoked)).toEqual(['g2']);
    expect(given(grant('g1', 'never')).grants('bob')).toEqual([]);
  });

  it('gives up expired ones when another is issued', () => {
    expect(ids(grant('g1', 1_500), grant('g2', 'never', 2_000))).toEqual(['g2']);
    expect(ids(grant('g1', 2_000), grant('g2', 'never', 2_000))).toEqual(['g1', 'g2']);
  });
});

describe('given stops and pauses', () => {
  const stop = (agent: string | null) =>
    event('daemon', { type: 'EmergencyStopSet', data: { agent, by: 'x', why: 'y' } });
  const clear = (agent: string | null) =>
    event('daemon', { type: 'EmergencyStopCleared', data: { agent, by: 'x' } });

  it('stops one agent or all of them', () => {
    expect(given(stop('ana')).flags('ana')).toEqual({ stopped: true, paused: false });
    expect(given(stop('ana')).flags('bob')).toEqual({ stopped: false, paused: false });
    expect(given(stop(null)).flags('bob')).toEqual({ stopped: true, paused: false });
    expect(given(stop(null), stop('ana'), clear(null)).flags('ana').stopped).toBe(true);
  });

  it('pauses an agent until it is resumed', () => {
    const paused = event('agent-ana', { type: 'AgentPaused', data: { by: 'x', why: 'y' } });
    const resumed = event('agent-ana', { type: 'AgentResumed', data: { by: 'x' } });

    expect(given(paused).flags('ana')).toEqual({ stopped: false, paused: true });
    expect(given(paused, resumed).flags('ana').paused).toBe(false);
  });
});

describe('given tokens and configs', () => {
  const issued = event('access', {
    type: 'TokenIssued',
    data: {
      token: 'k1',
      name: 'ci',
      hash: d('f'),
      roles: ['viewer'],
      scopes: { agents: ['*'], tools: ['*'] },
      expires: 'never',
      by: 'local',
    },
  });
  const config = (version: number): LockstepEvent =>
    event('config', {
      type: 'ConfigApplied',
      data: {
        version,
        content: { inline: '{}' },
        digest: d(String(version)),
        by: 'local',
        diff: [],
        widens: [],
        host: {
          dataFolder: '/d',
          home: '/h',
          configFolder: '/c',
          protectedPaths: [],
          defaultRoots: {},
        } as never,
      },
    });

  it('finds a token by hash and id until it is revoked', () => {
    const revoked = event('access', { type: 'TokenRevoked', data: { token: 'k1', by: 'x' } });

    expect(given(issued).tokenByHash(d('f'))?.id).toBe('k1');
    expect(given(issued).tokenById('k1')?.name).toBe('ci');
    const after = given(issued, revoked);
    expect([after.tokenByHash(d('f')), after.tokenById('k1'), after.tokens()]).toEqual([
      null,
      null,
      [],
    ]);
  });

  it('knows every applied config and the latest', () => {
    const ledger = given(config(1), config(2));

    expect(ledger.latestConfig()?.version).toBe(2);
    expect(ledger.config(1)?.digest).toBe(d('1'));
    expect(ledger.configVersions().map(({ version }) => version)).toEqual([1, 2]);
  });

  it('comes back from a full checkpoint, and from the changes one after another', () => {
    const events = [opened, accepted, requested('t1'), asked('q1'), issued, config(1)];
    const state = emptyLedger();
    const rows = new Map<string, { table: string; key: string; json: string | null }>();
    for (const e of events) {
      foldLedger(state, e);
      for (const change of takeChanges(state)) rows.set(`${change.table} ${change.key}`, change);
    }

    for (const thawed of [thawLedger(freezeLedger(state)), thawLedger(rows.values())]) {
      expect(thawed.rows).toEqual(state.rows);
      expect(thawed.tokenIds).toEqual(state.tokenIds);
    }
    expect(takeChanges(state)).toEqual([]);
  });
});
