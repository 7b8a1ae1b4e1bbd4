import { copyFile, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { LockstepEvent } from '@lockstep/engine';
import { startScriptedServer, type ScriptedServer } from '../support/http-script.ts';
import {
  processFolder,
  type DaemonProcess,
  type ProcessFolder,
} from '../support/lockstep-process.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const config = (model: string): string => `
[agents.alpha]
provider = "cloud"
risk_profile = "careful"
runtime_profile = "short"
[risk_profiles.careful]
[runtime_profiles.short]
[providers.cloud]
type = "openai_compatible"
base_url = "${model}/v1"
model = "local"
max_attempts = 3
prices = "free"
`;

const answer = (text: string): string =>
  JSON.stringify({
    id: 'c',
    created: 1,
    model: 'local',
    object: 'chat.completion',
    choices: [{ index: 0, message: { role: 'assistant', content: text }, finish_reason: 'stop' }],
    usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
  });

const held: ServerResponse[] = [];
let model: ScriptedServer;
let place: ProcessFolder;
let daemon: DaemonProcess;
/** The data folder as the daemon sees it: a small file system of its own. */
let inside: string;
let node: string;

beforeAll(async () => {
  model = await startScriptedServer(({ body }, response) => {
    const waits = JSON.stringify(body).includes('keep me waiting');
    response.setHeader('content-type', 'application/json');
    if (waits && held.length === 0) held.push(response);
    else response.end(answer('Answered.'));
  });
  place = await processFolder(config(model.url), 'default: [{ say: "unused" }]');
  const size = String(4 * 1024 * 1024);
  const around = ['bwrap', '--die-with-parent', '--bind', '/', '/', '--dev-bind', '/dev', '/dev'];
  daemon = await place.up([], [...around, '--size', size, '--tmpfs', place.data, '--']);
  node = (await readFile(`/proc/${daemon.pid}/task/${daemon.pid}/children`, 'utf8')).trim();
  inside = `/proc/${node}/root${place.data}`;
});
afterAll(async () => {
  await place.remove();
  await model.close();
});

const call = async (path: string, body?: object) => {
  const { token } = JSON.parse(await readFile(join(inside, 'local.json'), 'utf8')) as {
    token: string;
  };
  const response = await fetch(`${daemon.url}${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
};
const ask = (input: string, wait = true) => call('/v1/agents/alpha/turns', { input, wait });
const typesOf = async (turn: string): Promise<string[]> =>
  ((await call(`/v1/turns/${turn}/events`)).body['items'] as LockstepEvent[]).map(
    ({ type }) => type,
  );

/** Takes all the room there is, to the last byte. */
const fill = async (): Promise<void> => {
  for (const bytes of [64 * 1024, 4 * 1024, 256])
    for (let n = 0, full = false; !full; n += 1)
      full = await writeFile(join(inside, `filler-${bytes}-${n}`), Buffer.alloc(bytes)).then(
        () => false,
        () => true,
      );
};
const makeRoom = async (): Promise<void> => {
  for (const name of await readdir(inside))
    if (name.startsWith('filler')) await rm(join(inside, name));
};

describe('given a disk that fills up while a turn runs', () => {
  it('refuses new turns, loses nothing, and goes on when there is room', async () => {
    expect((await ask('hello')).body).toMatchObject({ status: 'completed', reply: 'Answered.' });
    const running = (await ask('keep me waiting', false)).body as { id: string; position: string };
    await model.arrived(2);
    const before = await typesOf(running.id);
    expect(before).toEqual([
      'TurnRequested',
      'PolicyResolved',
      'MemoryRecalled',
      'ModelCallStarted',
    ]);

    await fill();
    const refused = await ask('x'.repeat(20_000));
    expect([refused.status, refused.body['code']]).toEqual([503, 'disk_full']);
    expect(refused.body['detail']).toContain('full');
    held[0]?.end(answer('x'.repeat(20_000)));
    expect((await call('/v1/agents')).status).toBe(200);
    expect((await call('/healthz')).status).toBe(200);
    expect(await typesOf(running.id)).toEqual(before);

    await makeRoom();
    // The disk is looked at twice a second: room is seen a moment after it is there.
    await expect
      .poll(async () => (await ask('hello again')).body['status'], { timeout: 30_000 })
      .toBe('completed');
    await expect
      .poll(async () => (await typesOf(running.id)).at(-1), { timeout: 30_000 })
      .toBe('TurnCompleted');
    expect((await call(`/v1/turns/${running.id}`)).body['answer']).toMatchObject({
      reply: expect.stringMatching(/^(x{20000}|Answered\.)$/) as string,
    });
    const copy = join(place.folder, 'copy');
    await mkdir(copy);
    for (const name of ['log.db', 'log.db-wal'])
      await copyFile(join(inside, name), join(copy, name));
    const log = await place.lockstep(['--data', copy, 'doctor', '--log']);
    expect([log.code, log.stdout]).toEqual([0, expect.stringContaining('the log is good')]);
  });
});
