import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { runDaemon, type RunningDaemon } from '../support/running-daemon.ts';

const config = `
[agents.planner]
provider = "local"
risk_profile = "free"
runtime_profile = "short"
[agents.writer]
provider = "local"
risk_profile = "plain"
runtime_profile = "short"
[agents.off]
enabled = false
provider = "local"
risk_profile = "plain"
runtime_profile = "short"

[risk_profiles.free]
autonomy = "full"
[risk_profiles.free.tools]
allowed = ["cron_*", "sop_start", "time_now", "file_list", "spawn"]
[risk_profiles.free.delegation]
mode = "allow"
sops = ["release", "quiet"]
spawn = true
[risk_profiles.plain]
autonomy = "full"
[risk_profiles.plain.tools]
allowed = ["time_now", "cron_remove"]
[runtime_profiles.short.budgets]
max_tool_iterations = 6

[providers.local]
type = "scripted"
script = "script.yaml"

[cron.nightly]
agent = "planner"
schedule = "0 3 * * *"
prompt = "night work"
tools = ["time_now", "cron_add"]
[cron.ship]
agent = "planner"
schedule = "0 4 * * *"
prompt = "the ship"
tools = ["file_list"]
[cron.dead]
agent = "off"
schedule = "0 5 * * *"
prompt = "nothing"

[heartbeat.writer]
every = "12h"
prompt = "beat"

[sops.release]
triggers = ["manual", "tool"]
[[sops.release.steps]]
agent = "writer"
prompt = "draft {{input}}"
[[sops.release.steps]]
name = "check"
agent = "planner"
prompt = "check {{steps.step1}}"
tools = ["time_now"]
gate = "approval"
[sops.quiet]
triggers = ["manual"]
[[sops.quiet.steps]]
agent = "writer"
prompt = "draft {{input}}"
[sops.shipping]
triggers = ["cron:ship"]
[[sops.shipping.steps]]
agent = "planner"
prompt = "look at {{input}}"
`;

const script = `
scenarios:
  - when: make a job
    steps:
      - calls: [{ tool: cron_add, args: { name: mine, schedule: "0 1 * * *", prompt: "own work", tools: ["time_now"] } }]
      - say: made
  - when: make a deep job
    steps:
      - calls: [{ tool: spawn, args: { input: "make another", tools: ["cron_add", "time_now"] } }]
      - say: spawned
  - when: make another
    steps:
      - calls: [{ tool: cron_add, args: { name: below, schedule: "0 1 * * *", prompt: "own work" } }]
      - say: made
  - when: make a bad job
    steps:
      - calls:
          - { tool: cron_add, args: { name: worse, schedule: "soon", prompt: "own work" } }
          - { tool: cron_add, args: { name: nightly, schedule: "0 1 * * *", prompt: "own work" } }
          - { tool: cron_add, args: { name: heartbeat-x, schedule: "0 1 * * *", prompt: "own work" } }
          - { tool: cron_list, args: {} }
      - say: tried
  - when: end a job
    steps:
      - calls: [{ tool: cron_remove, args: { name: mine } }]
      - say: ended
  - when: night work
    steps:
      - calls:
          - { tool: cron_add, args: { name: bynight, schedule: "0 1 * * *", prompt: "own work" } }
          - { tool: file_list, args: { path: "." } }
      - say: worked at night
  - when: own work
    steps:
      - calls: [{ tool: time_now, args: {} }, { tool: file_list, args: { path: "." } }]
      - say: own work done
  - when: start release
    steps:
      - calls: [{ tool: sop_start, args: { name: release, input: "notes" } }]
      - say: release is through
  - when: start quiet
    steps:
      - calls: [{ tool: sop_start, args: { name: quiet, input: "notes" } }]
      - say: quiet
  - when: start shipping
    steps:
      - calls: [{ tool: sop_start, args: { name: shipping, input: "notes" } }]
      - say: not started
  - when: draft
    steps: [{ say: a text }]
  - when: check
    steps:
      - calls: [{ tool: time_now, args: {} }, { tool: file_list, args: { path: "." } }]
      - say: checked
  - when: look at
    steps:
      - calls: [{ tool: file_list, args: { path: "." } }, { tool: time_now, args: {} }]
      - say: looked
default: [{ say: nothing to do }]
`;

let running: RunningDaemon;
beforeAll(async () => {
  running = await runDaemon(config, script);
});
afterAll(async () => {
  await running.remove();
});

