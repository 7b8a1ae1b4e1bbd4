import { z } from 'zod';
import { aliasParam, idSchema } from '../../http/schemas/common.schema.ts';

const words = z
  .string()
  .max(1_000_000)
  .refine((text) => text.isWellFormed(), 'must be well-formed Unicode');
const part = z.strictObject({ type: z.literal('text'), text: words });
const content = z.union([words, z.array(part).min(1)], {
  error: 'must be text: images, audio and files are not taken',
});

const spoken = z.strictObject({
  role: z.enum(['system', 'developer', 'user', 'assistant'], {
    error: 'must be system, developer, user or assistant: messages of tools are not taken',
  }),
  content,
  name: z.string().max(200).optional(),
  /** Sent back by clients as they got it. */
  refusal: z.null().optional(),
  annotations: z.array(z.unknown()).max(0).optional(),
  tool_calls: z
    .union([z.null(), z.array(z.unknown()).max(0)], { error: 'calls of tools are not taken' })
    .optional(),
});

/** What a field may say without asking for what an agent's own config settles. */
const only =
  (...values: readonly z.core.util.Literal[]) =>
  (why: string) =>
    z.union([z.null(), ...values.map((value) => z.literal(value))], { error: why }).optional();
const none = (why: string) => z.union([z.null(), z.array(z.never())], { error: why }).optional();
/** Taken and without effect: the agent's profile settles it. */
const noEffect = z.union([z.null(), z.string(), z.number(), z.boolean()]).optional();

/** The body of `POST /v1/chat/completions`. What would change what an agent may do is refused; what tunes a model has no effect. */
export const chatCompletionBody = z
  .strictObject({
    model: aliasParam,
    messages: z.array(spoken).min(1).max(1000),
    stream: z.boolean().nullable().optional(),
    stream_options: z
      .strictObject({
        include_usage: z.boolean().optional(),
        include_obfuscation: z.boolean().optional(),
      })
      .nullable()
      .optional(),
    metadata: z.record(z.string(), z.string().max(512)).nullable().optional(),
    n: only(1)('must be 1: one turn gives one answer'),
    tools: none('tools of the client are not taken: an agent has those of its config'),
    functions: none('tools of the client are not taken: an agent has those of its config'),
    tool_choice: only('none', 'auto')('must be none or auto: the agent chooses its tools'),
    function_call: only('none', 'auto')('must be none or auto: the agent chooses its tools'),
    modalities: z
      .union([z.null(), z.array(z.literal('text'))], { error: 'must be text alone' })
      .optional(),
    response_format: z
      .union([z.null(), z.strictObject({ type: z.literal('text') })], {
        error: 'must be text: an answer has the form that the agent gives it',
      })
      .optional(),
    logprobs: only(false)('must be false'),
    stop: none('is not taken: the agent ends its answer'),
    ...Object.fromEntries(
      [
        'temperature',
        'top_p',
        'max_tokens',
        'max_completion_tokens',
        'presence_penalty',
        'frequency_penalty',
        'seed',
        'user',
        'store',
        'parallel_tool_calls',
        'service_tier',
        'reasoning_effort',
        'verbosity',
        'safety_identifier',
        'prompt_cache_key',
      ].map((name) => [name, noEffect]),
    ),
  })
  .refine(({ messages }) => messages.at(-1)?.role === 'user', {
    path: ['messages'],
    error: "the last message must be the user's",
  })
  .refine(({ messages }) => textOf(messages.at(-1)?.content ?? '') !== '', {
    path: ['messages'],
    error: 'the last message must have text',
  })
  .refine(({ metadata }) => idSchema.optional().safeParse(metadata?.['session']).success, {
    path: ['metadata', 'session'],
    error: 'must be the id of a session',
  })
  .meta({ id: 'ChatCompletionRequest' });
export type ChatCompletionBody = z.infer<typeof chatCompletionBody>;

export const textOf = (given: z.infer<typeof content>): string =>
  typeof given === 'string' ? given : given.map(({ text }) => text).join('\n');

const usage = z.strictObject({
  prompt_tokens: z.int(),
  completion_tokens: z.int(),
  total_tokens: z.int(),
});

/** The answer of a turn in the form of a completion; `lockstep` says what the form has no place for. */
export const chatCompletionSchema = z
  .strictObject({
    id: z.string(),
    object: z.literal('chat.completion'),
    created: z.int(),
    model: z.string(),
    choices: z.array(
      z.strictObject({
        index: z.int(),
        message: z.strictObject({
          role: z.literal('assistant'),
          content: z.string(),
          refusal: z.null(),
        }),
        logprobs: z.null(),
        finish_reason: z.literal('stop'),
      }),
    ),
    usage,
    lockstep: z.strictObject({
      turn: z.string(),
      session: z.string(),
      status: z.string(),
      /** What the turn waits for, and where it is decided. */
      waits: z.array(z.strictObject({ id: z.string(), kind: z.string(), address: z.string() })),
    }),
  })
  .meta({ id: 'ChatCompletion' });
export type ChatCompletion = z.infer<typeof chatCompletionSchema>;

export const modelSchema = z
  .strictObject({
    id: z.string(),
    object: z.literal('model'),
    created: z.int(),
    owned_by: z.string(),
  })
  .meta({ id: 'Model' });
export const modelListSchema = z
  .strictObject({ object: z.literal('list'), data: z.array(modelSchema) })
  .meta({ id: 'ModelList' });
