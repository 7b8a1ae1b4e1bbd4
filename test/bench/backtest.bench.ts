import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { logPath, prepareBacktest } from '@lockstep/daemon';
import { quick, report } from './figures.ts';
import { fillLog } from './long-log.ts';

// Turns of five tool calls, each judged under a config that changes none of their verdicts, so that every turn is walked to its end.
const turns = quick ? 5_000 : 100_000;
/** Events of one turn with its session, and a little more. */
const eventsPerTurn = 33;

const folder = mkdtempSync(join(tmpdir(), 'lockstep-bench-'));
await fillLog(folder, turns * eventsPerTurn);

/** Judges the newest turns in two threads; seconds, and the most memory that the process took meanwhile, in MiB. */
const judge = async (limit: number): Promise<{ seconds: number; mebibytes: number }> => {
  const prepared = prepareBacktest({
    log: logPath(folder),
    source: { version: 1 },
    filter: { limit },
    workers: 2,
  });
  if (prepared.kind !== 'ready') throw new Error(prepared.kind);
  let most = 0;
  const begin = performance.now();
  const outcome = await prepared.run({
    onProgress: () => {
      most = Math.max(most, process.memoryUsage.rss());
    },
  });
  const seconds = (performance.now() - begin) / 1_000;
  if (outcome.kind !== 'done') throw new Error(outcome.kind);
  const { all, unchanged } = outcome.report.turns;
  if (all !== limit || unchanged !== all)
    throw new Error(`${unchanged} of ${all} turns are unchanged, and ${limit} were asked for`);
  return { seconds, mebibytes: most / 2 ** 20 };
};

try {
  const some = await judge(turns / 10);
  const all = await judge(turns);
  const wanted = (60 * turns) / 100_000;
  report(`${turns.toLocaleString('en')} turns in two threads`, all.seconds, 's', {
    atMost: wanted,
  });
  report('turns a second', turns / all.seconds, 'turns/s', { atLeast: 100_000 / 60 });
  report(`memory over ${(turns / 10).toLocaleString('en')} turns`, some.mebibytes, 'MiB');
  report(`memory over ${turns.toLocaleString('en')} turns`, all.mebibytes, 'MiB', {
    atMost: some.mebibytes * 1.5,
  });
} finally {
  rmSync(folder, { recursive: true, force: true });
}
