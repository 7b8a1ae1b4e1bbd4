import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parseEvent } from '@lockstep/engine';
import { runDaemon, type Caller, type RunningDaemon } from '../support/running-daemon.ts';

const config = `
[agents.alpha]
provider = "local"
risk_profile = "careful"
runtime_profile = "short"
[agents.beta]
provider = "local"
risk_profile = "careful"
runtime_profile = "short"
[agents.gone]
enabled = false
provider = "local"
risk_profile = "careful"
runtime_profile = "short"
[agents.half]
provider = "local"
[risk_profiles.careful]
autonomy = "supervised"
[risk_profiles.careful.tools]
allowed = ["file_read", "file_write", "ask_user", "time_now"]
[runtime_profiles.short.budgets]
max_tool_iterations = 6
[providers.local]
type = "scripted"
script = "script.yaml"
prices = "free"
`;

const script = `
scenarios:
  - when: "write the plum"
    steps:
      - calls: [{ tool: file_write, args: { path: "plum.txt", content: "plum-content" } }]
      - say: "Wrote it: {{results.0}}"
  - when: "ask me"
    steps:
      - calls: [{ tool: ask_user, args: { question: "Which fruit?" } }]
      - say: "You said {{results.0}}"
  - when: "what time"
    steps:
      - calls: [{ tool: time_now, args: {} }]
      - say: "Told."
default: [{ say: "Plain answer." }]
`;

let run: RunningDaemon;
let admin: Caller;

beforeEach(async () => {
  run = await runDaemon(config, script);
  admin = run.admin();
});
afterEach(() => run.remove());

interface Answer {
  readonly id: string;
  readonly status: string;
  readonly session: string;
  readonly reply: string | null;
  readonly approvals: readonly string[];
}
interface Row {
  readonly id: string;
  readonly revision: number;
  readonly shown: string;
  readonly view: string | null;
  readonly turn: string;
}

const turn = async (caller: Caller, agent: string, body: object): Promise<Answer> =>
  (await caller.post(`/v1/agents/${agent}/turns`, body)).body as Answer;
const settled = (id: string, status: string): Promise<void> =>
  expect
    .poll(
      async () => ((await admin.get(`/v1/turns/${id}`)).body as { answer: Answer }).answer.status,
      {
        timeout: 30_000,
      },
    )
    .toBe(status);
const pending = async (caller: Caller): Promise<Row[]> =>
  ((await caller.get('/v1/approvals')).body as { items: Row[] }).items;
const onlyPending = async (): Promise<Row> => {
  const [row, ...more] = await pending(admin);
  if (row === undefined || more.length > 0) throw new Error('one request was expected');
  return row;
};
const typesOf = async (id: string): Promise<string[]> => {
  const { body } = await admin.get(`/v1/turns/${id}/events`);
  return (body as { items: { type: string }[] }).items.map(({ type }) => type);
};
const problem = (answer: { readonly status: number; readonly body: unknown }): unknown[] => [
  answer.status,
  (answer.body as { readonly code?: unknown }).code,
];

