import { exhausted } from './budgets.witness.ts';
import { witness } from './monitor.ts';

/** Events in which a budget over an agent's turns held something back, or a warning came. */
export const windowsWitnesses = {
  'budgets.max_actions_per_hour': exhausted('budgets.max_actions_per_hour'),
  'budgets.max_cost_usd_per_day': exhausted('budgets.max_cost_usd_per_day'),
  'budgets.warn_at_percent': witness(
    'BudgetWarning',
    ({ event }) => `warned of ${event.data.key} at ${event.data.used} of ${event.data.cap}`,
  ),
};
