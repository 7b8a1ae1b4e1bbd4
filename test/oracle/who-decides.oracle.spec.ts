import { describe, expect, it } from 'vitest';
import type { DecidedBy } from '@lockstep/engine';
import { asking, asksOnce, decide, finished, person, waiting, write } from './asking.ts';
import { ask, configWith, launched, only, typesOf, world, type World } from './harness.ts';

const ana = person('ana');
const ben = person('ben', 'console');
const denials = (w: World) => w.memory.events().filter((event) => event.type === 'AccessDenied');

// Who may decide: the same rule on every surface, and whoever may not is told why and recorded.
describe('given several approvers that are required', () => {
  const two = asking({ approvers_required: 2 });

  it('counts distinct people and runs the call with the last of them', async () => {
    const w = asksOnce(two);
    const pending = await waiting(w);
    expect(only(w, pending.turn, 'ApprovalRequested').data.required).toBe(2);
    expect(await decide(w, pending, ana)).toMatchObject({
      kind: 'decided',
      votes: { given: 1, required: 2 },
    });
    expect(await decide(w, pending, person('ana', 'channel', 'mqtt.a/b'))).toEqual({
      kind: 'repeat',
    });
    expect((await w.turns.answer(pending.turn))?.status).toBe('waiting');
    expect(w.tools.runs).toEqual([]);
    expect((await decide(w, pending, ben)).kind).toBe('decided');
    await finished(w, pending.turn);
    expect(typesOf(w, pending.turn).slice(5, 10)).toEqual([
      'ApprovalVoted',
      'ApprovalVoted',
      'ApprovalGranted',
      'ToolCallAuthorized',
      'ToolCallStarted',
    ]);
    expect(await decide(w, pending, ana)).toEqual({ kind: 'repeat' });
  });

  it('counts no identity that belongs to nobody: two of them may be one person', async () => {
    const w = asksOnce(two);
    const pending = await waiting(w);
    const local: DecidedBy = { principal: 'local', person: null, surface: 'cli' };
    const chat: DecidedBy = {
      ...local,
      principal: 'mqtt.a/eve',
      surface: 'channel',
      where: 'mqtt.a/b',
    };
    expect(await decide(w, pending, local)).toEqual({
      kind: 'forbidden',
      message:
        'different people decide here, and `local` belongs to nobody: name it under `people`',
    });
    expect((await decide(w, pending, chat)).kind).toBe('forbidden');
    expect(denials(w).length).toBe(2);
    expect((await decide(w, pending, ana)).kind).toBe('decided');
    expect((await decide(w, pending, local)).kind).toBe('forbidden');
    expect(w.tools.runs).toEqual([]);
    // A no of one who may approve needs no second one.
    expect((await decide(w, pending, local, { choice: 'deny' })).kind).toBe('decided');
    await finished(w, pending.turn);
    expect(w.tools.runs).toEqual([]);
  });

  it('lets one no end it, whoever said yes before', async () => {
    const w = asksOnce(two);
    const pending = await waiting(w);
    await decide(w, pending, ana);
    await decide(w, pending, ben, { choice: 'deny' });
    await finished(w, pending.turn);
    expect(w.tools.runs).toEqual([]);
    expect(typesOf(w, pending.turn)).toContain('ApprovalDenied');
  });

  it('issues a standing grant only where all said so, and no wider than all were asked', async () => {
    const w = asksOnce(two);
    const pending = await waiting(w);
    const wide = { kind: 'agent', arguments: 'any', anyone: true } as const;
    expect((await decide(w, pending, ana, { choice: 'always', scope: wide })).kind).toBe('invalid');
    await decide(w, pending, ana, { choice: 'always' });
    await decide(w, pending, ben);
    await finished(w, pending.turn);
    expect(only(w, pending.turn, 'ApprovalGranted').data.grant).toBeNull();
  });

  it('counts exactly the votes that it takes when ten come at once from two people', async () => {
    const w = asksOnce(two);
    const pending = await waiting(w);
    const surfaces = ['rest', 'cli', 'console', 'websocket', 'acp'] as const;
    const results = await Promise.all(
      surfaces.flatMap((surface) => [
        decide(w, pending, person('ana', surface)),
        decide(w, pending, person('ben', surface)),
      ]),
    );
    expect(results.filter(({ kind }) => kind === 'decided').length).toBe(2);
    expect(results.filter(({ kind }) => kind === 'repeat').length).toBe(8);
    await finished(w, pending.turn);
    expect(w.tools.runs.length).toBe(1);
  });
});

