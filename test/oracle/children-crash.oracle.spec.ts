import { describe, expect, it } from 'vitest';
import { builtinSpecs } from '@lockstep/engine';
import { fakeTools, fixedClock } from '@lockstep/engine/testing';
import { call, endsOf, eventsOf, playing, team, turnsOf } from './family.ts';
import { ask, world, type World } from './harness.ts';
import { checkTurn } from './rebuild.ts';

/** A lead that waits for a helper, which writes and waits for another; and one in the background. */
const model = playing({
  work: ({ modelCall, input }) => {
    if (modelCall === 1)
      return {
        calls: [
          call('delegate', { agent: 'helper', input: 'second' }),
          call('spawn', { input: 'aside', background: true }),
        ],
      };
    const heard = input.messages.some((m) => m.role === 'user' && m.text.includes('from aside'));
    return heard ? { say: 'done' } : { calls: [call('time_now', {})] };
  },
  aside: ({ modelCall }) =>
    modelCall === 1
      ? { calls: [call('file_write', { path: 'aside', content: '1' })] }
      : { say: 'from aside' },
  second: ({ modelCall }) =>
    modelCall === 1
      ? {
          calls: [
            call('file_write', { path: 'second', content: '1' }),
            call('delegate', { agent: 'free', input: 'third' }),
          ],
        }
      : { say: 'from second' },
  third: ({ modelCall }) =>
    modelCall === 1
      ? { calls: [call('file_write', { path: 'third', content: '1' })] }
      : { say: 'from third' },
});

const newTools = () => fakeTools(builtinSpecs, { root: '/ws/a', run: (run) => `did ${run.call}` });

const request = ask('work', { agent: 'lead' });

/** Ids of all turns that began, with their agents. */
const begun = (w: World): readonly string[] =>
  ['lead', 'helper', 'free'].flatMap((agent) => turnsOf(w, agent));

describe('a daemon that dies after any append of turns that wait for each other', () => {
  it('leaves one turn for each call, and no effect twice', async () => {
    let crashes = 0;
    for (let n = 0, whole = false; !whole; n += 1) {
      const clock = fixedClock();
      const tools = newTools();
      const first = world({ config: team(), model, tools, clock });
      first.memory.stopAfter(n);
      const launch = await first.turns.launch(request);
      await first.quiet();
      await first.quiet();
      if (launch.kind !== 'accepted') continue;
      const log = first.memory.events();
      whole = endsOf(first, 'lead')[0] === 'TurnCompleted';
      crashes += whole ? 0 : 1;
      const second = world({ config: team(), model, tools, clock, log, run_number: 2 });
      await second.turns.recover();
      for (let round = 0; round < 4; round += 1) await second.quiet();
      const at = `after ${n} appends`;
      expect(second.problems, at).toEqual([]);
      expect(
        ['lead', 'helper', 'free'].map((agent) => endsOf(second, agent)),
        at,
      ).toEqual([['TurnCompleted', 'TurnCompleted'], ['TurnCompleted'], ['TurnCompleted']]);
      const done = eventsOf(second, 'lead').findLast(
        (event) => event.type === 'TurnCompleted' && event.meta.parent === null,
      );
      expect(done?.type === 'TurnCompleted' ? done.data.reply : null, at).toEqual({
        inline: 'done',
      });
      const told = second.turnEvents().filter((event) => event.type === 'TurnSteered');
      expect(told.length, at).toBe(1);
      const writes = tools.runs.filter((run) => run.tool === 'builtin:file_write');
      const keys = writes.map((run) => run.idempotencyKey);
      expect(new Set(keys).size, at).toBe(keys.length);
      for (const turn of begun(second))
        if (second.lastStates.has(turn)) await checkTurn(second, turn);
    }
    expect(crashes).toBeGreaterThan(15);
  }, 120_000);

  it.each(['TurnCancelled', 'CancelRequested'])(
    'stops what was left below a turn whose stop it recorded last: %s of the last one below',
    async (type) => {
      const hanging = playing({
        work: () => ({ calls: [call('delegate', { agent: 'helper', input: 'second' })] }),
        second: () => ({ calls: [call('delegate', { agent: 'free', input: 'third' })] }),
        third: () => new Promise<never>(() => undefined),
      });
      const clock = fixedClock();
      const first = world({ config: team(), model: hanging, clock });
      const launch = await first.turns.launch(request);
      await first.quiet();
      if (launch.kind !== 'accepted') throw new Error('not accepted');
      await first.turns.cancel(launch.turn, 'token:ana', 'enough');
      // As if the parts of the tree had been recorded in the other order, and the last ones not at all.
      const log = first.memory
        .events()
        .filter((event) => !(event.meta.agent !== 'lead' && isStop(event.type)))
        .map((event, index) => ({ ...event, position: String(index + 1).padStart(20, '0') }));
      expect(first.turnEvents().some((event) => event.type === type)).toBe(true);
      const second = world({ config: team(), model: hanging, clock, log, run_number: 2 });
      await second.turns.recover();
      await second.quiet();
      expect([endsOf(second, 'helper'), endsOf(second, 'free')]).toEqual([
        ['TurnCancelled'],
        ['TurnCancelled'],
      ]);
      expect(second.model.asked).toEqual([]);
    },
  );
});

const isStop = (type: string): boolean =>
  ['CancelRequested', 'ModelCallFailed', 'ToolCallCancelled', 'TurnCancelled'].includes(type);
