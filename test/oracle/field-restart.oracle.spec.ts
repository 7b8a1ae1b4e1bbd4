import { builtinSpecs, type LockstepEvent } from '@lockstep/engine';
import { fakeTools, fixedClock, type ModelStep } from '@lockstep/engine/testing';
import { describe, expect, it } from 'vitest';
import { call } from './family.ts';
import { all, ana, ask, configWith, only, world, type World } from './harness.ts';

// What went wrong elsewhere when a turn was taken up again, or when what the gate asks did not answer.

const started = async (w: World): Promise<string> => {
  const launch = await w.turns.launch(ask('work'));
  if (launch.kind !== 'accepted') throw new Error('not accepted');
  await w.quiet();
  return launch.turn;
};
const write = (path: string) => call('file_write', { path, content: 'x' });
const question = call('ask_user', { question: 'go on?' });
const newTools = () => fakeTools(builtinSpecs, { root: '/ws/a', run: (run) => `did ${run.call}` });

/** Another run of the daemon over the same log. */
const again = (
  log: readonly LockstepEvent[],
  options: Partial<Parameters<typeof world>[0]>,
): World => world({ model: () => ({ say: 'done' }), ...options, log, run_number: 2 });

describe('given calls of one step of which one waits for a person', () => {
  it('runs the one that has ended no second time, whatever is taken up', async () => {
    const clock = fixedClock();
    const tools = newTools();
    const first = world({ clock, tools, model: () => ({ calls: [question, write('sent.md')] }) });
    const turn = await started(first);
    expect(all(first, turn, 'ToolCallCompleted')).toHaveLength(1);
    const second = again(first.memory.events(), { clock, tools });
    await second.turns.recover();
    await second.quiet();
    const [waiting] = second.memory.ledger.pending();
    await second.turns.answerQuestion(
      waiting?.id ?? '',
      { text: 'yes', revision: waiting?.revision ?? 0 },
      ana,
    );
    await second.quiet();
    expect(only(second, turn, 'TurnCompleted').data.reply).toEqual({ inline: 'done' });
    expect(tools.runs.filter(({ tool }) => tool === 'builtin:file_write')).toHaveLength(1);
  });
});

describe('given a turn that waits while the daemon restarts under another config', () => {
  const asking = (change: Record<string, unknown>, version: number) =>
    configWith({ ...change, approval: { auto_approve: ['ask_user'] } }, { version });
  const model = ({ modelCall }: { readonly modelCall: number }): ModelStep =>
    modelCall === 1
      ? { calls: [question] }
      : modelCall === 2
        ? { calls: [write('a.md')] }
        : { say: 'done' };

  const resumed = async (change: Record<string, unknown>): Promise<readonly [World, string]> => {
    const clock = fixedClock();
    const first = world({ clock, model, config: asking({}, 1) });
    const turn = await started(first);
    const second = again(first.memory.events(), { clock, model, config: asking({}, 1) });
    second.apply(asking(change, 2));
    await second.turns.recover();
    await second.quiet();
    const [waiting] = second.memory.ledger.pending();
    await second.turns.answerQuestion(
      waiting?.id ?? '',
      { text: 'yes', revision: waiting?.revision ?? 0 },
      ana,
    );
    await second.quiet();
    return [second, turn];
  };

  it('keeps the approvals that it began with where the new config asks nobody', async () => {
    const [w, turn] = await resumed({ autonomy: 'full' });
    expect(only(w, turn, 'ApprovalRequested').data.rule).toBe('approval.autonomy');
    expect(w.tools.runs.map(({ tool }) => tool)).toEqual([]);
  });

  it('takes over what the new config takes away, with an event', async () => {
    const [w, turn] = await resumed({ tools: { allowed: ['ask_user'] } });
    expect(only(w, turn, 'PolicyNarrowed').data.keys).toEqual(['tools.allowed']);
    expect(only(w, turn, 'ToolCallRefused').data.rule).toBe('tools.allowed');
    expect(w.tools.runs.map(({ tool }) => tool)).toEqual([]);
  });
});

describe('given a look at what a call names that gives no answer', () => {
  it('refuses the call when the look fails', async () => {
    const plain = newTools();
    const w = world({
      model: ({ modelCall }) => (modelCall === 1 ? { calls: [write('a.md')] } : { say: 'done' }),
      tools: { ...plain, inspect: () => Promise.reject(new Error('the disk is gone')) },
    });
    const turn = await started(w);
    expect(only(w, turn, 'ToolCallRefused').data.rule).toBe('workspace.workspace_only');
    expect(plain.runs).toEqual([]);
    expect(w.problems).toEqual([new Error('the disk is gone')]);
  });

  it('refuses the call when the look takes longer than a tool may', async () => {
    const plain = newTools();
    const w = world({
      config: configWith({ budgets: { tool_timeout_secs: 30 } }),
      model: ({ modelCall }) => (modelCall === 1 ? { calls: [write('a.md')] } : { say: 'done' }),
      tools: { ...plain, inspect: () => new Promise(() => undefined) },
    });
    const turn = await started(w);
    const since = w.clock.now();
    expect(all(w, turn, 'ToolCallRefused')).toEqual([]);
    expect(w.alarms.ringNext()).toBe(true);
    await w.quiet();
    expect(w.clock.now() - since).toBe(30_000);
    expect(only(w, turn, 'ToolCallRefused').data.rule).toBe('workspace.workspace_only');
    expect(only(w, turn, 'TurnCompleted').data.reply).toEqual({ inline: 'done' });
    expect(plain.runs).toEqual([]);
  });
});
