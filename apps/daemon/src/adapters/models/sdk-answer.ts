import type {
  LanguageModelV3Content,
  LanguageModelV3FinishReason,
  LanguageModelV3StreamPart,
  LanguageModelV3Usage,
} from '@ai-sdk/provider';
import type { ModelInput, ModelOutcome } from '@lockstep/engine';
import { malformed, modelFailure } from './model-failure.ts';

type Answer = Extract<ModelOutcome, { ok: true }>;
type Asked = Answer['calls'][number];

interface Parts {
  readonly text: string;
  readonly calls: readonly { readonly id: string; readonly name: string; readonly input: string }[];
  readonly finish: LanguageModelV3FinishReason;
  readonly usage: LanguageModelV3Usage;
}

/** Reads a stream to its end. Any error part is a failure, even if the stream goes on and finishes after it. */
export const readStream = async (
  stream: ReadableStream<LanguageModelV3StreamPart>,
  onDelta: (text: string) => void,
  mask: (text: string) => string,
): Promise<Parts | Extract<ModelOutcome, { ok: false }>> => {
  let text = '';
  const calls: { id: string; name: string; input: string }[] = [];
  for await (const part of stream) {
    if (part.type === 'error') return partFailure(part.error, mask);
    if (part.type === 'text-delta') {
      text += part.delta;
      onDelta(part.delta);
    } else if (part.type === 'tool-call')
      calls.push({ id: part.toolCallId, name: part.toolName, input: part.input });
    else if (part.type === 'finish')
      return { text, calls, finish: part.finishReason, usage: part.usage };
  }
  return { ...malformed('the stream ended before the answer did'), kind: 'cut' };
};

export const partsOf = (
  content: readonly LanguageModelV3Content[],
  finish: LanguageModelV3FinishReason,
  usage: LanguageModelV3Usage,
): Parts => ({
  text: content.map((c) => (c.type === 'text' ? c.text : '')).join(''),
  calls: content.flatMap((c) =>
    c.type === 'tool-call' ? [{ id: c.toolCallId, name: c.toolName, input: c.input }] : [],
  ),
  finish,
  usage,
});

export const answerOf = (parts: Parts, input: ModelInput, modelCall: number): ModelOutcome => {
  if (parts.finish.unified === 'error')
    return malformed(`the provider ended the answer with \`${parts.finish.raw ?? 'error'}\``);
  const calls = uniqueCalls(parts.calls, input, modelCall);
  return {
    ok: true,
    text: parts.text.toWellFormed(),
    calls,
    finish: calls.length > 0 ? 'tool_calls' : finishOf(parts.finish.unified),
    usage: usageOf(parts.usage),
  };
};

/** Some servers count their call ids anew in every answer; within a turn they must differ. */
const uniqueCalls = (
  calls: Parts['calls'],
  input: ModelInput,
  modelCall: number,
): readonly Asked[] => {
  const taken = new Set(
    input.messages.flatMap((m) => (m.role === 'assistant' ? m.calls.map((c) => c.call) : [])),
  );
  return calls.map((c, n) => {
    const wanted = c.id.toWellFormed();
    const call = wanted === '' || taken.has(wanted) ? `m${modelCall}-${n}-${wanted}` : wanted;
    taken.add(call);
    return { call, alias: c.name.toWellFormed(), args: c.input.toWellFormed() };
  });
};

const finishOf = (unified: LanguageModelV3FinishReason['unified']): Answer['finish'] => {
  switch (unified) {
    case 'stop':
    case 'length':
      return unified;
    case 'content-filter':
      return 'content_filter';
    case 'tool-calls':
    case 'error':
    case 'other':
      return 'other';
  }
};

const usageOf = (usage: LanguageModelV3Usage): Answer['usage'] => {
  const inputTokens = count(usage.inputTokens.total);
  const outputTokens = count(usage.outputTokens.total);
  if (inputTokens === null || outputTokens === null) return null;
  return { inputTokens, outputTokens, cachedInputTokens: count(usage.inputTokens.cacheRead) ?? 0 };
};

const count = (n: number | undefined): number | null =>
  n === undefined || !Number.isSafeInteger(n) || n < 0 ? null : n;

const partFailure = (error: unknown, mask: (text: string) => string) => {
  const failure = modelFailure(error, mask);
  return failure.status === null && failure.kind === 'unavailable'
    ? { ...failure, kind: 'cut' as const }
    : failure;
};
