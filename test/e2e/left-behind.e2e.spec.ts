import { once } from 'node:events';
import { mkdir, readdir, rename, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { WebSocket } from 'ws';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { LockstepEvent } from '@lockstep/engine';
import { rpcClient } from '../support/rpc-client.ts';
import { runDaemon, type Caller, type RunningDaemon } from '../support/running-daemon.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const config = `
[agents.alpha]
provider = "local"
risk_profile = "open"
runtime_profile = "short"
skill_bundles = ["work"]
[risk_profiles.open]
autonomy = "full"
[risk_profiles.open.tools]
allowed = ["file_*", "shell", "cron_add", "skill_read", "time_now"]
[risk_profiles.open.shell]
allowed_commands = ["cat", "ls", "sleep"]
[runtime_profiles.short]
[skill_bundles.work]
directory = "skills"
[providers.local]
type = "scripted"
script = "script.yaml"
prices = "free"
`;
const script = `
scenarios:
  - when: look around
    steps:
      - calls:
          - { tool: file_read, args: { path: kept.txt } }
          - { tool: file_list, args: { path: . } }
          - { tool: file_write, args: { path: planted.txt, content: x } }
          - { tool: shell, args: { command: "cat kept.txt" } }
          - { tool: shell, args: { command: "ls > listed.txt" } }
      - { say: looked }
  - when: plan by the skill
    steps:
      - calls: [{ tool: skill_read, args: { skill: planning } }]
      - calls: [{ tool: cron_add, args: { name: later, schedule: "0 1 * * *", prompt: "look around" } }]
      - { say: planned }
  - when: long line
    steps:
      - calls: [{ tool: shell, args: { command: "sleep 60" } }]
      - { say: done }
  - when: slow
    steps: [{ say: late, wait_ms: 60000 }]
default: [{ say: hello }]
`;

let run: RunningDaemon;
let outside: string;
beforeAll(async () => {
  run = await runDaemon(config, script);
  await mkdir(join(run.folder, 'skills/planning'), { recursive: true });
  await writeFile(
    join(run.folder, 'skills/planning/SKILL.md'),
    '---\nname: planning\ndescription: plans\nallowed-tools: cron_add time_now\n---\nPlan.\n',
  );
  outside = join(run.folder, 'outside');
  await mkdir(outside);
  await writeFile(join(outside, 'kept.txt'), 'words from outside');
  await mkdir(join(run.data, 'workspaces/alpha/inside'), { recursive: true });
});
afterAll(() => run.remove());

const eventsOf = async (turn: string): Promise<readonly LockstepEvent[]> => {
  const { body } = await run.admin().get(`/v1/turns/${turn}/events?limit=1000`);
  return (body as { readonly items: readonly LockstepEvent[] }).items;
};

/** How each call of a turn ended: the rule that refused it, or what it said. */
const endsOf = async (turn: string): Promise<readonly string[]> =>
  (await eventsOf(turn)).flatMap((event) => {
    if (event.type === 'ToolCallRefused') return [event.data.rule];
    if (event.type === 'ToolCallFailed') return [event.data.error.kind];
    return event.type === 'ToolCallCompleted' ? [JSON.stringify(event.data.result)] : [];
  });

describe('given a folder that a client named when it connected', () => {
  it('opens nothing through a link that stands in its place since', async () => {
    const inside = join(run.data, 'workspaces/alpha/inside');
    const client = await rpcClient(run.data);
    await client.call('initialize', { cwd: inside });
    await rename(inside, `${inside}-before`);
    await symlink(outside, inside);
    const answer = await client.call('turns.start', {
      agent: 'alpha',
      input: 'look around',
      wait: true,
    });
    client.close();
    const turn = String(answer.result?.['turn'] ?? answer.result?.['id']);
    expect(await endsOf(turn)).toEqual([
      'workspace.workspace_only',
      'workspace.workspace_only',
      'workspace.workspace_only',
      'workspace.workspace_only',
      'unavailable',
    ]);
    expect(await readdir(outside)).toEqual(['kept.txt']);
  });
});

describe('given a job that was made while a skill left few tools', () => {
  it('leaves the job no more than the skill left', async () => {
    const body = { input: 'plan by the skill', wait: true };
    await run.admin().post('/v1/agents/alpha/turns', body);
    const started = await run.admin().post('/v1/jobs/later/run');
    const { turn } = started.body as { readonly turn: string };
    await vi.waitFor(
      async () => {
        const events = await eventsOf(turn);
        expect(events.at(-1)?.type).toBe('TurnCompleted');
      },
      { timeout: 30_000, interval: 200 },
    );
    expect(new Set(await endsOf(turn))).toEqual(new Set(['tools.allowed']));
  });
});

describe('given a token whose scope leaves tools out', () => {
  it('says nothing to a turn of somebody else, which has more tools, and speaks with its own', async () => {
    const scopes = { tools: ['time_now'] };
    const few = await run.issue({ name: 'few', roles: ['operator'], scopes });
    const slow = async (caller: Caller): Promise<string> => {
      const { body } = await caller.post('/v1/agents/alpha/turns', { input: 'slow' });
      return (body as { readonly id: string }).id;
    };
    const [theirs, own] = [await slow(run.admin()), await slow(few)];
    const steered = async (turn: string): Promise<number> =>
      (await few.post(`/v1/turns/${turn}/steer`, { text: 'write the file' })).status;
    expect([await steered(theirs), await steered(own)]).toEqual([403, 202]);
    const headers = { authorization: `Bearer ${few.token}` };
    const socket = new WebSocket(`${run.url().replace('http', 'ws')}/v1/ws`, { headers });
    await once(socket, 'open');
    socket.send(JSON.stringify({ type: 'steer', id: '1', turn: theirs, text: 'write the file' }));
    const [answer] = (await once(socket, 'message')) as [Buffer];
    expect(JSON.parse(answer.toString())).toMatchObject({ type: 'error', code: 'forbidden' });
    socket.close();
    const told = (await eventsOf(theirs)).filter(({ type }) => type === 'TurnSteered');
    expect(told).toEqual([]);
    for (const turn of [theirs, own])
      await run.admin().post(`/v1/turns/${turn}/cancel`, { why: 'done' });
  });

  it('settles no call of a tool that it could not approve', async () => {
    const body = { input: 'long line' };
    const { id } = (await run.admin().post('/v1/agents/alpha/turns', body)).body as { id: string };
    await vi.waitFor(
      async () => {
        expect((await eventsOf(id)).at(-1)?.type).toBe('ToolCallStarted');
      },
      { timeout: 30_000, interval: 100 },
    );
    await run.stop();
    await run.start();
    const scopes = { tools: ['time_now'] };
    const other = await run.issue({ name: 'other', roles: ['operator'], scopes });
    const { body: list } = await run.admin().get('/v1/unknown-outcomes');
    const [lost] = (list as { items: { turn: string; call: string }[] }).items;
    const path = `/v1/turns/${lost?.turn ?? ''}/calls/${lost?.call ?? ''}/settle`;
    expect(lost?.turn).toBe(id);
    expect((await other.post(path, { as: 'retry' })).status).toBe(403);
    expect((await run.admin().post(path, { as: 'done' })).status).toBe(200);
  });
});
