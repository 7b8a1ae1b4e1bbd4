import { describe, expect, it } from 'vitest';
import type { ModelAsked, ModelStep } from '@lockstep/engine/testing';
import { all, ask, configWith, launched, only, typesOf, world, type World } from './harness.ts';
import { checkTurn } from './rebuild.ts';

const hour = 3_600_000;
const reads = ({ modelCall, input }: ModelAsked): ModelStep =>
  input.messages.at(-1)?.role === 'tool'
    ? { say: 'done' }
    : { calls: [{ tool: 'builtin:file_read', args: { path: `${modelCall}.md` } }] };
const ended = async (w: World, turn: string): Promise<string | undefined> => {
  await checkTurn(w, turn);
  return typesOf(w, turn).at(-1);
};

// Caps that no single turn can keep: those of an agent's hour, counted over all its turns.
describe('given a cap on the actions of an hour', () => {
  const config = configWith({ budgets: { max_actions_per_hour: 2 } });

  it('refuses the next action of any turn, names the cap, and lets it pass once the hour has slid on', async () => {
    const w = world({ config, model: reads });
    expect(await ended(w, await launched(w, ask('one')))).toBe('TurnCompleted');
    w.clock.advance(hour / 2);
    expect(await ended(w, await launched(w, ask('two')))).toBe('TurnCompleted');
    const third = await launched(w, ask('three'));
    expect(await ended(w, third)).toBe('TurnFailed');
    expect(only(w, third, 'ToolCallRefused').data).toMatchObject({
      rule: 'budgets.max_actions_per_hour',
      why: '`budgets.max_actions_per_hour` of `a` is 2: 2 used, 0 reserved',
    });
    expect(only(w, third, 'BudgetExhausted').data).toMatchObject({ scope: 'a', cap: 2, used: 2 });
    w.clock.advance(hour / 2 + 1_000);
    expect(await ended(w, await launched(w, ask('four')))).toBe('TurnCompleted');
    expect(w.tools.runs.length).toBe(3);
  });

  it('counts calls of one step that start together, and turns that run at once', async () => {
    const w = world({
      config: configWith({ budgets: { max_actions_per_hour: 3 } }),
      model: ({ modelCall, input }) =>
        input.messages.at(-1)?.role === 'tool'
          ? { say: 'done' }
          : {
              calls: ['a', 'b'].map((name) => ({
                tool: 'builtin:file_read',
                args: { path: `${modelCall}${name}.md` },
              })),
            },
    });
    const turns = await Promise.all([launched(w, ask('one')), launched(w, ask('two'))]);
    expect(w.tools.runs.length).toBe(3);
    const refused = turns.flatMap((turn) => all(w, turn, 'ToolCallRefused'));
    expect(refused.map(({ data }) => data.rule)).toEqual(['budgets.max_actions_per_hour']);
  });

  it('is not reset by a restart', async () => {
    const first = world({ config, model: reads });
    await launched(first, ask('one'));
    await launched(first, ask('two'));
    const w = world({
      config,
      model: reads,
      log: [...first.memory.events()],
      run_number: 2,
      clock: first.clock,
    });
    await w.turns.recover();
    const third = await launched(w, ask('three'));
    expect(only(w, third, 'ToolCallRefused').data.rule).toBe('budgets.max_actions_per_hour');
  });
});

describe('given a share at which the policy warns', () => {
  it('warns once of each cap that reaches it', async () => {
    const w = world({
      config: configWith({ budgets: { max_tool_calls: 4, warn_at_percent: 50 } }),
      model: ({ modelCall }) =>
        modelCall < 4
          ? { calls: [{ tool: 'builtin:file_read', args: { path: `${modelCall}.md` } }] }
          : { say: 'done' },
    });
    const turn = await launched(w, ask('read'));
    expect(all(w, turn, 'BudgetWarning').map(({ data }) => data)).toEqual([
      { key: 'budgets.max_tool_calls', cap: 4, used: 2 },
    ]);
    const at = typesOf(w, turn).indexOf('BudgetWarning');
    expect(typesOf(w, turn)[at - 1]).toBe('ToolCallStarted');
    await checkTurn(w, turn);
  });

  it('warns of tokens when the reply has brought them', async () => {
    const w = world({
      config: configWith({
        tools: { allowed: ['file_read'] },
        budgets: { max_tokens_per_turn: 10_000, max_output_tokens: 1_000, warn_at_percent: 50 },
      }),
      model: () => ({ say: 'done', usage: { input: 4_000, output: 2_000 } }),
    });
    const turn = await launched(w, ask('say'));
    expect(only(w, turn, 'BudgetWarning').data).toEqual({
      key: 'budgets.max_tokens_per_turn',
      cap: 10_000,
      used: 6_000,
    });
    expect(typesOf(w, turn).at(-1)).toBe('TurnCompleted');
  });
});
