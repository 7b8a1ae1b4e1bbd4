import { describe, expect, it } from 'vitest';
import { all, ask, configWith, launched, only, typesOf, world, type World } from './harness.ts';
import { checkTurn } from './rebuild.ts';

const read = (path: string) => ({ tool: 'builtin:file_read', args: { path } });
const never = (): Promise<never> => new Promise(() => undefined);

// Every limit names itself when it ends the work: people read it in the turn, the matrix takes it as its witness.
describe('a turn at a limit', () => {
  it('answers without tools at the iteration cap', async () => {
    const w = world({
      config: configWith({ budgets: { max_tool_iterations: 2 } }),
      model: ({ input, modelCall }) =>
        input.tools.length > 0 ? { calls: [read(`${modelCall}.md`)] } : { say: 'enough' },
    });
    const turn = await launched(w, ask('go on'));
    expect(only(w, turn, 'BudgetExhausted').data.key).toBe('budgets.max_tool_iterations');
    expect(all(w, turn, 'ModelCallStarted').map((e) => e.data.final)).toEqual([false, false, true]);
    const done = only(w, turn, 'TurnCompleted').data;
    expect([done.reply, done.endedBy]).toEqual([
      { inline: 'enough' },
      'budgets.max_tool_iterations',
    ]);
    await checkTurn(w, turn);
  });

  it('refuses calls that the last step makes although it was offered none, and ends', async () => {
    const w = world({
      config: configWith({ budgets: { max_tool_iterations: 1 } }),
      model: ({ modelCall }) => ({
        say: 'still',
        calls: [{ tool: 'file_read', args: { path: `${modelCall}` } }],
      }),
    });
    const turn = await launched(w, ask('go on'));
    expect(only(w, turn, 'ToolCallRefused').data.rule).toBe('gate.not_advertised');
    expect(only(w, turn, 'TurnCompleted').data.reply).toEqual({ inline: 'still' });
    await checkTurn(w, turn);
  });

  it('refuses the call past max_tool_calls and fails when what runs has ended', async () => {
    const w = world({
      config: configWith({ budgets: { max_tool_calls: 1 } }),
      model: () => ({ calls: [read('a.md'), read('b.md')] }),
    });
    const turn = await launched(w, ask('read'));
    expect(typesOf(w, turn).slice(4)).toEqual([
      'ToolCallAuthorized',
      'ToolCallStarted',
      'ToolCallRefused',
      'BudgetExhausted',
      'BudgetWarning',
      'ToolCallCompleted',
      'TurnFailed',
    ]);
    const failed = only(w, turn, 'TurnFailed').data;
    expect([failed.code, failed.key]).toEqual(['budget_exhausted', 'budgets.max_tool_calls']);
    await checkTurn(w, turn);
  });

  it('makes no model call that the token cap has no room for', async () => {
    const w = world({
      config: configWith({
        tools: { allowed: ['file_read'] },
        budgets: { max_output_tokens: 2_000, max_tokens_per_turn: 4_000 },
      }),
      model: ({ modelCall }) => ({
        calls: [read(`${modelCall}.md`)],
        usage: { input: 900, output: 100 },
      }),
    });
    const turn = await launched(w, ask('read'));
    const failed = only(w, turn, 'TurnFailed').data;
    expect([failed.code, failed.key, failed.tokens]).toEqual([
      'budget_exhausted',
      'budgets.max_tokens_per_turn',
      2000,
    ]);
    await checkTurn(w, turn);
  });

  it('fails a turn that repeats one call', async () => {
    const w = world({
      config: configWith({ budgets: { loop_detection: { window: 10, max_repeats: 2 } } }),
      model: () => ({ calls: [read('a.md')] }),
    });
    const turn = await launched(w, ask('read'));
    expect(w.tools.runs.length).toBe(2);
    expect(only(w, turn, 'LoopDetected').data.repeats).toBe(3);
    expect(only(w, turn, 'TurnFailed').data.code).toBe('loop_detected');
    await checkTurn(w, turn);
  });

  it('stops a tool at its timeout and goes on', async () => {
    const w = world({
      config: configWith({ budgets: { tool_timeout_secs: 5 } }),
      model: ({ modelCall }) => (modelCall === 1 ? { calls: [read('a.md')] } : { say: 'done' }),
      run: never,
    });
    const launch = await w.turns.launch(ask('read'));
    if (launch.kind !== 'accepted') throw new Error('not accepted');
    await w.quiet();
    w.alarms.ringNext();
    await w.turns.settled(launch.turn, new AbortController().signal);
    expect(only(w, launch.turn, 'ToolCallFailed').data.error.kind).toBe('timeout');
    expect(typesOf(w, launch.turn).at(-1)).toBe('TurnCompleted');
    await checkTurn(w, launch.turn);
  });

  it('fails when its active time is used up, whatever hangs', async () => {
    const w = world({
      config: configWith({ budgets: { turn_timeout_secs: 10, tool_timeout_secs: 60 } }),
      model: never,
    });
    const launch = await w.turns.launch(ask('read'));
    if (launch.kind !== 'accepted') throw new Error('not accepted');
    await w.quiet();
    w.alarms.ringNext();
    await w.turns.settled(launch.turn, new AbortController().signal);
    const failed = only(w, launch.turn, 'TurnFailed').data;
    expect([failed.code, failed.key, failed.activeMs]).toEqual([
      'turn_timeout',
      'budgets.turn_timeout_secs',
      10_000,
    ]);
    await checkTurn(w, launch.turn);
  });

  it('ends at its time though the clock is put back by days meanwhile', async () => {
    const w = world({
      config: configWith({ budgets: { turn_timeout_secs: 10, tool_timeout_secs: 60 } }),
      model: never,
    });
    const launch = await w.turns.launch(ask('read'));
    if (launch.kind !== 'accepted') throw new Error('not accepted');
    await w.quiet();
    w.alarms.ringNext(172_800_000);
    await w.turns.settled(launch.turn, new AbortController().signal);
    expect(only(w, launch.turn, 'TurnFailed').data).toMatchObject({
      code: 'turn_timeout',
      activeMs: 10_000,
    });
    await checkTurn(w, launch.turn);
  });

  it('does not count the time that it waits for people', async () => {
    const w = world({
      config: configWith({
        budgets: { turn_timeout_secs: 10 },
        approval: { auto_approve: [], timeout_secs: 3600 },
      }),
      model: ({ modelCall }) =>
        modelCall === 1
          ? { calls: [{ tool: 'builtin:file_write', args: { path: 'a', content: '' } }] }
          : { say: 'done' },
    });
    const turn = await launched(w, ask('write'));
    w.alarms.ringNext();
    await w.quiet();
    await w.turns.settled(turn, new AbortController().signal);
    expect(only(w, turn, 'TurnCompleted').data.activeMs).toBe(0);
    expect(w.clock.now() - only(w, turn, 'TurnRequested').time).toBe(3_600_000);
    await checkTurn(w, turn);
  });

  it('tries a failed model call again after a pause, and gives up at max_attempts', async () => {
    const failing = {
      kind: 'rate_limited',
      status: 429,
      retryable: true,
      retryAfterMs: 7_000,
    } as const;
    const w = world({ model: () => ({ fail: failing }) });
    const launch = await w.turns.launch(ask('hello'));
    if (launch.kind !== 'accepted') throw new Error('not accepted');
    await w.quiet();
    const first = only(w, launch.turn, 'ModelCallFailed');
    expect(first.data.retryAt).toBe(first.time + 7_000);
    w.alarms.ringNext();
    await w.turns.settled(launch.turn, new AbortController().signal);
    expect(all(w, launch.turn, 'ModelCallStarted').map((e) => e.data.attempt)).toEqual([1, 2]);
    expect(only(w, launch.turn, 'TurnFailed').data.code).toBe('model_failed');
    await checkTurn(w, launch.turn);
  });

  it('tries again after the pause though the clock is put back by days meanwhile', async () => {
    const fail = {
      kind: 'unavailable',
      status: null,
      retryable: true,
      retryAfterMs: null,
    } as const;
    const w: World = world({
      model: ({ modelCall }) =>
        modelCall === 1 && w.model.asked.length === 1 ? { fail } : { say: 'there' },
    });
    const launch = await w.turns.launch(ask('hello'));
    if (launch.kind !== 'accepted') throw new Error('not accepted');
    await w.quiet();
    w.alarms.ringNext(172_800_000);
    await w.turns.settled(launch.turn, new AbortController().signal);
    expect(typesOf(w, launch.turn).at(-1)).toBe('TurnCompleted');
    await checkTurn(w, launch.turn);
  });

  it('cuts results and replies at code points and says so', async () => {
    const w = world({
      config: configWith({
        budgets: { max_tool_result_chars: 100 },
        output: { max_reply_chars: 100 },
      }),
      model: ({ modelCall }) =>
        modelCall === 1 ? { calls: [read('a.md')] } : { say: '😀'.repeat(150) },
      run: () => '😀'.repeat(120),
    });
    const turn = await launched(w, ask('read'));
    const result = only(w, turn, 'ToolCallCompleted').data;
    expect([result.result, result.chars, result.truncated]).toEqual([
      { inline: '😀'.repeat(100) },
      120,
      true,
    ]);
    const reply = only(w, turn, 'TurnCompleted').data;
    expect([reply.reply, reply.chars, reply.truncated]).toEqual([
      { inline: '😀'.repeat(100) },
      150,
      true,
    ]);
    await checkTurn(w, turn);
  });
});
