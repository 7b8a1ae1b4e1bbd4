import type { RecalledRow } from '../events/turn-parts.ts';
import type { ModelMessage } from '../ports/model.ts';
import type { OpenTurn } from '../turn/state.ts';
import type { TextOf } from './conversation.ts';
import { fenceUntrusted } from './fence.ts';
import { isInMemoryScope, memoryScopeOf, recallsUnasked } from './memory-scope.ts';

/** The message that holds what memory gave unasked, or none. The policy in force judges every row again: what was found under a
 * wider one is not shown. */
export const recalledMessages = (state: OpenTurn, textOf: TextOf): readonly ModelMessage[] => {
  const rows = rowsInScope(state);
  if (rows.length === 0) return [];
  const shown = rows.map((row) =>
    fenceUntrusted(textOf(row.text), `memory:${row.agent}/${row.id}`),
  );
  return [{ role: 'user', text: ['Kept before, and perhaps of use:', ...shown].join('\n') }];
};

const rowsInScope = ({ policy, recalled, request }: OpenTurn): readonly RecalledRow[] => {
  const scope = memoryScopeOf(policy, request.principal);
  if (recalled === null || scope === null || !recallsUnasked(policy)) return [];
  if (scope.backend !== recalled.scope.backend) return [];
  const rows = recalled.rows.filter((row) => isInMemoryScope(scope, row));
  const limit = policy.memory.recall_limit;
  return limit === 'unlimited' ? rows : rows.slice(0, limit);
};
