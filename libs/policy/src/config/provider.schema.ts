import { z } from 'zod';
import { secretRef, usd } from './values.schema.ts';

const perMtok = usd(100_000);

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
  prices: pricesSchema
    .optional()
    .describe('What the model costs, in US dollars a million tokens, or "free". Absent: unknown.'),
  timeout_secs: z
    .int()
    .min(1)
    .max(3600)
    .default(120)
    .describe('Longest wait for one model call, in seconds.'),
  max_attempts: z
    .int()
    .min(1)
    .max(10)
    .default(3)
    .describe('Tries of one model call, the first included.'),
};

const model = z.string().min(1).describe('The name that the provider gives the model.');
const baseUrl = z.url().describe('Where the API is, its version included.');
const apiKey = secretRef.describe('Where the key is: { env = "NAME" } or { file = "path" }.');

/** One `[providers.<alias>]` entry. */
export const providerSchema = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('scripted'),
    script: z.string().min(1).describe('The file of scenarios that the model plays.'),
    ...call,
  }),
  z.strictObject({
    type: z.literal('openai_compatible'),
    base_url: baseUrl,
    model,
    api_key: apiKey.optional(),
    ...call,
  }),
  z.strictObject({
    type: z.literal('openai'),
    base_url: baseUrl.optional(),
    model,
    api_key: apiKey,
    ...call,
  }),
  z.strictObject({
    type: z.literal('anthropic'),
    base_url: baseUrl.optional(),
    model,
    api_key: apiKey,
    ...call,
  }),
]);
export type ProviderConfig = z.infer<typeof providerSchema>;
