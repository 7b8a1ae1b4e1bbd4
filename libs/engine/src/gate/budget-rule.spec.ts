import { expect, it } from 'vitest';
import type { CapUse } from '../events/parts.ts';
import { judgeBudget } from './budget-rule.ts';

const judge = (key: CapUse['key'], cap: CapUse['cap'], used: number, reserved = 0): string | null =>
  judgeBudget({ caps: [{ key, scope: 'turn-1', cap, used, reserved }], unsettled: null })?.rule ??
  null;

const calls = 'budgets.max_tool_calls';
const time = 'budgets.turn_timeout_secs';
const tokens = 'budgets.max_tokens_per_turn';

it.each<[CapUse['key'], CapUse['cap'], number, number, boolean]>([
  [calls, 3, 2, 0, false],
  [calls, 3, 3, 0, true],
  [calls, 3, 2, 1, true],
  [calls, 0, 0, 0, true],
  [calls, 'unlimited', 9, 9, false],
  [time, 10, 9, 0, false],
  [time, 10, 10, 0, true],
  [tokens, 10, 10, 0, false],
  [tokens, 10, 11, 0, true],
])('with %s of %s, %i used and %i reserved, refuses: %s', (key, cap, used, reserved, refused) => {
  expect(judge(key, cap, used, reserved)).toBe(refused ? key : null);
});

it("names an ancestor's cap", () => {
  const caps: CapUse[] = [
    { key: calls, scope: 'turn-1', cap: 9, used: 0, reserved: 0 },
    { key: calls, scope: 'turn-0', cap: 9, used: 8, reserved: 1 },
  ];
  expect(judgeBudget({ caps, unsettled: null })).toEqual({
    rule: calls,
    pattern: null,
    why: '`budgets.max_tool_calls` of `turn-0` is 9: 8 used, 1 reserved',
  });
});