describe('given a turn over REST', () => {
  it('answers 200 with the finished turn to who waits, and 202 to who does not', async () => {
    const waited = await admin.post('/v1/agents/alpha/turns', { input: 'hello', wait: true });
    expect(waited.status).toBe(200);
    expect(waited.body).toMatchObject({
      status: 'completed',
      agent: 'alpha',
      path: 'gateway',
      reply: 'Plain answer.',
      approvals: [],
      usage: { cost: 0, modelCalls: 1, toolCalls: 0 },
    });
    const { id } = waited.body as Answer;
    expect(waited.headers['location']).toBe(`/v1/turns/${id}`);
    const started = await admin.post('/v1/agents/alpha/turns', { input: 'hello' });
    expect(started.status).toBe(202);
    await settled((started.body as Answer).id, 'completed');
  });

  it('streams its events, its text while it is made, and the answer', async () => {
    const answer = await admin.post(
      '/v1/agents/alpha/turns',
      { input: 'hello' },
      { accept: 'text/event-stream' },
    );
    const blocks = answer.text.split('\n\n').filter((block) => block !== '');
    const named = (name: string): unknown[] =>
      blocks
        .filter((block) => block.includes(`event: ${name}\n`))
        .map((block) => JSON.parse(block.slice(block.indexOf('data: ') + 6)) as unknown);
    expect((named('event') as { type: string }[]).map(({ type }) => type)).toEqual([
      'TurnRequested',
      'PolicyResolved',
      'MemoryRecalled',
      'ModelCallStarted',
      'ModelCallCompleted',
      'TurnCompleted',
    ]);
    const text = (named('delta') as { text: string }[]).map((delta) => delta.text).join('');
    expect(text).toBe('Plain answer.');
    expect(named('end')).toMatchObject([{ status: 'completed', reply: 'Plain answer.' }]);
  });

  it('is the same turn for the same Idempotency-Key, and refuses the key with another body', async () => {
    const ask = (caller: Caller, input: string) =>
      caller.post('/v1/agents/alpha/turns', { input, wait: true }, { 'idempotency-key': 'k-1' });
    const [first, again] = [await ask(admin, 'hello'), await ask(admin, 'hello')];
    expect((again.body as Answer).id).toBe((first.body as Answer).id);
    expect(problem(await ask(admin, 'another'))).toEqual([422, 'idempotency_key_reused']);
    const other = await run.issue({ name: 'other', roles: ['operator'] });
    const theirs = await ask(other, 'hello');
    expect((theirs.body as Answer).id).not.toBe((first.body as Answer).id);
  });

  it('refuses an unknown, a disabled and an incomplete agent in the same words, and records it', async () => {
    const answers = await Promise.all(
      ['nobody', 'gone', 'half'].map((alias) =>
        admin.post(`/v1/agents/${alias}/turns`, { input: 'hello', wait: true }),
      ),
    );
    expect(answers.map(problem)).toEqual([
      [404, 'agent_unavailable'],
      [404, 'agent_unavailable'],
      [404, 'agent_unavailable'],
    ]);
    const words = answers.map(({ body }) =>
      (body as { detail: string }).detail.replace(/nobody|gone|half/, 'X'),
    );
    expect(new Set(words).size).toBe(1);
    const { body } = await admin.get('/v1/events?types=TurnRefused');
    expect((body as { items: unknown[] }).items.length).toBe(3);
  });

  it('keeps a session to its owner, and a closed one to nobody', async () => {
    const first = await turn(admin, 'alpha', { input: 'hello', wait: true });
    const { session } = first;
    const second = await turn(admin, 'alpha', { input: 'more', session, wait: true });
    expect(second).toMatchObject({ session, status: 'completed' });
    const other = await run.issue({ name: 'other', roles: ['operator'] });
    const foreign = await other.post('/v1/agents/alpha/turns', { input: 'x', session });
    expect(problem(foreign)).toEqual([403, 'forbidden']);
    expect((await admin.delete(`/v1/sessions/${session}`)).status).toBe(204);
    const closed = await admin.post('/v1/agents/alpha/turns', { input: 'x', session });
    expect(problem(closed)).toEqual([403, 'forbidden']);
  });

  it('lets only the local token start a run', async () => {
    const operator = await run.issue({ name: 'op', roles: ['admin'] });
    const refused = await operator.post('/v1/agents/alpha/runs', { input: 'hello' });
    expect(problem(refused)).toEqual([403, 'forbidden']);
    const own = await admin.post('/v1/agents/alpha/runs', { input: 'hello', wait: true });
    expect(own.body).toMatchObject({ status: 'completed', path: 'loop' });
  });
});

