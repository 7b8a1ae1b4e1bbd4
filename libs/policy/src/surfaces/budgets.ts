import { atMost, limit } from '../orders/limit.ts';
import { loop } from '../orders/loop.ts';
import type { Limit } from '../snapshot.ts';
import { layered } from './setting.ts';
import { microDollarsOf } from './written.ts';

const cap = { order: limit, layer: 'runtime', read: (written: Limit) => written } as const;
const cost = { order: limit, layer: 'runtime', read: microDollarsOf } as const;

const perTurn = {
  'budgets.max_tool_iterations': layered('budgets.max_tool_iterations', {
    ...cap,
    fallback: '10',
    explain: 'Model calls of one turn that may ask for tools.',
    pick: (tables) => tables.budgets?.max_tool_iterations,
    default: () => 10,
  }),
  'budgets.max_parallel_tools': layered('budgets.max_parallel_tools', {
    ...cap,
    fallback: '4',
    explain: 'Tool calls of one turn that may run at once.',
    pick: (tables) => tables.budgets?.max_parallel_tools,
    default: () => 4,
  }),
  'budgets.max_tool_result_chars': layered('budgets.max_tool_result_chars', {
    ...cap,
    fallback: '50000',
    explain: 'Characters of one tool result that the model is given.',
    pick: (tables) => tables.budgets?.max_tool_result_chars,
    default: () => 50000,
  }),
  'budgets.max_output_tokens': layered('budgets.max_output_tokens', {
    ...cap,
    fallback: '4096',
    explain: 'Tokens that one model call may write.',
    pick: (tables) => tables.budgets?.max_output_tokens,
    default: () => 4096,
  }),
  'budgets.loop_detection': layered('budgets.loop_detection', {
    order: loop,
    layer: 'runtime',
    fallback: '{ window = 20, max_repeats = 3 }',
    explain: 'How often the same call may stand among the last calls of a turn before it ends.',
    pick: (tables) => tables.budgets?.loop_detection,
    read: (written) => written,
    default: () => ({ window: 20, max_repeats: 3 }),
  }),
};

const perTree = {
  'budgets.max_tool_calls': layered('budgets.max_tool_calls', {
    ...cap,
    fallback: '30',
    explain: 'Tool calls of a turn and of all turns below it.',
    pick: (tables) => tables.budgets?.max_tool_calls,
    default: () => 30,
  }),
  'budgets.max_tokens_per_turn': layered('budgets.max_tokens_per_turn', {
    ...cap,
    fallback: '200000',
    explain: 'Tokens of a turn and of all turns below it.',
    pick: (tables) => tables.budgets?.max_tokens_per_turn,
    default: () => 200000,
  }),
  'budgets.max_cost_usd_per_turn': layered('budgets.max_cost_usd_per_turn', {
    ...cost,
    fallback: '1',
    explain: 'Dollars that the model calls of a turn and of all turns below it may cost.',
    pick: (tables) => tables.budgets?.max_cost_usd_per_turn,
    default: () => 1_000_000,
  }),
  'budgets.turn_timeout_secs': layered('budgets.turn_timeout_secs', {
    ...cap,
    fallback: '600',
    explain:
      'Seconds of active time of a turn and of all turns below it; waiting for people does not count.',
    pick: (tables) => tables.budgets?.turn_timeout_secs,
    default: () => 600,
  }),
  'budgets.tool_timeout_secs': layered('budgets.tool_timeout_secs', {
    ...cap,
    fallback: '60',
    explain: 'Seconds that one tool call may take.',
    pick: (tables) => tables.budgets?.tool_timeout_secs,
    default: () => 60,
  }),
};

const perAgent = {
  'budgets.max_actions_per_hour': layered('budgets.max_actions_per_hour', {
    ...cap,
    fallback: '120',
    explain: 'Tool calls of an agent in any hour.',
    pick: (tables) => tables.budgets?.max_actions_per_hour,
    default: () => 120,
  }),
  'budgets.max_cost_usd_per_day': layered('budgets.max_cost_usd_per_day', {
    ...cost,
    fallback: '10',
    explain: 'Dollars that the model calls of an agent may cost in a UTC day.',
    pick: (tables) => tables.budgets?.max_cost_usd_per_day,
    default: () => 10_000_000,
  }),
  'budgets.warn_at_percent': layered('budgets.warn_at_percent', {
    order: atMost(1),
    layer: 'runtime',
    fallback: '80',
    explain: 'Share of a cap, in percent, at which a warning is recorded.',
    pick: (tables) => tables.budgets?.warn_at_percent,
    read: (written) => written,
    default: () => 80,
  }),
};

/** How much a turn, its tree and its agent may use. */
export const budgetsSettings = { ...perTurn, ...perTree, ...perAgent };
