import { replayer } from '@lockstep/engine';
import { quick, report } from './figures.ts';
import { eventsOf, memoryWorld, turnRate } from './turn-world.ts';

// Turns of five tool calls made again from their log. Counted in time of one core, since a replay waits for nothing.
const seconds = quick ? 2 : 6;

const world = await memoryWorld('steps');
await turnRate(world, { atOnce: 4, seconds: seconds / 2 });
const events = await eventsOf(world.store);
await world.close();

const coreSeconds = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
};

const all = replayer(events);
/** Replays every turn once; answers how many. */
const pass = (replay: (turn: string) => ReturnType<typeof all.replay>): number => {
  for (const turn of all.turns) {
    const { outcome } = replay(turn);
    if (outcome !== 'same') throw new Error(`the turn \`${turn}\` is ${outcome}`);
  }
  return all.turns.length;
};

const rate = (work: () => number): number => {
  const begin = coreSeconds();
  let turns = 0;
  while (coreSeconds() - begin < seconds) turns += work();
  return turns / (coreSeconds() - begin);
};

const one = (turn: string): ReturnType<typeof all.replay> => all.replay(turn, 'required');
pass(one);
report(
  'one history of many turns',
  rate(() => pass(one)),
  'turns/s',
  { atLeast: 2_000 },
);
