import type { ModelOutcome, ModelPort } from '@lockstep/engine';
import { digestOf, type Config, type ProviderConfig } from '@lockstep/policy';
import type { SecretSource } from '../secrets/secret-ref.ts';
import { guarded } from './guarded-model.ts';

/** What every model adapter needs of the daemon. */
export interface ModelContext {
  readonly secrets: SecretSource;
  /** Told of each secret value that is read, before it is used. */
  readonly know: (name: string, value: string) => void;
  /** Replaces secrets in error messages. */
  readonly mask: (text: string) => string;
}

/** The configs that are known, newest first: a turn keeps its provider while a newer config is in force. */
export type KnownConfigs = () => Iterable<Config>;

export interface ModelPorts {
  /** The model of a provider entry, by the alias and digest that a policy names. Never throws: an entry that is gone answers every
   * call with a failure. */
  for(alias: string, digest: string): ModelPort;
}

export const createModelPorts = (configs: KnownConfigs, context: ModelContext): ModelPorts => {
  const ports = new Map<string, ModelPort>();
  return {
    for: (alias, digest) => {
      const known = ports.get(digest);
      if (known !== undefined) return known;
      for (const config of configs()) {
        const provider = config.providers[alias];
        if (provider === undefined || digestOf(provider) !== digest) continue;
        const port = modelFor(provider, context);
        ports.set(digest, port);
        return port;
      }
      return failing(`provider \`${alias}\` is not in the config any more`);
    },
  };
};

/** The port of one provider entry. Its code is loaded at the first call. */
export const modelFor = (provider: ProviderConfig, context: ModelContext): ModelPort => {
  let loaded: Promise<ModelPort> | null = null;
  const load = (): Promise<ModelPort> => {
    loaded ??= loadModel(provider, context);
    return loaded;
  };
  return guarded(
    {
      call: async (started, options) => {
        try {
          return await (await load()).call(started, options);
        } catch (error) {
          loaded = null;
          return rejected(context.mask(error instanceof Error ? error.message : String(error)));
        }
      },
    },
    provider.timeout_secs * 1000,
  );
};

const loadModel = async (provider: ProviderConfig, context: ModelContext): Promise<ModelPort> => {
  switch (provider.type) {
    case 'scripted':
      return (await import('./scripted-model.ts')).scriptedModel(provider, context);
    case 'openai_compatible':
    case 'openai':
    case 'anthropic':
      return (await import('./sdk-model.ts')).sdkModel(provider, context);
  }
};

const rejected = (message: string): ModelOutcome => ({
  ok: false,
  kind: 'rejected',
  status: null,
  message,
  retryable: false,
  retryAfterMs: null,
});

const failing = (message: string): ModelPort => ({
  call: () => Promise.resolve(rejected(message)),
});