describe('given a token with scopes', () => {
  it('starts no turn of an agent outside them, and the seam says so', async () => {
    const token = await run.issue({
      name: 'beta-only',
      roles: ['operator'],
      scopes: { agents: ['beta'] },
    });
    const refused = await token.post('/v1/agents/alpha/turns', { input: 'hello', wait: true });
    expect(problem(refused)).toEqual([403, 'forbidden']);
    const own = await token.post('/v1/agents/beta/turns', { input: 'hello', wait: true });
    expect(own.status).toBe(200);
    expect(problem(await token.get('/v1/parity'))).toEqual([403, 'forbidden']);
    expect((await token.get('/v1/parity?agent=beta')).status).toBe(200);
    const foreign = await turn(admin, 'alpha', { input: 'hello', wait: true });
    expect(problem(await token.get(`/v1/turns/${foreign.id}`))).toEqual([404, 'not_found']);
    const { body } = await token.get('/v1/turns');
    expect((body as { items: { agent: string }[] }).items.map(({ agent }) => agent)).toEqual([
      'beta',
    ]);
  });

  it('uses no tool outside them', async () => {
    const token = await run.issue({
      name: 'reader',
      roles: ['operator'],
      scopes: { tools: ['file_read'] },
    });
    const { id } = await turn(token, 'alpha', { input: 'what time is it', wait: true });
    expect(await typesOf(id)).toContain('ToolCallRefused');
    const full = await turn(admin, 'alpha', { input: 'what time is it', wait: true });
    expect(await typesOf(full.id)).toContain('ToolCallCompleted');
  });
});

describe('given a turn that waits for a person', () => {
  it('writes once after the answer, and tells a second decider who was first', async () => {
    const parked = await admin.post('/v1/agents/alpha/turns', {
      input: 'write the plum',
      wait: true,
    });
    expect(parked.status).toBe(202);
    const answer = parked.body as Answer;
    const row = await onlyPending();
    expect([answer.status, answer.approvals]).toEqual(['waiting', [row.id]]);
    expect(row.view).toContain('plum-content');
    const ana = await run.issue({ name: 'ana', roles: ['approver'] });
    const bob = await run.issue({ name: 'bob', roles: ['approver'] });
    const decide = (caller: Caller, body: object) =>
      caller.post(`/v1/approvals/${row.id}/decision`, {
        revision: row.revision,
        shown: row.shown,
        ...body,
      });
    expect(problem(await decide(ana, { choice: 'once', revision: row.revision + 1 }))).toEqual([
      409,
      'stale_revision',
    ]);
    expect(problem(await decide(ana, { choice: 'once', shown: '0'.repeat(64) }))).toEqual([
      400,
      'invalid_body',
    ]);
    expect((await decide(ana, { choice: 'once' })).body).toMatchObject({ status: 'decided' });
    expect((await decide(ana, { choice: 'once' })).body).toMatchObject({ status: 'repeat' });
    const late = await decide(bob, { choice: 'deny' });
    expect(problem(late)).toEqual([409, 'already_decided']);
    await settled(answer.id, 'completed');
    const file = join(run.data, 'workspaces', 'alpha', 'plum.txt');
    expect(await readFile(file, 'utf8')).toBe('plum-content');
    expect((await typesOf(answer.id)).filter((type) => type === 'ToolCallStarted').length).toBe(1);
  });

  it('is decided only by a token whose scope holds the agent and the tool', async () => {
    await turn(admin, 'alpha', { input: 'write the plum', wait: true });
    const row = await onlyPending();
    const decide = async (name: string, scopes: object) => {
      const caller = await run.issue({ name, roles: ['approver'], scopes });
      return problem(
        await caller.post(`/v1/approvals/${row.id}/decision`, {
          choice: 'once',
          revision: row.revision,
          shown: row.shown,
        }),
      );
    };
    expect(await decide('of-beta', { agents: ['beta'] })).toEqual([404, 'not_found']);
    expect(await decide('of-reads', { tools: ['file_read'] })).toEqual([403, 'forbidden']);
    expect((await pending(admin)).length).toBe(1);
    expect((await decide('of-writes', { tools: ['file_write'] }))[0]).toBe(200);
  });

  it('tells the agent what a denial advises', async () => {
    const { id } = await turn(admin, 'alpha', { input: 'write the plum', wait: true });
    const row = await onlyPending();
    await admin.post(`/v1/approvals/${row.id}/decision`, {
      choice: 'deny',
      guidance: 'take a pear',
      revision: row.revision,
      shown: row.shown,
    });
    await settled(id, 'completed');
    const { answer } = (await admin.get(`/v1/turns/${id}`)).body as { answer: Answer };
    expect(answer.reply).toContain('take a pear');
  });

  it('takes an answer to a question', async () => {
    const { id } = await turn(admin, 'alpha', { input: 'ask me', wait: true });
    const row = await onlyPending();
    expect(row.view).toContain('Which fruit?');
    const scopes = { tools: ['file_read'] };
    const other = await run.issue({ name: 'of-reads', roles: ['approver'], scopes });
    const body = { text: 'a pear', revision: row.revision };
    const foreign = await other.post(`/v1/questions/${row.id}/answer`, body);
    expect(problem(foreign)).toEqual([403, 'forbidden']);
    const done = await admin.post(`/v1/questions/${row.id}/answer`, {
      text: 'a quince',
      revision: row.revision,
    });
    expect(done.body).toMatchObject({ status: 'decided' });
    await settled(id, 'completed');
    const { answer } = (await admin.get(`/v1/turns/${id}`)).body as { answer: Answer };
    expect(answer.reply).toBe('You said a quince');
  });

  it('stands by a grant until that is revoked', async () => {
    const { session } = await turn(admin, 'alpha', { input: 'write the plum', wait: true });
    const row = await onlyPending();
    await admin.post(`/v1/approvals/${row.id}/decision`, {
      choice: 'always',
      revision: row.revision,
      shown: row.shown,
    });
    const grants = async () =>
      ((await admin.get('/v1/grants')).body as { items: { grant: string; tool: string }[] }).items;
    await expect.poll(async () => (await grants()).length).toBe(1);
    const again = await turn(admin, 'alpha', { input: 'write the plum', session, wait: true });
    expect(again.status).toBe('completed');
    const [grant] = await grants();
    expect((await admin.delete(`/v1/grants/${grant?.grant ?? ''}`)).status).toBe(204);
    expect(await grants()).toEqual([]);
    const asked = await turn(admin, 'alpha', { input: 'write the plum', session, wait: true });
    expect(asked.status).toBe('waiting');
  });

  it('ends when it is cancelled, once', async () => {
    const { id } = await turn(admin, 'alpha', { input: 'write the plum', wait: true });
    expect((await admin.post(`/v1/turns/${id}/cancel`, {})).status).toBe(202);
    await settled(id, 'cancelled');
    expect(problem(await admin.post(`/v1/turns/${id}/cancel`, {}))).toEqual([409, 'already_ended']);
    expect(await pending(admin)).toEqual([]);
  });
});

