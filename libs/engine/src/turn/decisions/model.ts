import type { PricesMicro } from '@lockstep/policy';
import { warnPercent } from '../../budget/binds-all.ts';
import { judgeModelCall, modelCaps } from '../../budget/judge-model-call.ts';
import { priceOf } from '../../budget/price-of.ts';
import type { DataOf, TurnFact } from '../../events/event.ts';
import { warnings } from '../../budget/warnings.ts';
import type { CapUse } from '../../events/parts.ts';
import type { ModelOutcome } from '../../ports/model.ts';
import type { CommandOf, PreparedModelCall } from '../commands.ts';
import { nothing, record, refuse, type Decision } from '../decision.ts';
import { completeTurn, endWithout } from '../ending.ts';
import { isLastWord, modelStep } from '../model-step.ts';
import { retryAt } from '../retry.ts';
import { isOpen, speculate } from '../speculate.ts';
import type { ModelStage, OpenTurn } from '../state.ts';

type Calling = Extract<ModelStage, { kind: 'calling' }>;
type Settled = DataOf<'ModelCallFailed'>['settled'];

/** The intent of a model call, or the end of the turn when no budget is left for it. */
export const beginModelCall = (
  { prepared, now, deltas, outside = [] }: CommandOf<'BeginModelCall'>,
  state: OpenTurn,
): Decision => {
  const next = modelStep(state);
  if (next === null) return refuse('out_of_order', 'no model call is due in this turn');
  const budget = judgeModelCall(state, prepared.promptTokens, outside);
  const caps = outside.length === 0 ? {} : { caps: [...outside] };
  if (!budget.ok) {
    const data = { ...budget.exhausted, ...caps };
    const code = data.key === 'budgets.turn_timeout_secs' ? 'turn_timeout' : 'budget_exhausted';
    return record([{ type: 'BudgetExhausted', data }, endWithout(state, { code, data }, now)]);
  }
  const { provider } = state.policy;
  return record([
    ...newTrims(state, prepared, next.modelCall),
    ...(next.final && !state.final ? [iterationsExhausted(state)] : []),
    {
      type: 'ModelCallStarted',
      data: {
        modelCall: next.modelCall,
        attempt: next.attempt,
        provider: provider.alias,
        model: provider.model,
        system: prepared.system,
        tools: prepared.tools,
        advertised: [...prepared.advertised],
        input: prepared.input,
        messages: prepared.messages,
        historyMessages: prepared.historyMessages,
        promptTokens: prepared.promptTokens,
        maxOutputTokens: budget.maxOutputTokens,
        reserved: budget.reserved,
        final: next.final,
        deltas,
        policy: state.policyDigest,
        now,
        ...(prepared.made === undefined ? {} : { made: prepared.made }),
        ...caps,
      },
    },
    ...warningsOf(state, modelCaps(state, outside)),
  ]);
};

/** Warnings of caps of what model calls take. */
const warningsOf = (state: OpenTurn, caps: readonly CapUse[]): readonly TurnFact[] =>
  warnings(
    caps.filter(({ key }) => spentKeys.has(key)),
    {
      turn: state.turn,
      percent: warnPercent(state.policy),
      warned: state.warned,
    },
  );

const spentKeys: ReadonlySet<CapUse['key']> = new Set<CapUse['key']>([
  'budgets.max_tokens_per_turn',
  'budgets.max_cost_usd_per_turn',
  'budgets.max_cost_usd_per_day',
]);

/** The model's reply or its failure. A reply without calls ends the turn in the same append. */
export const endModelCall = (command: CommandOf<'EndModelCall'>, state: OpenTurn): Decision => {
  if (state.model.kind !== 'calling') return nothing;
  const fact = command.outcome.ok
    ? completed(command, command.outcome, {
        prices: state.policy.provider.prices,
        calling: state.model,
        taken: new Set(
          state.transcript.flatMap((item) =>
            item.kind === 'step' ? item.calls.map((call) => call.call) : [],
          ),
        ),
      })
    : failed(command, command.outcome, {
        maxAttempts: state.policy.provider.max_attempts,
        calling: state.model,
      });
  const after = speculate(state, [fact], command.now);
  if (!isOpen(after)) return record([fact]);
  const facts = [fact, ...warningsOf(after, modelCaps(after, []))];
  if (after.ending !== null)
    return record([...facts, endWithout(after, after.ending, command.now)]);
  if (command.outcome.ok && command.outcome.calls.length === 0 && isLastWord(after))
    return record([
      ...facts,
      completeTurn(after, { text: command.outcome.text, masked: command.masked }, command.now),
    ]);
  return record(facts);
};