describe('given four eyes', () => {
  const config = asking({ four_eyes: true });
  const asked = ask('write', {
    principal: { kind: 'token', id: 'ana', person: 'ana' },
    origin: { kind: 'rest', token: 'ana' },
  });

  it('keeps out the identity that asked, on every surface', async () => {
    const w = asksOnce(config);
    const pending = await waiting(w);
    expect(only(w, pending.turn, 'ApprovalRequested').data.notBy).toBe('local:local');
    for (const surface of ['cli', 'json_rpc', 'acp'] as const) {
      const local: DecidedBy = { principal: 'local', person: null, surface };
      expect((await decide(w, pending, local)).kind).toBe('forbidden');
    }
    expect(denials(w).length).toBe(3);
    expect((await decide(w, pending, ben)).kind).toBe('decided');
    await finished(w, pending.turn);
  });

  it('keeps out the person that asked, whichever identity decides', async () => {
    const w = asksOnce(config);
    await w.memory.store.append('access', [token(w)], 'no-stream');
    const pending = await waiting(w, asked);
    expect((await decide(w, pending, person('ana', 'channel', 'mqtt.x/y'))).kind).toBe('forbidden');
    expect((await decide(w, pending, ben)).kind).toBe('decided');
    await finished(w, pending.turn);
  });

  /** The token that ana's request comes with. */
  const token = (w: World): Parameters<World['memory']['store']['append']>[1][number] => ({
    type: 'TokenIssued',
    id: '00000000-0000-7000-8000-00000000aaaa',
    schema: 1,
    meta: {
      agent: null,
      path: null,
      trigger: null,
      principal: null,
      session: null,
      turn: null,
      root: null,
      parent: null,
      chain: [],
      correlation: String(w.clock.now()),
      causation: null,
      attempt: 1,
      daemon: 'daemon-1',
      build: 'test',
    },
    data: {
      token: 'ana',
      name: 'ana',
      hash: 'f'.repeat(64),
      roles: ['operator'],
      scopes: { agents: ['*'], tools: ['*'] },
      expires: 'never',
      by: 'local',
    },
  });
});

describe('given a route', () => {
  const cases: readonly (readonly [string, DecidedBy, boolean])[] = [
    ['inbox', ana, true],
    ['inbox', { principal: 'token:x', person: null, surface: 'rest' }, false],
    ['inbox', { principal: 'agent:b', person: 'ana', surface: 'rest' }, false],
    ['people:ben', ana, false],
    ['people:ben', ben, true],
    ['role:approver', ana, true],
    ['role:admin', ana, false],
    ['channel:mqtt.desk/room', person('ana', 'channel', 'mqtt.desk/room'), true],
    ['channel:mqtt.desk/room', person('ana', 'channel', 'mqtt.desk/hall'), false],
    ['channel:mqtt.desk/room', { ...ana, where: 'mqtt.desk/room' }, false],
    ['nowhere', ana, false],
  ];
  it.each(cases)('asks on `%s`, and lets %j decide: %s', async (approver, by, may) => {
    const w = asksOnce(asking({ route: { approver } }));
    const pending = await waiting(w);
    const result = await decide(w, pending, by);
    expect(result.kind).toBe(may ? 'decided' : 'forbidden');
    expect(denials(w).length).toBe(may ? 0 : 1);
    if (may) await finished(w, pending.turn);
    expect(w.tools.runs.length).toBe(may ? 1 : 0);
  });

  it('holds a token to its roles and its scopes, whatever its person may', async () => {
    const w = asksOnce();
    const pending = await waiting(w);
    const decision = { choice: 'once', scope: null, guidance: null, ...pending } as const;
    const all = { agents: ['*'], tools: ['*'] };
    const rights = [
      { roles: new Set(['operator'] as const), scopes: all },
      { roles: new Set(['approver'] as const), scopes: { ...all, agents: ['b'] } },
      { roles: new Set(['approver'] as const), scopes: { ...all, tools: ['file_read'] } },
    ];
    for (const one of rights)
      expect((await w.turns.decide(pending.id, decision, ana, one)).kind).toBe('forbidden');
    expect(w.tools.runs).toEqual([]);
  });
});