describe('given a paused agent', () => {
  it('takes no turn until it is resumed', async () => {
    await admin.post('/v1/agents/alpha/pause', { why: 'a test' });
    const paused = await admin.post('/v1/agents/alpha/turns', { input: 'what time', wait: true });
    expect(problem(paused)).toEqual([503, 'stopped']);
    await admin.post('/v1/agents/alpha/resume', {});
    const resumed = await turn(admin, 'alpha', { input: 'what time is it', wait: true });
    expect(await typesOf(resumed.id)).toContain('ToolCallCompleted');
  });
});

describe('given a viewer', () => {
  it('sees that things happened, and no word of what', async () => {
    const { id } = await turn(admin, 'alpha', { input: 'write the plum', wait: true });
    const row = await onlyPending();
    await admin.post(`/v1/approvals/${row.id}/decision`, {
      choice: 'once',
      revision: row.revision,
      shown: row.shown,
    });
    await settled(id, 'completed');
    await turn(admin, 'alpha', { input: 'write the plum', wait: true });
    const viewer = await run.issue({ name: 'wall', roles: ['viewer'] });
    const seen = await Promise.all(
      [
        '/v1/turns',
        `/v1/turns/${id}`,
        `/v1/turns/${id}/events`,
        '/v1/events?limit=1000',
        '/v1/approvals?state=all',
        '/v1/sessions',
        '/v1/parity',
        '/metrics',
      ].map((path) => viewer.get(path)),
    );
    expect(seen.map(({ status }) => status)).toEqual(seen.map(() => 200));
    expect(seen.map(({ text }) => /plum|Wrote/.test(text))).toEqual(seen.map(() => false));
    const stream = await viewer.get(`/v1/turns/${id}/events/stream`);
    expect(stream.text).toContain('TurnCompleted');
    expect(/plum|Wrote/.test(stream.text)).toBe(false);
    const log = (await viewer.get('/v1/events?limit=1000')).body as { items: unknown[] };
    expect(log.items.length).toBeGreaterThan(20);
    expect(log.items.map((event) => parseEvent(event)).filter(({ ok }) => !ok)).toEqual([]);
    const auditor = await run.issue({ name: 'audit', roles: ['auditor'] });
    expect((await auditor.get(`/v1/turns/${id}/events`)).text).toContain('plum-content');
  });
});

