import { describe, expect, it } from 'vitest';
import type { LockstepEvent } from '@lockstep/engine';
import { builtinSpecs } from '@lockstep/engine';
import { fakeTools, fixedClock, type ModelAsked, type ModelStep } from '@lockstep/engine/testing';
import { digestOfText } from '@lockstep/policy';
import { ana, ask, configWith, world, type World } from './harness.ts';
import { checkTurn } from './rebuild.ts';

const call = (tool: string, args: unknown) => ({ tool: `builtin:${tool}`, args });

/** A turn with parallel calls, overlapping writes, an approval with a standing grant, a question and a refusal. */
const model = ({ modelCall }: ModelAsked): ModelStep => {
  switch (modelCall) {
    case 1:
      return {
        calls: [
          call('file_read', { path: 'a.md' }),
          call('file_write', { path: 'b.md', content: '1' }),
          call('file_write', { path: 'b.md', content: '2' }),
        ],
      };
    case 2:
      return { calls: [call('file_edit', { path: 'c.md', old_text: 'x', new_text: 'y' })] };
    case 3:
      return {
        calls: [
          call('ask_user', { question: 'go on?' }),
          call('file_read', { path: '/etc/passwd' }),
        ],
      };
    default:
      return { say: 'done' };
  }
};

const config = configWith({ approval: { auto_approve: ['file_read', 'file_write'] } });

/** Answers whatever waits, as people would. */
const answerAll = async (w: World): Promise<void> => {
  for (const pending of w.memory.ledger.pending()) {
    if (pending.kind === 'question') {
      await w.turns.answerQuestion(pending.id, { text: 'yes', revision: pending.revision }, ana);
      continue;
    }
    const asked = w
      .turnEvents()
      .find((event) => event.type === 'ApprovalRequested' && event.data.approval === pending.id);
    const view = asked?.type === 'ApprovalRequested' ? asked.data.view : null;
    await w.turns.decide(
      pending.id,
      {
        choice: 'always',
        scope: null,
        guidance: null,
        revision: pending.revision,
        shown: digestOfText(view !== null && 'inline' in view ? view.inline : ''),
      },
      ana,
    );
  }
};

const playOn = async (w: World): Promise<void> => {
  for (let round = 0; round < 6; round += 1) {
    await w.quiet();
    await answerAll(w);
  }
  await w.quiet();
};

const newTools = () =>
  fakeTools(builtinSpecs, { root: '/ws/a', run: (run) => `result of ${run.call}` });

// The promise of the log: a daemon that dies anywhere loses nothing and runs nothing twice.
describe('a daemon that dies after any append', () => {
  it('comes to the same end, each call that is not repeatable run at most once', async () => {
    const uncut = world({ config, model, tools: newTools() });
    await uncut.turns.launch(ask('work'));
    await playOn(uncut);
    const end = uncut.turnEvents().at(-1);
    expect(end?.type).toBe('TurnCompleted');
    let crashes = 0;
    for (let n = 0, whole = false; !whole; n += 1) {
      const clock = fixedClock();
      const tools = newTools();
      const first = world({ config, model, tools, clock });
      first.memory.stopAfter(n);
      const launch = await first.turns.launch(ask('work'));
      await playOn(first);
      const log: readonly LockstepEvent[] = first.memory.events();
      if (launch.kind !== 'accepted') continue;
      whole = log.some((event) => event.type === 'TurnCompleted');
      crashes += whole ? 0 : 1;
      const second = world({ config, model, tools, clock, log, run_number: 2 });
      await second.turns.recover();
      await playOn(second);
      const turn = launch.turn;
      const last = second.turnEvents().at(-1);
      expect(last?.type, `after ${n} appends`).toBe('TurnCompleted');
      expect(last?.type === 'TurnCompleted' ? last.data.reply : null).toEqual({ inline: 'done' });
      expect(second.problems).toEqual([]);
      const runs = new Map<string, number>();
      for (const run of tools.runs) {
        const spec = builtinSpecs.find((one) => one.id === run.tool);
        if (spec?.repeatable === true) continue;
        runs.set(run.call, (runs.get(run.call) ?? 0) + 1);
      }
      expect([...runs.values()].every((count) => count === 1)).toBe(true);
      const grants = second.memory.events().filter((event) => event.type === 'GrantIssued');
      expect(grants.length, `grants after ${n} appends`).toBe(1);
      if (second.lastStates.has(turn)) await checkTurn(second, turn);
    }
    expect(crashes).toBeGreaterThan(10);
  }, 120_000);

  it('gives people a minute when a deadline passed while no daemon ran', async () => {
    const clock = fixedClock();
    const asking = configWith({ approval: { auto_approve: [], timeout_secs: 60 } });
    const first = world({
      config: asking,
      model: () => ({ calls: [call('file_write', { path: 'a', content: '' })] }),
      clock,
    });
    await first.turns.launch(ask('work'));
    await first.quiet();
    clock.advance(3_600_000);
    const second = world({
      config: asking,
      model: () => ({ say: 'done' }),
      clock,
      log: first.memory.events(),
      run_number: 2,
    });
    await second.turns.recover();
    await second.quiet();
    const started = clock.now();
    expect(second.memory.ledger.pending().length).toBe(1);
    expect(second.alarms.ringNext()).toBe(true);
    await second.quiet();
    expect(clock.now() - started).toBe(60_000);
    expect(second.turnEvents().some((event) => event.type === 'ApprovalExpired')).toBe(true);
  });

  it('starts accepted messages whose turn had not begun, in order', async () => {
    const clock = fixedClock();
    const hanging = world({ model: () => new Promise<never>(() => undefined), clock });
    const one = await hanging.turns.launch(ask('one', { session: 'mine' }));
    const two = await hanging.turns.launch(ask('two', { session: 'mine' }));
    await hanging.quiet();
    const second = world({
      model: () => ({ say: 'done' }),
      clock,
      log: hanging.memory.events(),
      run_number: 2,
    });
    await second.turns.recover();
    await second.quiet();
    for (const launch of [one, two]) {
      if (launch.kind !== 'accepted') throw new Error('not accepted');
      expect((await second.turns.answer(launch.turn))?.status).toBe('completed');
      await checkTurn(second, launch.turn);
    }
  });
});
