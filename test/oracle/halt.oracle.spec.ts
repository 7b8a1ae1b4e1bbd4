import { describe, expect, it } from 'vitest';
import { ask, configWith, typesOf, world } from './harness.ts';
import { checkTurn } from './rebuild.ts';

const call = (tool: string, args: unknown) => ({ tool: `builtin:${tool}`, args });

// What a full disk does to a turn, at every append of it.
describe('a log that takes no more events for a while', () => {
  it('halts a turn, which goes on by itself when there is room, and runs no call twice', async () => {
    let halts = 0;
    for (let n = 0; n < 12; n += 1) {
      const w = world({
        config: configWith({}),
        model: ({ modelCall }) =>
          modelCall === 1
            ? { calls: [call('file_write', { path: 'a.md', content: '1' })] }
            : { say: 'done' },
      });
      w.memory.stopAfter(n);
      const launch = await w.turns.launch(ask('work'));
      await w.quiet();
      if (launch.kind !== 'accepted') continue;
      const before = typesOf(w, launch.turn);
      const told = (await w.turns.answer(launch.turn))?.status;
      expect(told === 'completed').toBe(before.includes('TurnCompleted'));
      w.memory.stopAfter(1_000_000);
      if (!before.includes('TurnCompleted')) {
        halts += 1;
        expect(w.alarms.ringNext(), `after ${n} appends`).toBe(true);
        await w.quiet();
      }
      const after = typesOf(w, launch.turn);
      expect(after.at(-1), `after ${n} appends`).toBe('TurnCompleted');
      expect(after.slice(0, before.length)).toEqual(before);
      expect(w.tools.runs.length).toBeLessThanOrEqual(1);
      expect((await w.turns.answer(launch.turn))?.status).toBe('completed');
      await checkTurn(w, launch.turn);
    }
    expect(halts).toBeGreaterThan(3);
  });
});