interface Event {
  readonly type: string;
  readonly stream: string;
  readonly meta: Record<string, unknown>;
  readonly data: Record<string, unknown>;
}
const events = async (types: string): Promise<Event[]> => {
  const { body } = await running.admin().get(`/v1/events?types=${types}&limit=500`);
  return (body as { items: Event[] }).items;
};
const run = async (agent: string, input: string): Promise<{ id: string; reply: string }> => {
  const path = `/v1/agents/${agent}/turns`;
  const { body } = await running.admin().post(path, { input, wait: true });
  return body as { id: string; reply: string };
};
const results = async (turn: string): Promise<string[]> => {
  const all = await events('ToolCallCompleted,ToolCallRefused,ToolCallFailed');
  return all
    .filter(({ stream }) => stream === `turn-${turn}`)
    .map(({ type, data }) => {
      if (type === 'ToolCallRefused') return `refused by ${String(data['rule'])}`;
      const content = (data['result'] ?? {}) as { inline?: string };
      return content.inline ?? JSON.stringify(data['error']);
    });
};
const ended = async (turn: string): Promise<string> =>
  eventually('the end of it', async () => {
    const { body } = await running.admin().get(`/v1/turns/${turn}`);
    const { answer } = body as { answer: { status: string } };
    return answer.status === 'completed' || answer.status === 'failed' ? answer.status : null;
  });
const jobTurn = async (name: string): Promise<string> => {
  const { body, status } = await running.admin().post(`/v1/jobs/${name}/run`);
  expect(status).toBe(202);
  return (body as { turn: string }).turn;
};

describe('given jobs of config', () => {
  it('lists them with their next times, beside heartbeats', async () => {
    const { body } = await running.admin().get('/v1/jobs');
    const { items } = body as { items: { name: string; kind: string; next: number[] }[] };
    expect(items.map(({ name, kind }) => [name, kind])).toEqual([
      ['nightly', 'config'],
      ['ship', 'config'],
      ['dead', 'config'],
      ['heartbeat-writer', 'heartbeat'],
    ]);
    const [first] = items;
    expect(first?.next.map((time) => new Date(time).toISOString().slice(11))).toEqual(
      Array.from({ length: 3 }, () => '03:00:00.000Z'),
    );
  });

  it('runs one now, with its own list of tools, as the job', async () => {
    const turn = await jobTurn('nightly');
    expect(await ended(turn)).toBe('completed');
    expect(await results(turn)).toEqual([
      'refused by tools.allowed',
      expect.stringContaining('job `bynight` is made'),
    ]);
    const [resolved] = (await events('PolicyResolved')).filter(
      ({ stream }) => stream === `turn-${turn}`,
    );
    expect(resolved?.meta).toMatchObject({
      path: 'loop',
      trigger: 'cron',
      principal: { kind: 'job', id: 'nightly', person: null },
    });
    const outcome = await eventually(
      'the end of it',
      async () => (await events('JobRun')).find(({ data }) => data['turn'] === turn) ?? null,
    );
    expect(outcome.data['outcome']).toBe('completed');
  });

  it('hands what narrowed it on to a job that it makes, for ever', async () => {
    await running.stop();
    await running.start();
    const turn = await jobTurn('bynight');
    expect(await ended(turn)).toBe('completed');
    expect((await results(turn))[0]).toBe('refused by tools.allowed');
    const [made] = (await events('JobAdded')).filter(({ data }) => data['name'] === 'bynight');
    expect(made?.data).toMatchObject({
      agent: 'planner',
      depth: 1,
      narrowing: {
        'tools.allowed': [['builtin:cron_add', 'builtin:time_now']],
        'memory.backend': 'none',
        'delegation.max_depth': 2,
      },
    });
  });

  it('refuses the job of an agent that is off, and records it as on every path', async () => {
    const turn = await jobTurn('dead');
    const refusal = await eventually(
      'the end of it',
      async () =>
        (await events('TurnRefused')).find(({ stream }) => stream === `turn-${turn}`) ?? null,
    );
    expect(refusal.data).toMatchObject({ code: 'agent_unavailable' });
    const outcome = await eventually(
      'the end of it',
      async () => (await events('JobRun')).find(({ data }) => data['turn'] === turn) ?? null,
    );
    expect(outcome.data['outcome']).toBe('refused');
  });

  it('lets no token borrow the tools of a job, nor a viewer start one', async () => {
    const narrow = await running.issue({
      name: 'narrow',
      roles: ['operator'],
      scopes: { tools: ['file_read'] },
    });
    expect((await narrow.post('/v1/jobs/nightly/run')).status).toBe(403);
    const viewer = await running.issue({ name: 'viewer', roles: ['viewer'] });
    expect((await viewer.post('/v1/jobs/nightly/run')).status).toBe(403);
    const other = await running.issue({
      name: 'other',
      roles: ['operator'],
      scopes: { agents: ['writer'] },
    });
    expect((await other.post('/v1/jobs/nightly/run')).status).toBe(404);
    expect((await other.get('/v1/jobs')).body).toMatchObject({
      items: [{ name: 'heartbeat-writer' }],
    });
  });
});

