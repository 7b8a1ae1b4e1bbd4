import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventsOf, durableWorld, memoryWorld, turnRate, type TurnWorld } from './turn-world.ts';
import { quick, report } from './figures.ts';

// Turns per second of a turn with five tool calls: the whole way from launch to the recorded end.
const root = mkdtempSync(join(tmpdir(), 'lockstep-bench-turns-'));
const seconds = quick ? 2 : 8;

const rate = async (world: TurnWorld, atOnce: number): Promise<number> => {
  try {
    await turnRate(world, { atOnce, seconds: seconds / 3 });
    return await turnRate(world, { atOnce, seconds });
  } finally {
    await world.close();
  }
};
const durable = (name: string, options: Parameters<typeof durableWorld>[1]) =>
  durableWorld(join(root, name), options);

try {
  const once = await durable('once', { shape: 'steps', readModels: false });
  await once.turn();
  await once.turn();
  const streams = (await eventsOf(once.store)).filter((e) => /^(turn|session)-/.test(e.stream));
  report('events of one turn', streams.length / 2, 'events');
  await once.close();

  const steps = { shape: 'steps', readModels: false } as const;
  const watched = { shape: 'steps', readModels: true } as const;
  report('in memory, 8 at once', await rate(await memoryWorld('steps'), 8), 'turns/s');
  report('durable, 8 at once', await rate(await durable('a8', steps), 8), 'turns/s');
  report('durable, 64 at once', await rate(await durable('a64', steps), 64), 'turns/s', {
    atLeast: 1_000,
  });
  const parallel = await durable('p64', { ...steps, shape: 'parallel' });
  report('durable, 64 at once, the five calls in one step', await rate(parallel, 64), 'turns/s');
  report(
    'durable, 64 at once, with read models in the same process',
    await rate(await durable('r64', watched), 64),
    'turns/s',
  );
} finally {
  rmSync(root, { recursive: true, force: true });
}
