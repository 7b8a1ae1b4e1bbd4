import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { LockstepEvent } from '@lockstep/engine';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  startEventStoreServer,
  type EventStoreServer,
} from '../support/eventstore-server/start.ts';
import { eventually } from '../support/eventually.ts';
import {
  processFolder,
  type DaemonProcess,
  type ProcessFolder,
} from '../support/lockstep-process.ts';
import { countingServer } from '../support/counting-server.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const password = 'kept-from-every-text';

const config = (lines: string): string => `
[store]
type = "eventstoredb"
connection = { file = "connection.txt" }
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
auto_approve = ["mcp:count/append", "mcp:count/hold"]
[runtime_profiles.short]
[providers.local]
type = "scripted"
script = "script.yaml"
prices = "free"
${countingServer(lines, ['append', 'hold'])}
`;

const script = `
scenarios:
  - when: "one call"
    steps:
      - calls: [{ tool: "mcp:count/append", args: { line: "one" } }]
      - say: "After: {{results.0}}"
  - when: "a call that is cut off"
    steps:
      - calls: [{ tool: "mcp:count/hold", args: { line: "held" } }]
      - say: "After: {{results.0}}"
default: [{ say: "Plain answer." }]
`;

let server: EventStoreServer;
let place: ProcessFolder;
let lines: string;
beforeEach(async () => {
  server = await startEventStoreServer();
  place = await processFolder('', script);
  lines = join(place.folder, 'lines');
  await writeFile(place.config, config(lines));
  const connection = server.connection.replace('esdb://', `esdb://admin:${password}@`);
  await writeFile(join(place.folder, 'connection.txt'), `${connection}\n`);
});
afterEach(async () => {
  await place.remove();
  server.close();
});

const call = async (daemon: DaemonProcess, path: string, body?: object): Promise<unknown> => {
  const { token } = JSON.parse(await readFile(join(place.data, 'local.json'), 'utf8')) as {
    token: string;
  };
  const response = await fetch(`${daemon.url}${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return response.json();
};
const start = async (daemon: DaemonProcess, input: string): Promise<string> =>
  ((await call(daemon, '/v1/agents/alpha/turns', { input })) as { id: string }).id;
const eventsOf = async (daemon: DaemonProcess, turn: string): Promise<LockstepEvent[]> =>
  ((await call(daemon, `/v1/turns/${turn}/events`)) as { items: LockstepEvent[] }).items;
const reply = (daemon: DaemonProcess, turn: string): Promise<string> =>
  eventually(`the end of ${turn}`, async () => {
    const { answer } = (await call(daemon, `/v1/turns/${turn}`)) as {
      answer: { status: string; reply: string };
    };
    return answer.status === 'completed' ? answer.reply : null;
  });
/** Types of a turn's events as the server keeps them. */
const kept = (turn: string): readonly string[] =>
  server.log.stream(`lockstep.turn-${turn}`).map(({ type }) => type);

describe('given a daemon whose log is on an event store', () => {
  it('runs a turn with a tool, is killed in the next one, and settles that when it is back', async () => {
    const first = await place.up();
    const done = await start(first, 'one call');
    expect(await reply(first, done)).toBe('After: appended one');
    expect(kept(done)).toEqual((await eventsOf(first, done)).map(({ type }) => type));
    const cut = await start(first, 'a call that is cut off');
    await eventually('the call', () => (kept(cut).includes('ToolCallStarted') ? true : null));
    await eventually('its line', async () =>
      (await readFile(lines, 'utf8')).includes('held') ? true : null,
    );
    await first.kill();

    await writeFile(`${lines}.go`, '');
    const second = await place.up();

    await reply(second, cut);
    const after = kept(cut);
    expect(after.filter((type) => type === 'ToolCallStarted')).toHaveLength(1);
    expect(after.filter((type) => type === 'ToolCallOutcomeUnknown')).toHaveLength(1);
    expect(after).toEqual((await eventsOf(second, cut)).map(({ type }) => type));
    expect(await reply(second, done)).toBe('After: appended one');
    expect((await readFile(lines, 'utf8')).split('\n').filter(Boolean).sort()).toEqual([
      'held',
      'one',
    ]);
    const ids = server.log.all.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    const ended = await second.stop();
    expect(ended.code).toBe(0);
    const texts = [
      ended.stdout,
      ended.stderr,
      ...server.log.all.map(({ data }) => Buffer.from(data).toString()),
    ];
    expect(texts.filter((text) => text.includes(password))).toEqual([]);
  });
});
