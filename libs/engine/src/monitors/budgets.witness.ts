import type { EnforcedKey } from '@lockstep/policy';
import { anyOf, refusedUnder, witness, type Witness } from './monitor.ts';
import type { At, RecordedTurn } from './recorded-turn.ts';
import { inFlightAfter } from './spent.ts';

/** A limit that was named as exhausted, as the rule of a refusal, or as what ended the turn. */
export const exhausted = (key: EnforcedKey): Witness =>
  anyOf(
    refusedUnder(key),
    witness('BudgetExhausted', ({ event }) =>
      event.data.key === key ? `the limit of ${event.data.cap} was reached` : null,
    ),
    witness('TurnFailed', ({ event }) =>
      event.data.key === key ? 'the turn ended at this limit' : null,
    ),
    witness('TurnCompleted', ({ event }) =>
      event.data.endedBy === key ? 'the work ended early at this limit' : null,
    ),
  );

/** Events in which a budget held something back. */
export const budgetsWitnesses = {
  'budgets.max_tool_iterations': anyOf(
    exhausted('budgets.max_tool_iterations'),
    witness('ModelCallStarted', ({ event }) =>
      event.data.final ? 'the last model call was offered no tools' : null,
    ),
  ),
  'budgets.max_parallel_tools': anyOf(
    exhausted('budgets.max_parallel_tools'),
    witness('ToolCallStarted', (at, turn) => {
      const limit = at.policy.budgets.max_parallel_tools;
      const full = inFlightAfter(turn).get(at.index) === limit;
      return full && hasWaiting(turn, at) ? `others waited for one of ${limit} places` : null;
    }),
  ),
  'budgets.max_tool_result_chars': anyOf(
    exhausted('budgets.max_tool_result_chars'),
    witness('ToolCallCompleted', ({ event }) =>
      event.data.truncated ? `a result of ${event.data.chars} characters was cut` : null,
    ),
  ),
  'budgets.max_output_tokens': anyOf(
    exhausted('budgets.max_output_tokens'),
    witness('ModelCallCompleted', ({ event }) =>
      event.data.finish === 'length' ? 'the model stopped at its output limit' : null,
    ),
  ),
  'budgets.loop_detection': anyOf(
    exhausted('budgets.loop_detection'),
    witness('LoopDetected', ({ event }) => `${event.data.tool} was called again and again`),
  ),
  'budgets.max_tool_calls': exhausted('budgets.max_tool_calls'),
  'budgets.max_tokens_per_turn': exhausted('budgets.max_tokens_per_turn'),
  'budgets.max_cost_usd_per_turn': exhausted('budgets.max_cost_usd_per_turn'),
  'budgets.turn_timeout_secs': anyOf(
    exhausted('budgets.turn_timeout_secs'),
    witness('TurnFailed', ({ event }) =>
      event.data.code === 'turn_timeout' ? 'the active time was used up' : null,
    ),
  ),
  'budgets.tool_timeout_secs': anyOf(
    exhausted('budgets.tool_timeout_secs'),
    witness('ToolCallFailed', ({ event }) =>
      event.data.error.kind === 'timeout' ? 'the tool took too long' : null,
    ),
  ),
};

/** Whether some call that was let through has no place until one of those that run ends. Verdicts of one model step may stand before
 * or after this start in the log. */
const hasWaiting = (turn: RecordedTurn, at: At): boolean => {
  const until = nextOutcome(turn, at.index);
  const started = new Set(
    turn.all('ToolCallStarted').flatMap((s) => (s.index < until ? [s.event.data.call] : [])),
  );
  return turn
    .all('ToolCallAuthorized')
    .some(({ event, index }) => index < until && !started.has(event.data.call));
};

const nextOutcome = (turn: RecordedTurn, after: number): number =>
  Math.min(
    ...[
      ...turn.all('ToolCallCompleted'),
      ...turn.all('ToolCallFailed'),
      ...turn.all('ToolCallCancelled'),
      ...turn.all('ToolCallOutcomeUnknown'),
    ].flatMap(({ index }) => (index > after ? [index] : [])),
    turn.events.length,
  );