describe('given arguments that a person put in place of the model’s', () => {
  const edited = (args: unknown) => ({ arguments: JSON.stringify(args) });

  it('runs those, and the model sees what ran', async () => {
    const w = asksOnce();
    const pending = await waiting(w);
    const args = { path: 'b.md', content: 'better' };
    expect((await decide(w, pending, ana, edited(args))).kind).toBe('decided');
    await finished(w, pending.turn);
    expect(w.tools.runs.map((run) => run.args)).toEqual([args]);
    const granted = only(w, pending.turn, 'ApprovalGranted').data;
    const started = only(w, pending.turn, 'ToolCallStarted').data;
    expect(granted.edited?.argsDigest).toBe(started.argsDigest);
    expect(granted.binding).toBe(started.binding);
    expect(granted.binding).not.toBe(only(w, pending.turn, 'ApprovalRequested').data.binding);
    const said = w.model.asked[1]?.input.messages.find(({ role }) => role === 'assistant');
    expect(JSON.stringify(said)).toContain('better');
  });

  it.each([
    ['break the schema', { path: 'b.md' }],
    ['leave the workspace', { path: '/etc/passwd', content: 'x' }],
    ['are no object', [1]],
  ])('grants nothing when they %s, and goes on waiting', async (_what, args) => {
    const w = asksOnce();
    const pending = await waiting(w);
    expect((await decide(w, pending, ana, edited(args))).kind).toBe('invalid');
    expect(typesOf(w, pending.turn)).not.toContain('ApprovalGranted');
    expect((await decide(w, pending, ana, { choice: 'deny' })).kind).toBe('decided');
    await finished(w, pending.turn);
    expect(w.tools.runs).toEqual([]);
  });

  it('grants from then on what was run, not what was asked', async () => {
    const w = asksOnce();
    const pending = await waiting(w, ask('write', { session: 'mine' }));
    const args = { path: 'b.md', content: 'better' };
    await decide(w, pending, ana, { choice: 'always', ...edited(args) });
    await finished(w, pending.turn);
    const again = await launched(w, ask('write', { session: 'mine' }));
    expect((await w.turns.answer(again))?.status).toBe('waiting');
  });
});

describe('given what could not be shown whole', () => {
  it('can be denied or edited, not granted', async () => {
    const long = { ...write, args: { path: 'a.md', content: 'x'.repeat(110_000) } };
    const w = world({
      config: asking(),
      model: ({ modelCall }) => (modelCall === 1 ? { calls: [long] } : { say: 'done' }),
    });
    const turn = await launched(w, ask('write'));
    const event = only(w, turn, 'ApprovalRequested');
    expect([event.data.cut, event.data.grantable]).toEqual([true, false]);
    const shown = 'artifact' in event.data.view ? event.data.view.artifact : '';
    const pending = { turn, id: event.data.approval, revision: event.revision, shown };
    expect(await decide(w, pending, ana)).toMatchObject({ kind: 'invalid' });
    const short = { arguments: JSON.stringify({ path: 'a.md', content: 'short' }) };
    expect((await decide(w, pending, ana, short)).kind).toBe('decided');
    await w.turns.settled(turn, new AbortController().signal);
    expect(w.tools.runs.map((run) => run.args)).toEqual([{ path: 'a.md', content: 'short' }]);
  });

  it('is not granted from a surface that cut it', async () => {
    const w = asksOnce();
    const pending = await waiting(w);
    expect(await decide(w, pending, ana, { cut: ['view'] })).toMatchObject({ kind: 'invalid' });
    expect((await decide(w, pending, ana, { choice: 'deny', cut: ['view'] })).kind).toBe('decided');
    await finished(w, pending.turn);
  });
});

describe('given a model that approves itself', () => {
  it('changes nothing by what it writes into its arguments', async () => {
    const args = { ...write.args, approved: true, approval: 'granted', by: 'ana' };
    const w = asksOnce(asking(), { ...write, args });
    const turn = await launched(w, ask('write'));
    expect(w.tools.runs).toEqual([]);
    expect(only(w, turn, 'ToolCallRefused').data.rule).toBe('gate.arguments');
  });
});

it('revokes standing grants that a new config denies, with the reason, and keeps the others', async () => {
  const w = asksOnce();
  const pending = await waiting(w, ask('write', { session: 'mine' }));
  await decide(w, pending, ana, { choice: 'always' });
  await finished(w, pending.turn);
  const again = configWith({ approval: { auto_approve: [], timeout_secs: 60 } }, { version: 2 });
  w.apply(again);
  await w.quiet();
  expect(w.memory.ledger.allGrants().length).toBe(1);
  w.apply(
    configWith({ approval: { auto_approve: [], always_ask: ['file_write'] } }, { version: 3 }),
  );
  await w.quiet();
  expect(w.memory.ledger.allGrants()).toEqual([]);
  const revoked = w.memory.events().find((event) => event.type === 'GrantRevoked');
  expect(revoked?.data).toMatchObject({
    by: 'config',
    why: 'config version 3: `builtin:file_write` is always asked for by the pattern `builtin:file_write`',
  });
});
