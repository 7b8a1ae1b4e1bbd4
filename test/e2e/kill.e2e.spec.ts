import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { LockstepEvent } from '@lockstep/engine';
import { rebuildLog } from '../support/log-folder.ts';
import {
  processFolder,
  type DaemonProcess,
  type ProcessFolder,
} from '../support/lockstep-process.ts';
import { countingServer } from '../support/counting-server.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

/** `lines` is the file in which the server counts. */
const config = (lines: string): string => `
[agents.alpha]
provider = "local"
risk_profile = "careful"
runtime_profile = "short"
mcp_bundles = ["count"]
[risk_profiles.careful]
autonomy = "supervised"
[risk_profiles.careful.tools]
allowed = ["mcp:count/*"]
[risk_profiles.careful.approval]
auto_approve = ["mcp:count/append", "mcp:count/hold", "mcp:count/again"]
[runtime_profiles.short]
[providers.local]
type = "scripted"
script = "script.yaml"
prices = "free"
${countingServer(lines, ['append', 'asked', 'hold', 'again'], ['again'])}
`;

const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];
const steps = 6;
/** Each call of each burst leaves a line of its own, so that a second run of one would show. */
const bursts = names
  .map(
    (name) => `  - when: "burst ${name}"
    steps:
${Array.from({ length: steps }, (_, i) => `      - calls: [{ tool: "mcp:count/append", args: { line: "${name}${i}" } }]`).join('\n')}
      - say: "Burst done."`,
  )
  .join('\n');

const script = `
scenarios:
  - when: "while the model thinks"
    steps:
      - calls: [{ tool: "mcp:count/append", args: { line: "thinking" } }]
      - { wait_ms: 600000, say: "never said" }
      - say: "Thought again: {{results.0}}"
  - when: "while a call runs"
    steps:
      - calls: [{ tool: "mcp:count/hold", args: { line: "held" } }]
      - calls: [{ tool: "mcp:count/hold", args: { line: "held" } }]
      - say: "After: {{results.0}}"
  - when: "while a repeatable call runs"
    steps:
      - calls: [{ tool: "mcp:count/again", args: { line: "again" } }]
      - say: "After: {{results.0}}"
  - when: "while a person is asked"
    steps:
      - calls: [{ tool: "mcp:count/asked", args: { line: "asked" } }]
      - say: "After: {{results.0}}"
${bursts}
default: [{ say: "Plain answer." }]
`;

let place: ProcessFolder;
let lines: string;
beforeEach(async () => {
  place = await processFolder('', script);
  lines = join(place.folder, 'lines');
  await writeFile(place.config, config(lines));
});
afterEach(() => place.remove());

/** What the server really did, line by line. */
const done = async (): Promise<string[]> =>
  (await readFile(lines, 'utf8')).split('\n').filter((line) => line !== '');