describe('given an agent that makes jobs', () => {
  it('makes, runs and ends one of its own', async () => {
    const made = await run('planner', 'make a job');
    expect((await results(made.id))[0]).toContain('job `mine` is made; next time: ');
    const turn = await jobTurn('mine');
    await ended(turn);
    expect((await results(turn))[0]).toBe('refused by tools.allowed');
    const theirs = await run('writer', 'end a job');
    expect(await results(theirs.id)).toEqual(['refused by gate.arguments']);
    const own = await run('planner', 'end a job');
    expect(await results(own.id)).toEqual(['job `mine` has ended']);
    expect((await running.admin().get('/v1/jobs/mine')).status).toBe(404);
  });

  it('hears what is wrong with a job, and takes no name of another', async () => {
    const tried = await run('planner', 'make a bad job');
    const said = await results(tried.id);
    expect(said).toEqual(
      expect.arrayContaining([
        'refused by gate.arguments',
        expect.stringContaining('the schedule `soon` cannot be read'),
        expect.stringContaining('`heartbeat-x` is no name for a job'),
        expect.stringContaining('nightly: 0 3 * * * UTC, fixed by config'),
      ]),
    );
  });

  it('leaves through a sub-agent what held for the sub-agent', async () => {
    await run('planner', 'make a deep job');
    const [made] = (await events('JobAdded')).filter(({ data }) => data['name'] === 'below');
    expect(made?.data).toMatchObject({ depth: 2, agent: 'planner' });
    const turn = await jobTurn('below');
    await ended(turn);
    expect((await results(turn))[0]).toBe('refused by tools.allowed');
  });
});

interface Run {
  readonly id: string;
  readonly status: string;
  readonly output: string | null;
  readonly steps: readonly { state: string; gate: string | null; turns: string[] }[];
  readonly failure: { code: string } | null;
}
const runOf = async (id: string): Promise<Run> =>
  (await running.admin().get(`/v1/sops/runs/${id}`)).body as Run;
const waiting = (id: string): Promise<Run> =>
  eventually('the end of it', async () => {
    const run = await runOf(id);
    return run.status === 'waiting' ? run : null;
  });
const over = (id: string): Promise<Run> =>
  eventually('the end of it', async () => {
    const run = await runOf(id);
    return run.status === 'completed' || run.status === 'failed' ? run : null;
  });
const startRun = async (name: string, key?: string): Promise<string> => {
  const headers = key === undefined ? {} : { 'idempotency-key': key };
  const { body } = await running.admin().post(`/v1/sops/${name}/runs`, { input: 'notes' }, headers);
  return (body as { id: string }).id;
};
const decideGate = async (run: string, choice: 'once' | 'deny'): Promise<number> => {
  const { body } = await running.admin().get('/v1/approvals');
  const { items } = body as {
    items: { id: string; kind: string; turn: string; revision: number; shown: string }[];
  };
  const gate = items.find(({ kind, turn }) => kind === 'gate' && turn === run);
  const { status } = await running.admin().post(`/v1/approvals/${gate?.id ?? ''}/decision`, {
    choice,
    revision: gate?.revision,
    shown: gate?.shown,
  });
  return status;
};

describe('given a procedure that a person starts', () => {
  it('waits at its gate over a restart, and goes on once it is let', async () => {
    const id = await startRun('release', 'k1');
    expect((await waiting(id)).steps.map(({ state }) => state)).toEqual(['completed', 'gate']);
    await running.stop();
    await running.start();
    expect(await startRun('release', 'k1')).toBe(id);
    expect(await decideGate(id, 'once')).toBe(200);
    const done = await over(id);
    expect([done.status, done.output]).toEqual(['completed', 'checked']);
    const turn = done.steps[1]?.turns[0] ?? '';
    expect(await results(turn)).toEqual(['refused by tools.allowed', expect.stringContaining('T')]);
    const [resolved] = (await events('PolicyResolved')).filter(
      ({ stream }) => stream === `turn-${turn}`,
    );
    expect(resolved?.meta).toMatchObject({ path: 'sop', trigger: 'headless' });
    expect((await runOf(id)).steps.flatMap(({ turns }) => turns).length).toBe(2);
  });

  it('ends where a person says no', async () => {
    const id = await startRun('release');
    await waiting(id);
    expect(await decideGate(id, 'deny')).toBe(200);
    expect((await over(id)).failure?.code).toBe('gate_denied');
  });

  it('is cancelled by a person', async () => {
    const id = await startRun('release');
    await waiting(id);
    const { status, body } = await running.admin().post(`/v1/sops/runs/${id}/cancel`);
    expect([status, body]).toEqual([202, { id, status: 'cancelled' }]);
    expect((await over(id)).failure?.code).toBe('cancelled');
  });

  it('takes no other body under the same key, no unknown name, and no trigger that is not its own', async () => {
    const key = { 'idempotency-key': 'k1' };
    const admin = running.admin();
    expect((await admin.post('/v1/sops/release/runs', { input: 'else' }, key)).status).toBe(422);
    expect((await admin.post('/v1/sops/none/runs', { input: 'x' })).status).toBe(404);
    expect((await admin.post('/v1/sops/shipping/runs', { input: 'x' })).status).toBe(403);
  });

  it('keeps to the scope of the token that started it, in every step', async () => {
    const narrow = await running.issue({
      name: 'slim',
      roles: ['operator'],
      scopes: { tools: ['file_read'] },
    });
    const { body } = await narrow.post('/v1/sops/release/runs', { input: 'notes' });
    const { id } = body as { id: string };
    await waiting(id);
    await decideGate(id, 'once');
    const turn = (await over(id)).steps[1]?.turns[0] ?? '';
    expect(await results(turn)).toEqual(['refused by tools.allowed', 'refused by tools.allowed']);
    const one = await running.issue({
      name: 'one',
      roles: ['operator'],
      scopes: { agents: ['writer'] },
    });
    expect((await one.post('/v1/sops/release/runs', { input: 'notes' })).status).toBe(403);
  });
});