const newTrims = (
  state: OpenTurn,
  prepared: PreparedModelCall,
  modelCall: number,
): readonly TurnFact[] =>
  prepared.trims
    .filter((trim) => !state.trims.some((known) => saysTheSame(known, trim)))
    .map((trim) => ({ type: 'ContextTrimmed', data: { modelCall, ...trim } }));

const saysTheSame = (
  known: DataOf<'ContextTrimmed'>,
  trim: Omit<DataOf<'ContextTrimmed'>, 'modelCall'>,
): boolean =>
  known.limit === trim.limit &&
  known.keptMessages === trim.keptMessages &&
  known.droppedMessages === trim.droppedMessages &&
  known.droppedTurns.join(' ') === trim.droppedTurns.join(' ') &&
  known.cutToolResults.join(' ') === trim.cutToolResults.join(' ');

const iterationsExhausted = (state: OpenTurn): TurnFact => {
  const used = state.totals.modelCalls;
  return {
    type: 'BudgetExhausted',
    data: {
      key: 'budgets.max_tool_iterations',
      scope: state.turn,
      cap: used,
      used,
      wanted: 1,
      why: `the model has used ${used} of ${used} tool iterations: it answers now without tools`,
    },
  };
};

const completed = (
  command: CommandOf<'EndModelCall'>,
  outcome: Extract<ModelOutcome, { ok: true }>,
  {
    prices,
    calling,
    taken,
  }: {
    readonly prices: PricesMicro;
    readonly calling: Calling;
    readonly taken: ReadonlySet<string>;
  },
): TurnFact => {
  const { modelCall, attempt, reserved } = calling;
  const { usage } = outcome;
  const settled: Settled =
    usage === null
      ? reserved
      : {
          tokens: usage.inputTokens + usage.outputTokens,
          cost: priceOf(prices, usage),
        };
  return {
    type: 'ModelCallCompleted',
    data: {
      modelCall,
      attempt,
      text: { inline: outcome.text },
      calls: uniqueCalls(outcome.calls, taken),
      finish: outcome.finish,
      usage,
      settled,
      durationMs: command.durationMs,
    },
  };
};

/** Call ids are the provider's and may be empty or come twice; in our log they are unique in the turn. */
const uniqueCalls = (
  calls: Extract<ModelOutcome, { ok: true }>['calls'],
  taken: ReadonlySet<string>,
): DataOf<'ModelCallCompleted'>['calls'] => {
  const seen = new Set(taken);
  return calls.map(({ call, alias, args }) => {
    let id = call;
    for (let n = 2; id === '' || seen.has(id); n += 1) id = `${call}-${n}`;
    seen.add(id);
    return { call: id, alias, args: { inline: args } };
  });
};

/** The provider refused before it generated anything: nothing was used. Every other failure may have used all it reserved. */
const unused = new Set(['rate_limited', 'rejected', 'unauthorized']);

const failed = (
  command: CommandOf<'EndModelCall'>,
  outcome: Exclude<CommandOf<'EndModelCall'>['outcome'], { ok: true }>,
  { maxAttempts, calling }: { readonly maxAttempts: number; readonly calling: Calling },
): TurnFact => ({
  type: 'ModelCallFailed',
  data: {
    modelCall: calling.modelCall,
    attempt: calling.attempt,
    error:
      outcome.kind === 'interrupted'
        ? { kind: 'interrupted', status: null, message: 'the daemon stopped during the call' }
        : { kind: outcome.kind, status: outcome.status, message: outcome.message },
    retryAt: retryAt(outcome, {
      attempt: calling.attempt,
      maxAttempts,
      now: command.now,
    }),
    settled: unused.has(outcome.kind) ? { tokens: 0, cost: 0 } : calling.reserved,
    durationMs: command.durationMs,
  },
});
