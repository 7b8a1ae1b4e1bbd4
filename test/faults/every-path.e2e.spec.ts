import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { LockstepEvent } from '@lockstep/engine';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { startScriptedServer, type ScriptedServer } from '../support/http-script.ts';
import { rebuildLog, eventsIn } from '../support/log-folder.ts';
import {
  approveAll,
  doneLines,
  richConfig,
  richScript,
  startRich,
  starts,
} from '../support/rich-team.ts';
import { runDaemon, type RunningDaemon } from '../support/running-daemon.ts';
import { stoppableLog } from '../support/stopped-log.ts';

/** Appends after which the daemon dies, over a run of six turns that takes some two hundred of them. The bench-sized run takes each. */
const points =
  process.env['LOCKSTEP_EVERY_APPEND'] === undefined
    ? [1, 7, 16, 29, 47, 71, 102, 140]
    : Array.from({ length: 200 }, (_, n) => n);

let receiver: ScriptedServer;
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'lockstep-faults-'));
  receiver = await startScriptedServer((_seen, response) => {
    response.writeHead(200).end();
  });
});
afterAll(async () => {
  await receiver.close();
  await rm(folder, { recursive: true, force: true });
});

const isOver = (event: LockstepEvent): boolean =>
  ['TurnCompleted', 'TurnFailed', 'TurnCancelled', 'TurnRefused'].includes(event.type);

/** Lets everything that is open come to its end. */
const finish = (running: RunningDaemon): Promise<true> =>
  eventually(
    'the end of all that is open',
    async () => {
      await approveAll(running.admin());
      const { body } = await running.admin().get('/v1/adopt');
      const { open } = body as { readonly open: Readonly<Record<string, number>> };
      return Object.values(open).every((count) => count === 0) ? true : null;
    },
    30_000,
  );

const playTo = async (appends: number): Promise<boolean> => {
  const lines = join(folder, `lines-${appends}`);
  const log = stoppableLog();
  const running = await runDaemon(richConfig(lines, `${receiver.url}/${appends}`), richScript, {
    overLog: log.over,
  });
  try {
    log.stopAfter(appends);
    const answers = Promise.allSettled(starts.map((name) => startRich(running, name)));
    const approving = setInterval(() => void approveAll(running.admin()).catch(() => 0), 20);
    const whole = await Promise.race([
      log.stopped().then(() => false),
      answers.then(() => finish(running)).catch(() => false),
    ]);
    clearInterval(approving);
    await running.stop();
    await answers;
    log.revive();
    await running.start();
    await finish(running);
    await running.stop();
    if (process.env['LOCKSTEP_EVERY_APPEND'] !== undefined)
      process.stderr.write(`died after ${appends}: ${whole ? 'whole' : 'cut'}\n`);
    await expectWhole(running.data, { lines, acknowledged: log.acknowledged, appends });
    return whole;
  } finally {
    await running.remove();
  }
};

const expectWhole = async (
  data: string,
  found: { readonly lines: string; readonly acknowledged: readonly string[]; appends: number },
): Promise<void> => {
  const at = `after ${found.appends} appends`;
  await rebuildLog(data);
  const events = await eventsIn(data);
  const ids = new Set(events.map(({ id }) => id));
  expect(
    found.acknowledged.filter((id) => !ids.has(id)),
    `lost ${at}`,
  ).toEqual([]);
  const done = await doneLines(found.lines);
  expect([...done].sort(), `run twice ${at}`).toEqual([...new Set(done)].sort());
  const of = <T extends LockstepEvent['type']>(type: T) =>
    events.filter((event): event is Extract<LockstepEvent, { type: T }> => event.type === type);
  const begun = of('TurnRequested').map(({ stream }) => stream);
  expect(new Set(begun).size, `begun twice ${at}`).toBe(begun.length);
  expect(
    events
      .filter(isOver)
      .map(({ stream }) => stream)
      .sort(),
    `open ${at}`,
  ).toEqual(begun.sort());
  const accepted = of('MessageAccepted').map(({ data: { turn } }) => `turn-${turn}`);
  expect(
    accepted.filter((turn) => !begun.includes(turn)),
    `unanswered ${at}`,
  ).toEqual([]);
  const asked = of('ApprovalRequested').map(({ data: { approval } }) => approval);
  const decided = new Set(
    events.flatMap((event) =>
      event.type === 'ApprovalGranted' ||
      event.type === 'ApprovalDenied' ||
      event.type === 'ApprovalClosed' ||
      event.type === 'ApprovalExpired'
        ? [event.data.approval]
        : [],
    ),
  );
  expect(
    asked.filter((id) => !decided.has(id)),
    `waits ${at}`,
  ).toEqual([]);
  const children = of('ToolCallStarted').flatMap((event) =>
    (event.data.children ?? []).map(({ turn }) => `turn-${turn}`),
  );
  const below = of('TurnRequested').filter(({ meta }) => meta.agent === 'helper');
  expect(below.map(({ stream }) => stream).sort(), `children ${at}`).toEqual(
    [...new Set(children)].sort(),
  );
  const owed = of('MessageAccepted').filter(({ data: { replyTo } }) => replyTo !== undefined);
  const told = of('ReplyDelivered').length + of('ReplyDeliveryFailed').length;
  expect(told, `replies ${at}`).toBeGreaterThanOrEqual(owed.length);
  // Every line belongs to a call that was recorded before.
  const started = of('ToolCallStarted').filter(({ data: { tool } }) => tool.startsWith('mcp:'));
  expect(done.length, `unrecorded ${at}`).toBeLessThanOrEqual(started.length);
  const name = (event: { stream: string; data: { call: string } }): string =>
    `${event.stream} ${event.data.call}`;
  const calls = new Set(started.map(name));
  const completed = of('ToolCallCompleted').filter((event) => calls.has(name(event)));
  expect(done.length, `completed, but never run ${at}`).toBeGreaterThanOrEqual(completed.length);
  const rows = of('MemoryStored').map(({ data: { turn, call } }) => `${turn} ${call}`);
  expect(new Set(rows).size, `kept twice ${at}`).toBe(rows.length);
};

it.each(points)(
  'loses nothing and runs nothing twice on any path when it dies after append %i',
  async (appends) => {
    const whole = await playTo(appends);
    // A point that comes after the end would test nothing.
    if (process.env['LOCKSTEP_EVERY_APPEND'] === undefined) expect(whole).toBe(false);
  },
  60_000,
);
