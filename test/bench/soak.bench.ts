import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { quick, report } from './figures.ts';
import { durableWorld } from './turn-world.ts';

// So many turns of five tool calls in one process, on SQLite with the daemon's read models; memory at ten points.
const turns = Number(process.env['LOCKSTEP_SOAK_TURNS'] ?? (quick ? 2_000 : 100_000));
const atOnce = 8;
const points = 10;

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

interface Memory {
  readonly heap: number;
  readonly rss: number;
}

const megabytes = (bytes: number): number => bytes / 1_048_576;

/** What is left once everything that nobody holds is gone. */
const memory = async (): Promise<Memory> => {
  for (let n = 0; n < 3; n += 1) {
    await new Promise((later) => setTimeout(later, 50));
    collect();
  }
  const { heapUsed, external, rss } = process.memoryUsage();
  return { heap: megabytes(heapUsed + external), rss: megabytes(rss) };
};

const folder = mkdtempSync(join(tmpdir(), 'lockstep-bench-soak-'));
const world = await durableWorld(folder, { shape: 'steps', readModels: true });
const seen: Memory[] = [];
try {
  for (let point = 1; point <= points; point += 1) {
    let left = Math.floor(turns / points);
    const loop = async (): Promise<void> => {
      while (left > 0) {
        left -= 1;
        await world.turn();
      }
    };
    await Promise.all(Array.from({ length: atOnce }, loop));
    const now = await memory();
    seen.push(now);
    const done = point * Math.floor(turns / points);
    report(`heap after ${done} turns`, now.heap, 'MiB');
    report(`resident after ${done} turns`, now.rss, 'MiB');
  }
  // Caches are filled in the first third.
  const [from, to] = [seen[2], seen.at(-1)];
  const grown = (to?.heap ?? 0) - (from?.heap ?? 0);
  const perTurn = (grown * 1_048_576) / (turns * 0.7);
  report('heap grown over the last seven tenths, a turn', perTurn, 'bytes', { atMost: 300 });
} finally {
  await world.close();
  rmSync(folder, { recursive: true, force: true });
}
