import { expect, it } from 'vitest';
import { samplePolicy } from '../testing/index.ts';
import { capUses, nothingInFlight } from './cap-uses.ts';

const totals = { toolCalls: 3, tokens: 1_000, cost: 42 };

it('names use and remainder of every cap that binds', () => {
  const inFlight = { toolCalls: 2, tokens: 500, cost: 7, activeMs: 12_999 };
  expect(capUses({ turn: 'turn-1', policy: samplePolicy(), totals }, inFlight)).toEqual([
    { key: 'budgets.max_tool_calls', scope: 'turn-1', cap: 30, used: 3, reserved: 2 },
    {
      key: 'budgets.max_tokens_per_turn',
      scope: 'turn-1',
      cap: 200_000,
      used: 1_000,
      reserved: 500,
    },
    {
      key: 'budgets.max_cost_usd_per_turn',
      scope: 'turn-1',
      cap: 1_000_000,
      used: 42,
      reserved: 7,
    },
    { key: 'budgets.turn_timeout_secs', scope: 'turn-1', cap: 600, used: 12, reserved: 0 },
  ]);
});

it('leaves out what is unlimited', () => {
  const policy = samplePolicy({
    budgets: {
      max_tool_calls: 'unlimited',
      max_tokens_per_turn: 'unlimited',
      max_cost_usd_per_turn: 'unlimited',
      turn_timeout_secs: 'unlimited',
    },
  });
  expect(capUses({ turn: 'turn-1', policy, totals }, nothingInFlight)).toEqual([]);
});

it('has no number for a cost that is not known', () => {
  const spending = {
    turn: 'turn-1',
    policy: samplePolicy(),
    totals: { ...totals, cost: 'unknown' as const },
  };
  const cost = capUses(spending, nothingInFlight).find(
    (use) => use.key === 'budgets.max_cost_usd_per_turn',
  );
  expect(cost?.used).toBe('unknown');
});
