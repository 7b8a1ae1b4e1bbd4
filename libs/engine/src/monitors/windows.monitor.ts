import type { EnforcedKey } from '@lockstep/policy';
import type { Objection } from '../projections/parity-matrix.view.ts';
import { size } from './memory-facts.ts';
import { governed, objector, type Governed, type Monitor } from './monitor.ts';
import type { RecordedTurn } from './recorded-turn.ts';
import { usedBefore } from './spent.ts';

const actions = objector('budgets.max_actions_per_hour');
/** Within any hour not more calls of the agent start than the cap, over all its turns. */
const actionsMonitor: Monitor = (turn) => [
  ...governed(turn, 'ToolCallStarted').flatMap((at) => {
    const many = turn.around.tally(at.event.id)?.actionsLastHour ?? 0;
    return many > size(at.policy.budgets.max_actions_per_hour)
      ? [actions.violated(at, `action ${many} of the agent within an hour`)]
      : [];
  }),
  ...roomLeft(turn, 'budgets.max_actions_per_hour'),
];

const cost = objector('budgets.max_cost_usd_per_day');
/** No model call begins that could take the agent over the cap of the day. */
const costMonitor: Monitor = (turn) => [
  ...governed(turn, 'ModelCallStarted').flatMap((at) => {
    const limit = size(at.policy.budgets.max_cost_usd_per_day);
    const spent = turn.around.tally(at.event.id)?.costToday ?? 0;
    if (limit === Infinity || spent === 'unknown') return [];
    return spent > limit
      ? [cost.violated(at, `the agent may have spent ${spent} micro-dollars on this day`)]
      : [];
  }),
  ...roomLeft(turn, 'budgets.max_cost_usd_per_day'),
];

const warn = objector('budgets.warn_at_percent');
/** A warning comes once the share of a cap is used that the policy names, and not before. */
const warnMonitor: Monitor = (turn) => [
  ...governed(turn, 'BudgetWarning').flatMap((at) => {
    const { used, cap, key } = at.event.data;
    return used * 100 < cap * at.policy.budgets.warn_at_percent
      ? [warn.narrower(at, `warned of \`${key}\` at ${used} of ${cap}`)]
      : [];
  }),
  ...governed(turn, 'TurnCompleted').flatMap((at) =>
    usedUp(turn, at).flatMap(({ key, used, cap }) => {
      const share = used * 100 >= cap * at.policy.budgets.warn_at_percent;
      const due = cap > 0 && used <= cap && share;
      const told = turn.all('BudgetWarning').some(({ event: { data } }) => {
        return data.key === key && (data.scope ?? turn.id) === turn.id;
      });
      const ended = turn.all('BudgetExhausted').some(({ event }) => event.data.key === key);
      return due && !told && !ended
        ? [warn.violated(at, `nobody was warned of \`${key}\` at ${used} of ${cap}`)]
        : [];
    }),
  ),
];

export const windowsMonitors = {
  'budgets.max_actions_per_hour': actionsMonitor,
  'budgets.max_cost_usd_per_day': costMonitor,
  'budgets.warn_at_percent': warnMonitor,
} satisfies Partial<Record<EnforcedKey, Monitor>>;

/** What the turn itself used of the caps of its own, where they are limits at all. */
function usedUp(turn: RecordedTurn, at: Governed<'TurnCompleted'>) {
  const { budgets } = at.policy;
  // What the last model call took came after the last moment at which anything could begin.
  const last = governed(turn, 'ModelCallStarted').at(-1)?.index ?? at.index;
  const spent = usedBefore(turn, last);
  const started = new Set(turn.all('ToolCallStarted').map(({ event }) => event.data.call));
  const uses = [
    { key: 'budgets.max_tokens_per_turn', used: spent.tokens, cap: budgets.max_tokens_per_turn },
    { key: 'budgets.max_tool_calls', used: started.size, cap: budgets.max_tool_calls },
    {
      key: 'budgets.max_cost_usd_per_turn',
      used: spent.cost === 'unknown' ? 0 : spent.cost,
      cap: budgets.max_cost_usd_per_turn,
    },
  ] as const;
  return uses.flatMap(({ key, used, cap }) => (cap === 'unlimited' ? [] : [{ key, used, cap }]));
}

/** Refusals for a cap under which, by their own facts, there was room. */
function roomLeft(turn: RecordedTurn, key: EnforcedKey): readonly Objection[] {
  return governed(turn, 'ToolCallRefused').flatMap((at) => {
    const cap = at.event.data.facts.caps.find((use) => use.key === key);
    if (at.event.data.rule !== key || cap === undefined) return [];
    const { used, reserved } = cap;
    if (used === 'unknown') return [];
    return cap.cap === 'unlimited' || used + reserved < cap.cap
      ? [objector(key).narrower(at, `refused at ${used} of ${cap.cap}`)]
      : [];
  });
}
