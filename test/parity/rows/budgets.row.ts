import type { Row, RowsOf } from './row.ts';

/** Absent has its default, a written value stands. */
const limit = (
  key: string,
  fallback: unknown,
  written: unknown,
  expected = written,
): [Row, Row] => [
  { title: 'absent has a limit', agent: {}, expected: fallback },
  { title: 'a written value stands', agent: { budgets: { [key]: written } }, expected },
];

export const budgetsRows = {
  'budgets.max_tool_iterations': limit('max_tool_iterations', 10, 3),
  'budgets.max_parallel_tools': limit('max_parallel_tools', 4, 1),
  'budgets.max_tool_result_chars': limit('max_tool_result_chars', 50_000, 100),
  'budgets.max_output_tokens': limit('max_output_tokens', 4096, 10),
  'budgets.loop_detection': limit(
    'loop_detection',
    { window: 20, max_repeats: 3 },
    { window: 5, max_repeats: 1 },
  ),
  'budgets.max_tool_calls': limit('max_tool_calls', 30, 0),
  'budgets.max_tokens_per_turn': limit('max_tokens_per_turn', 200_000, 'unlimited'),
  'budgets.max_cost_usd_per_turn': limit('max_cost_usd_per_turn', 1_000_000, 0.25, 250_000),
  'budgets.turn_timeout_secs': limit('turn_timeout_secs', 600, 5),
  'budgets.tool_timeout_secs': limit('tool_timeout_secs', 60, 5),
  'budgets.max_actions_per_hour': limit('max_actions_per_hour', 120, 40),
  'budgets.max_cost_usd_per_day': limit('max_cost_usd_per_day', 10_000_000, 0.5, 500_000),
  'budgets.warn_at_percent': limit('warn_at_percent', 80, 50),
} satisfies RowsOf<'budgets'>;
