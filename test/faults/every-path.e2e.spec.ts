import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startScriptedServer, type ScriptedServer } from '../support/http-script.ts';
import { rebuildLog, eventsIn } from '../support/log-folder.ts';
import {
  approveAll,
  doneLines,
  finishRich,
  richConfig,
  richScript,
  startRich,
  starts,
} from '../support/rich-team.ts';
import { runDaemon } from '../support/running-daemon.ts';
import { lostOrTwice } from '../support/whole-log.ts';
import { stoppableLog } from '../support/stopped-log.ts';

/** A run of six turns takes fewer appends than these. */
const most = 200;
/** `1` = every append; `80-90` = those. */
const wanted = process.env['LOCKSTEP_EVERY_APPEND'];
const isSample = wanted === undefined;

/** Appends after which the daemon dies: a few of them, or as the environment says. */
const pointsOf = (range: string | undefined): readonly number[] => {
  if (range === undefined) return [1, 7, 16, 29, 47, 71, 102, 140];
  const [from = 0, to = from] = range === '1' ? [0, most - 1] : range.split('-').map(Number);
  return Array.from({ length: to - from + 1 }, (_, n) => from + n);
};
const points = pointsOf(wanted);

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

const playTo = async (appends: number): Promise<boolean> => {
  const lines = join(folder, `lines-${appends}`);
  const log = stoppableLog();
  const running = await runDaemon(richConfig(lines, `${receiver.url}/${appends}`), richScript(), {
    overLog: log.over,
  });
  try {
    log.stopAfter(appends);
    const answers = Promise.allSettled(starts.map((name) => startRich(running, name)));
    const approving = setInterval(() => void approveAll(running.admin()).catch(() => 0), 20);
    const whole = await Promise.race([
      log.stopped().then(() => false),
      answers.then(() => finishRich(running)).catch(() => false),
    ]);
    clearInterval(approving);
    await running.stop();
    await answers;
    log.revive();
    await running.start();
    await finishRich(running);
    await running.stop();
    if (!isSample) process.stderr.write(`died after ${appends}: ${whole ? 'whole' : 'cut'}\n`);
    await expectWhole(running.data, { lines, acknowledged: log.acknowledged, appends });
    return whole;
  } finally {
    await running.remove();
  }
};

const expectWhole = async (
  data: string,
  found: {
    readonly lines: string;
    readonly acknowledged: readonly string[];
    readonly appends: number;
  },
): Promise<void> => {
  await rebuildLog(data);
  const { acknowledged, lines, appends } = found;
  const problems = lostOrTwice(await eventsIn(data), {
    acknowledged,
    done: await doneLines(lines),
  });
  expect(problems, `after ${appends} appends`).toEqual([]);
};

it.each(points)(
  'loses nothing and runs nothing twice on any path when it dies after append %i',
  async (appends) => {
    const whole = await playTo(appends);
    // A point that comes after the end would test nothing.
    if (isSample) expect(whole).toBe(false);
  },
  240_000,
);
