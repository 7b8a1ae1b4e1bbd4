import { createHash } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  identityReader,
  openSqliteLog,
  timerAlarms,
  TurnsService,
  uuidV7Ids,
  type TurnRequest,
} from '@lockstep/daemon';
import { artifactsOver, builtinSpecs } from '@lockstep/engine';
import { fakeMemory, fakeModel, fakeTools, plainMasker } from '@lockstep/engine/testing';
import { expect, it } from 'vitest';
import { asking } from '../oracle/asking.ts';

const clock = { now: () => Date.now() };
const ids = uuidV7Ids(clock);
const applied = asking({ auto_approve: ['file_read'], timeout_secs: 3_600 });
const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

/** One run of a daemon's turns over a folder. Its model writes when it is asked to, else reads a file that never comes. */
const open = async (folder: string, id: string) => {
  const { store, ledger } = await openSqliteLog({ folder, clock });
  const tools = fakeTools(builtinSpecs, {
    root: '/ws/a',
    run: () => new Promise<never>(() => undefined),
  });
  const model = fakeModel(({ input }) => {
    const writes = input.messages.some(
      ({ role, ...m }) => role === 'user' && 'text' in m && m.text.includes('write'),
    );
    return writes
      ? { calls: [{ tool: 'builtin:file_write', args: { path: 'a.md', content: 'x' } }] }
      : { calls: [{ tool: 'builtin:file_read', args: { path: 'a.md' } }] };
  });
  const problems: unknown[] = [];
  const turns = new TurnsService(
    {
      store,
      ledger,
      artifacts: artifactsOver({
        store,
        ids,
        digest: sha256,
        daemon: id,
        build: 'test',
        cacheChars: 1_000_000,
      }),
      models: { for: () => model },
      tools,
      masker: plainMasker(),
      memory: fakeMemory(),
      readIdentity: identityReader(plainMasker()),
      readSkills: () => Promise.resolve([]),
      clock,
      ids,
      config: { current: () => applied, version: () => applied, onApplied: () => () => undefined },
      identity: { id, build: 'test' },
      alarms: timerAlarms(clock),
      report: ({ error }) => problems.push(error),
    },
    null,
  );
  return { store, ledger, tools, turns, problems };
};

const request = (input: string): TurnRequest => ({
  agent: 'a',
  principal: { kind: 'local', id: 'local', person: null },
  session: null,
  origin: { kind: 'run' },
  client: 'none',
  input,
  idempotency: null,
  listening: false,
});

it('finds a thousand requests that wait and a hundred turns that ran again after it died', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'lockstep-waiting-'));
  try {
    const first = await open(folder, 'd1');
    const inputs = Array.from({ length: 1_100 }, (_, n) => (n < 1_000 ? 'write' : 'run'));
    const launched = await Promise.all(inputs.map((input) => first.turns.launch(request(input))));
    const turns = launched.map((one) => (one.kind === 'accepted' ? one.turn : ''));
    await Promise.all(
      turns.slice(0, 1_000).map((turn) => first.turns.settled(turn, new AbortController().signal)),
    );
    await expect.poll(() => first.tools.runs.length).toBe(100);
    const before = first.ledger.pending().map(({ id }) => id);
    // It dies: nothing is settled, nothing is said.
    await first.store.close();

    const next = await open(folder, 'd2');
    expect(await next.turns.recover()).toEqual({ turns: 1_100, messages: 0 });
    expect(next.ledger.pending().map(({ id }) => id)).toEqual(before);
    expect(before.length).toBe(1_000);
    await expect.poll(() => next.tools.runs.length).toBe(100);
    const states = await Promise.all(turns.map((turn) => next.turns.answer(turn)));
    const waiting = states.filter((answer) => answer?.status === 'waiting').length;
    const running = states.filter((answer) => answer?.status === 'running').length;
    expect([waiting, running]).toEqual([1_000, 100]);
    expect(next.problems).toEqual([]);
    await next.store.close();
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
