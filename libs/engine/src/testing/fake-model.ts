import type { ModelInput, ModelOutcome, ModelPort } from '../ports/model.ts';
import { isStartedModelCall } from '../turn/started.ts';

/** One reply of a fake model. */
export interface ModelStep {
  readonly say?: string;
  readonly calls?: readonly { readonly tool: string; readonly args: unknown }[];
  readonly usage?: { readonly input: number; readonly output: number } | null;
  readonly fail?: Partial<Extract<ModelOutcome, { ok: false }>>;
}

/** What a fake model was asked. */
export interface ModelAsked {
  readonly turn: string;
  readonly modelCall: number;
  readonly attempt: number;
  readonly input: ModelInput;
}

export interface FakeModel extends ModelPort {
  readonly asked: readonly ModelAsked[];
}

/** A model that answers by a function of what it is asked: the same question gets the same answer, also after a restart. A promise
 * that does not settle is a model that hangs; an abort ends the call. */
export const fakeModel = (
  answer: (asked: ModelAsked) => ModelStep | Promise<ModelStep>,
): FakeModel => {
  const asked: ModelAsked[] = [];
  return {
    asked,
    call: async (started, { signal, onDelta }) => {
      if (!isStartedModelCall(started)) throw new TypeError('a model call without an intent');
      const { modelCall, attempt } = started.event.data;
      const question: ModelAsked = {
        turn: started.event.meta.turn ?? '',
        modelCall,
        attempt,
        input: started.input,
      };
      asked.push(question);
      const aborted = new Promise<null>((resolve) => {
        signal.addEventListener('abort', () => {
          resolve(null);
        });
      });
      const step = await Promise.race([answer(question), aborted]);
      return step === null ? { ...failed, kind: 'cancelled' } : outcome(step, question, onDelta);
    },
  };
};

const failed: Extract<ModelOutcome, { ok: false }> = {
  ok: false,
  kind: 'unavailable',
  status: null,
  message: 'the fake model failed',
  retryable: false,
  retryAfterMs: null,
};

const outcome = (
  step: ModelStep,
  { modelCall, input }: ModelAsked,
  onDelta: ((text: string) => void) | null,
): ModelOutcome => {
  if (step.fail !== undefined) return { ...failed, ...step.fail };
  const text = step.say ?? '';
  if (text !== '') onDelta?.(text);
  const calls = (step.calls ?? []).map(({ tool, args }, index) => ({
    call: `m${modelCall}c${index}`,
    alias: input.tools.find((one) => one.id === tool)?.alias ?? tool,
    args: typeof args === 'string' ? args : JSON.stringify(args),
  }));
  const { usage = { input: 100, output: 10 } } = step;
  return {
    ok: true,
    text,
    calls,
    finish: calls.length > 0 ? 'tool_calls' : 'stop',
    usage:
      usage === null
        ? null
        : { inputTokens: usage.input, outputTokens: usage.output, cachedInputTokens: 0 },
  };
};
