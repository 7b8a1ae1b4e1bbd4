import type { LanguageModelV3, LanguageModelV3CallOptions } from '@ai-sdk/provider';
import type { ModelOutcome, ModelPort, StartedModelCall } from '@lockstep/engine';
import type { ProviderConfig } from '@lockstep/policy';
import { readSecret } from '../secrets/secret-ref.ts';
import type { ModelContext } from './model-ports.ts';
import { modelFailure } from './model-failure.ts';
import { answerOf, partsOf, readStream } from './sdk-answer.ts';
import { sdkPrompt } from './sdk-prompt.ts';

type SdkConfig = Exclude<ProviderConfig, { type: 'scripted' }>;
type CallOptions = Parameters<ModelPort['call']>[1];

/** A real provider through the AI SDK's language-model interface: one call is one request, retries are the runner's. */
export const sdkModel = (config: SdkConfig, context: ModelContext): ModelPort => ({
  call: async (started, options) => {
    const key = config.api_key === undefined ? null : readSecret(config.api_key, context.secrets);
    if (key !== null && !key.ok) return unauthorized(key.message);
    if (key !== null) context.know(key.name, key.value);
    const controller = new AbortController();
    const stop = (): void => {
      controller.abort();
    };
    if (options.signal.aborted) stop();
    options.signal.addEventListener('abort', stop);
    try {
      const model = await openModel(config, key?.value ?? null);
      return await ask(model, started, { ...options, signal: controller.signal }, context.mask);
    } catch (error) {
      return modelFailure(error, context.mask);
    } finally {
      options.signal.removeEventListener('abort', stop);
      stop();
    }
  },
});

const ask = async (
  model: LanguageModelV3,
  started: StartedModelCall,
  options: CallOptions & { readonly signal: AbortSignal },
  mask: (text: string) => string,
): Promise<ModelOutcome> => {
  const { maxOutputTokens, modelCall } = started.event.data;
  const asked: LanguageModelV3CallOptions = {
    ...sdkPrompt(started.input),
    ...(maxOutputTokens === 'unlimited' ? {} : { maxOutputTokens }),
    abortSignal: options.signal,
  };
  if (options.onDelta === null) {
    const { content, finishReason, usage } = await model.doGenerate(asked);
    return answerOf(partsOf(content, finishReason, usage), started.input, modelCall);
  }
  const { stream } = await model.doStream(asked);
  const parts = await readStream(stream, options.onDelta, mask);
  return 'ok' in parts ? parts : answerOf(parts, started.input, modelCall);
};

/** Addresses are always named: the packages would else look into the environment. */
const openModel = async (config: SdkConfig, apiKey: string | null): Promise<LanguageModelV3> => {
  const key = apiKey === null ? {} : { apiKey };
  const shared = { ...key, fetch: sameOriginFetch };
  switch (config.type) {
    case 'openai_compatible': {
      const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible');
      const baseURL = config.base_url;
      return createOpenAICompatible({ name: 'provider', includeUsage: true, ...shared, baseURL })(
        config.model,
      );
    }
    case 'openai': {
      const { createOpenAI } = await import('@ai-sdk/openai');
      const baseURL = config.base_url ?? 'https://api.openai.com/v1';
      return createOpenAI({ ...shared, baseURL }).chat(config.model);
    }
    case 'anthropic': {
      const { createAnthropic } = await import('@ai-sdk/anthropic');
      const baseURL = config.base_url ?? 'https://api.anthropic.com/v1';
      return createAnthropic({ ...shared, baseURL })(config.model);
    }
  }
};

/** The prompt and the key go to the configured address and nowhere else. */
const sameOriginFetch: typeof fetch = (input, init) => fetch(input, { ...init, redirect: 'error' });

const unauthorized = (message: string): ModelOutcome => ({
  ok: false,
  kind: 'unauthorized',
  status: null,
  message,
  retryable: false,
  retryAfterMs: null,
});
