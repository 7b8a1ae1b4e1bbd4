import { z } from 'zod';
import { secretRef } from './values.schema.ts';

const perMtok = z.number().min(0).max(100_000);

/** What a model costs: decimal US dollars a million tokens. Absent means unknown, never free. */
export const pricesSchema = z.union([
  z.literal('free'),
  z.strictObject({
    input_per_mtok: perMtok,
    output_per_mtok: perMtok,
    cached_input_per_mtok: perMtok.optional(),
  }),
]);

const call = {
  prices: pricesSchema.optional(),
  /** Longest wait for one model call, in seconds. */
  timeout_secs: z.int().min(1).max(3600).default(120),
  /** Tries of one model call, the first included. */
  max_attempts: z.int().min(1).max(10).default(3),
};

/** One `[providers.<alias>]` entry. */
export const providerSchema = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('scripted'), script: z.string().min(1), ...call }),
  z.strictObject({
    type: z.literal('openai_compatible'),
    base_url: z.url(),
    model: z.string().min(1),
    api_key: secretRef.optional(),
    ...call,
  }),
  z.strictObject({
    type: z.literal('openai'),
    base_url: z.url().optional(),
    model: z.string().min(1),
    api_key: secretRef,
    ...call,
  }),
  z.strictObject({
    type: z.literal('anthropic'),
    base_url: z.url().optional(),
    model: z.string().min(1),
    api_key: secretRef,
    ...call,
  }),
]);
export type ProviderConfig = z.infer<typeof providerSchema>;
