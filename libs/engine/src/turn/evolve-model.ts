import { nothingMade } from '../context/system-text.ts';
import type { DataOf } from '../events/event.ts';
import type { Usage } from '../events/parts.ts';
import type { Folds } from './evolve.ts';
import type { OpenTurn, Totals } from './state.ts';

type Settled = DataOf<'ModelCallFailed'>['settled'];

/** What the events of the conversation with the model do to an open turn. */
export const modelFolds: Folds<
  'ContextTrimmed' | 'ModelCallStarted' | 'ModelCallCompleted' | 'ModelCallFailed'
> = {
  ContextTrimmed: (state, data) => ({
    ...state,
    trims: [...state.trims.filter((trim) => trim.limit !== data.limit), data],
  }),
  ModelCallStarted: (state, data) => ({
    ...state,
    model: {
      kind: 'calling',
      modelCall: data.modelCall,
      attempt: data.attempt,
      reserved: data.reserved,
    },
    made: state.made ?? data.made ?? nothingMade,
    advertised: data.advertised,
    final: data.final,
    transcript: [
      ...state.transcript,
      ...state.steered.map((text) => ({ kind: 'steered' as const, text })),
    ],
    steered: [],
    totals:
      data.attempt === 1
        ? { ...state.totals, modelCalls: state.totals.modelCalls + 1 }
        : state.totals,
  }),
  ModelCallCompleted: (state, data) => ({
    ...state,
    model: { kind: 'idle' },
    transcript: [
      ...state.transcript,
      {
        kind: 'step',
        modelCall: data.modelCall,
        text: data.text,
        calls: data.calls.map((call) => ({ status: 'asked', ...call })),
      },
    ],
    totals: settle(state.totals, data.settled, data.usage),
  }),
  ModelCallFailed: (state, data) => ({
    ...state,
    totals: settle(state.totals, data.settled, null),
    ...afterFailure(data),
  }),
};

const settle = (totals: Totals, settled: Settled, usage: Usage | null): Totals => ({
  ...totals,
  usage:
    usage === null
      ? totals.usage
      : {
          inputTokens: totals.usage.inputTokens + usage.inputTokens,
          outputTokens: totals.usage.outputTokens + usage.outputTokens,
          cachedInputTokens: totals.usage.cachedInputTokens + usage.cachedInputTokens,
        },
  tokens: totals.tokens + settled.tokens,
  cost:
    totals.cost === 'unknown' || settled.cost === 'unknown'
      ? 'unknown'
      : totals.cost + settled.cost,
});

const afterFailure = (
  data: DataOf<'ModelCallFailed'>,
): Pick<OpenTurn, 'model'> | Pick<OpenTurn, 'model' | 'ending'> =>
  data.retryAt === null
    ? { model: { kind: 'idle' }, ending: { code: 'model_failed', data } }
    : {
        model: {
          kind: 'retrying',
          modelCall: data.modelCall,
          attempt: data.attempt + 1,
          at: data.retryAt,
        },
      };