const headers = async (): Promise<Record<string, string>> => {
  const { token } = JSON.parse(await readFile(join(place.data, 'local.json'), 'utf8')) as {
    token: string;
  };
  return { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
};
const call = async (daemon: DaemonProcess, path: string, body?: object): Promise<unknown> => {
  const response = await fetch(`${daemon.url}${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: await headers(),
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return response.json();
};
const start = async (daemon: DaemonProcess, input: string): Promise<string> =>
  ((await call(daemon, '/v1/agents/alpha/turns', { input })) as { id: string }).id;
const eventsOf = async (daemon: DaemonProcess, turn: string): Promise<LockstepEvent[]> =>
  ((await call(daemon, `/v1/turns/${turn}/events`)) as { items: LockstepEvent[] }).items;
const of = <T extends LockstepEvent['type']>(events: readonly LockstepEvent[], type: T) =>
  events.filter((e): e is Extract<LockstepEvent, { type: T }> => e.type === type);

/** Waits until so many events of a type are on the daemon's own stream. */
const seen = async (daemon: DaemonProcess, type: string, count: number): Promise<void> => {
  const stop = new AbortController();
  const response = await fetch(`${daemon.url}/v1/events/stream?after=start&types=${type}`, {
    headers: await headers(),
    signal: stop.signal,
  });
  let text = '';
  for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    text += chunk;
    if (text.split('event: event\n').length > count) break;
  }
  stop.abort();
};
const ended = (
  daemon: DaemonProcess,
  turn: string,
): Promise<{ answer: { status: string; reply: string } }> =>
  fetchUntil(daemon, turn, ['completed', 'failed', 'cancelled']);
const fetchUntil = async (daemon: DaemonProcess, turn: string, statuses: readonly string[]) => {
  const look = async () =>
    (await call(daemon, `/v1/turns/${turn}`)) as { answer: { status: string; reply: string } };
  await expect
    .poll(async () => statuses.includes((await look()).answer.status), { timeout: 30_000 })
    .toBe(true);
  return look();
};

describe('given a daemon that is killed in the middle of its turns', () => {
  it('goes on or settles each of them, and runs no call twice that may run once', async () => {
    const first = await place.up();
    const thinking = await start(first, 'while the model thinks');
    const held = await start(first, 'while a call runs');
    const again = await start(first, 'while a repeatable call runs');
    const asked = await start(first, 'while a person is asked');
    await seen(first, 'ToolCallCompleted', 1);
    await seen(first, 'ModelCallStarted', 5);
    await seen(first, 'ToolCallStarted', 3);
    await seen(first, 'ApprovalRequested', 1);
    await expect.poll(done).toHaveLength(3);
    await first.kill();

    expect(await place.lockstep(['doctor', '--log'])).toMatchObject({ code: 0, stderr: '' });
    await writeFile(`${lines}.go`, '');
    const second = await place.up();

    const thought = await ended(second, thinking);
    expect(thought.answer).toMatchObject({
      status: 'completed',
      reply: 'Thought again: appended thinking',
    });
    const thoughts = await eventsOf(second, thinking);
    expect(of(thoughts, 'ModelCallFailed').map(({ data }) => data.error.kind)).toEqual([
      'interrupted',
    ]);

    const lost = await eventsOf(second, (await ended(second, held), held));
    expect(of(lost, 'ToolCallOutcomeUnknown').length).toBe(1);
    expect(of(lost, 'ToolCallStarted').length).toBe(1);
    expect(of(lost, 'ToolCallRefused').map(({ data }) => data.rule)).toEqual([
      'gate.unsettled_outcome',
    ]);

    expect((await ended(second, again)).answer.reply).toBe('After: appended again');
    const repeated = of(await eventsOf(second, again), 'ToolCallStarted');
    expect(repeated.map(({ data }) => data.attempt)).toEqual([1, 2]);
    expect(new Set(repeated.map(({ data }) => data.idempotencyKey)).size).toBe(1);

    const { items } = (await call(second, '/v1/approvals')) as {
      items: { id: string; revision: number; shown: string; turn: string }[];
    };
    expect(items.map(({ turn }) => turn)).toEqual([asked]);
    for (const { id, revision, shown } of items)
      await call(second, `/v1/approvals/${id}/decision`, { choice: 'once', revision, shown });
    expect((await ended(second, asked)).answer.reply).toBe('After: appended asked');

    expect((await done()).sort()).toEqual(['again', 'again', 'asked', 'held', 'thinking']);
    expect(await second.stop()).toMatchObject({ code: 0 });
    expect(await rebuildLog(place.data)).toMatchObject({ turns: 4 });
  });

  it('keeps that promise wherever between the steps of many turns it is killed', async () => {
    const turns: string[] = [];
    let daemon = await place.up();
    for (const [round, type] of ['ToolCallAuthorized', 'ToolCallCompleted'].entries()) {
      for (const name of names.slice(round * 4, round * 4 + 4))
        turns.push(await start(daemon, `burst ${name}`));
      await seen(daemon, type, 4 + round * 30);
      await daemon.kill();
      daemon = await place.up();
    }
    let [started, unknown, interrupted] = [0, 0, 0];
    for (const turn of turns) {
      expect((await ended(daemon, turn)).answer.status).toBe('completed');
      const events = await eventsOf(daemon, turn);
      started += of(events, 'ToolCallStarted').length;
      unknown += of(events, 'ToolCallOutcomeUnknown').length;
      interrupted += of(events, 'ModelCallFailed').length;
      expect(of(events, 'ToolCallRefused')).toEqual([]);
    }
    const ran = await done();
    expect(ran.length).toBe(new Set(ran).size);
    // Each call ran once, or nobody knows, and then at most once; an attempt of the model that was cut off took its step along.
    expect(ran.length).toBeLessThanOrEqual(started);
    expect(ran.length).toBeGreaterThanOrEqual(started - unknown);
    expect(started).toBeLessThanOrEqual(names.length * steps);
    expect(started).toBeGreaterThanOrEqual(names.length * steps - interrupted);
    expect(await daemon.stop()).toMatchObject({ code: 0 });
    expect(await place.lockstep(['doctor', '--log'])).toMatchObject({ code: 0 });
    expect(await rebuildLog(place.data)).toMatchObject({ turns: 8 });
  });
});