describe('given a procedure that a job starts', () => {
  it('runs its steps with what the job leaves', async () => {
    const run = await jobTurn('ship');
    expect((await over(run)).output).toBe('looked');
    const turn = (await runOf(run)).steps[0]?.turns[0] ?? '';
    expect(await results(turn)).toEqual(['refused by tools.allowed', 'there is no `.`']);
    const outcome = await eventually(
      'the end of it',
      async () => (await events('JobRun')).find(({ data }) => data['turn'] === run) ?? null,
    );
    expect(outcome.data['outcome']).toBe('completed');
  });
});

describe('given an agent that starts a procedure', () => {
  it('waits for its end and gets what the last step said', async () => {
    const { body } = await running
      .admin()
      .post('/v1/agents/planner/turns', { input: 'start release' });
    const { id: turn } = body as { id: string };
    const started = await eventually(
      'the end of it',
      async () =>
        (await events('SopRunStarted')).find(
          ({ data }) => (data['parent'] as { turn?: string } | null)?.turn === turn,
        ) ?? null,
    );
    const run = String(started.data['run']);
    await waiting(run);
    await decideGate(run, 'once');
    expect(await ended(turn)).toBe('completed');
    expect(await results(turn)).toEqual(['checked']);
    const [call] = (await events('ToolCallStarted')).filter(
      ({ stream }) => stream === `turn-${turn}`,
    );
    expect(call?.data['children']).toEqual([{ turn: run, agent: null }]);
    const step = (await runOf(run)).steps[0]?.turns[0] ?? '';
    const [resolved] = (await events('PolicyResolved')).filter(
      ({ stream }) => stream === `turn-${step}`,
    );
    expect(resolved?.meta).toMatchObject({ path: 'sop', trigger: 'live', parent: turn });
  });

  it('goes on over a restart', async () => {
    const { body } = await running
      .admin()
      .post('/v1/agents/planner/turns', { input: 'start release' });
    const { id: turn } = body as { id: string };
    const started = await eventually(
      'the end of it',
      async () =>
        (await events('SopRunStarted')).find(
          ({ data }) => (data['parent'] as { turn?: string } | null)?.turn === turn,
        ) ?? null,
    );
    const run = String(started.data['run']);
    await waiting(run);
    await running.stop();
    await running.start();
    await decideGate(run, 'once');
    expect(await ended(turn)).toBe('completed');
    expect(await results(turn)).toEqual(['checked']);
    expect((await runOf(run)).steps.map(({ turns }) => turns.length)).toEqual([1, 1]);
  });

  it('ends the procedure with itself', async () => {
    const { body } = await running
      .admin()
      .post('/v1/agents/planner/turns', { input: 'start release' });
    const { id: turn } = body as { id: string };
    const started = await eventually(
      'the end of it',
      async () =>
        (await events('SopRunStarted')).find(
          ({ data }) => (data['parent'] as { turn?: string } | null)?.turn === turn,
        ) ?? null,
    );
    const run = String(started.data['run']);
    await waiting(run);
    await running.admin().post(`/v1/turns/${turn}/cancel`);
    expect((await over(run)).failure?.code).toBe('cancelled');
  });

  it('is refused what its policy does not name, and told what has no such trigger', async () => {
    const shipping = await run('planner', 'start shipping');
    expect(await results(shipping.id)).toEqual(['refused by delegation.sops']);
    const quiet = await run('planner', 'start quiet');
    expect(await results(quiet.id)).toEqual([
      'procedure `quiet` is not started by `tool`: its triggers are `manual`',
    ]);
  });
});