describe('given an audit', () => {
  it('shows the trail by filter, newest first, and leaves an event that it was viewed', async () => {
    await turn(admin, 'alpha', { input: 'what time is it', wait: true });
    await turn(admin, 'beta', { input: 'hello', wait: true });
    const auditor = await run.issue({ name: 'audit', roles: ['auditor'] });
    const trail = (query: string) => auditor.get(`/v1/agents/alpha/trail?${query}`);
    const all = (await trail('limit=500')).body as { items: { agent: string; position: string }[] };
    expect(new Set(all.items.map(({ agent }) => agent))).toEqual(new Set(['alpha']));
    const positions = all.items.map(({ position }) => position);
    expect(positions).toEqual([...positions].sort().reverse());
    const calls = (await trail('verdict=allow&tool=time_now')).body as {
      items: { type: string }[];
    };
    expect(calls.items.map(({ type }) => type)).toEqual(['ToolCallAuthorized']);
    const page = (await trail('limit=2')).body as { items: unknown[]; next: string };
    const next = (await trail(`limit=2&cursor=${page.next}`)).body as { items: unknown[] };
    expect([...page.items, ...next.items]).toEqual(all.items.slice(0, 4));
    const viewed = await admin.get('/v1/events?types=TrailViewed');
    expect((viewed.body as { items: unknown[] }).items.length).toBe(3);
  });

  it('explains a call without making it', async () => {
    const explain = async (tool: string, args: object) =>
      (await admin.post('/v1/agents/alpha/explain', { tool, args })).body as object;
    expect(await explain('time_now', {})).toMatchObject({ verdict: 'allow' });
    expect(await explain('file_write', { path: 'a', content: '' })).toMatchObject({
      verdict: 'ask',
      rule: 'approval.autonomy',
    });
    expect(await explain('file_read', { path: '/etc/passwd' })).toMatchObject({
      verdict: 'refuse',
    });
    expect(await explain('http_fetch', { url: 'https://example.com' })).toMatchObject({
      verdict: 'refuse',
      rule: 'tools.allowed',
    });
    expect(await explain('no_such_tool', {})).toMatchObject({
      verdict: 'refuse',
      rule: 'gate.unknown_tool',
    });
    const { body } = await admin.get('/v1/events?types=TurnRequested,ToolCallRefused');
    expect((body as { items: unknown[] }).items).toEqual([]);
  });

  it('gives the same lists after the read models were built again', async () => {
    await turn(admin, 'alpha', { input: 'what time is it', wait: true });
    await turn(admin, 'alpha', { input: 'write the plum', wait: true });
    const look = async () => [
      (await admin.get('/v1/turns')).body as unknown,
      (await admin.get('/v1/approvals?state=all')).body as unknown,
      ((await admin.get('/v1/parity')).body as { rows: unknown }).rows,
    ];
    const before = await look();
    expect((await admin.post('/v1/projections/rebuild', {})).status).toBe(202);
    expect(await look()).toEqual(before);
  });
});
