import { z } from 'zod';
import { aliasSchema, effectSchema } from '@lockstep/policy';
import { contentSchema, digestSchema } from './content.ts';
import {
  bindingSchema,
  deciderSchema,
  factsSchema,
  grantFieldSchema,
  operandSchema,
  ruleIdSchema,
  toolIdSchema,
  touchedSchema,
} from './parts.ts';

const judged = {
  call: z.string(),
  /** Null when the name that the model used is no tool's. */
  tool: toolIdSchema.nullable(),
  alias: z.string(),
  args: contentSchema,
  /** SHA-256 of the canonical arguments; of the raw text when they are no JSON. */
  argsDigest: digestSchema,
  effects: z.array(effectSchema),
  rule: ruleIdSchema,
  /** The pattern of the rule that decided, where there is one. */
  pattern: z.string().nullable(),
  /** For the operator: what decided, in one sentence. */
  why: z.string(),
  facts: factsSchema,
};

/** What becomes of the tool calls of a turn: verdicts, approvals, questions, starts and ends. */
export const callPayloads = {
  ToolCallAuthorized: z.strictObject({
    ...judged,
    tool: toolIdSchema,
    binding: bindingSchema,
    /** What let it through: autonomy, an auto-approve pattern, a grant, or a person's decision. */
    by: z.enum(['autonomy', 'auto_approve', 'grant', 'approval']),
    grant: z.string().nullable(),
    approval: z.string().nullable(),
  }),
  ToolCallRefused: z.strictObject({
    ...judged,
    /** What the model is told: the outcome only, never how to widen its rights. */
    shown: z.string(),
    approval: z.string().nullable(),
  }),
  ApprovalRequested: z.strictObject({
    ...judged,
    tool: toolIdSchema,
    approval: z.string(),
    binding: bindingSchema,
    /** The text that a person sees, masked, with invisible characters made visible. */
    view: contentSchema,
    /** Ms since the epoch, or never. */
    deadline: z.union([z.int(), z.literal('never')]),
    route: z.string(),
    grantable: z.boolean(),
    /** Votes that it takes; absent = one. */
    required: z.int().min(1).optional(),
    /** Who may not decide: the person, or the identity, that asked. Absent or null = nobody is kept out. */
    notBy: z.string().nullable().optional(),
    /** The view is too long to be shown whole: it can be denied or edited, not granted. */
    cut: z.literal(true).optional(),
  }),
  ApprovalVoted: z.strictObject({
    approval: z.string(),
    by: deciderSchema,
    choice: z.enum(['once', 'always', 'deny']),
  }),
  ApprovalGranted: z.strictObject({
    approval: z.string(),
    call: z.string(),
    by: deciderSchema,
    choice: z.enum(['once', 'always']),
    binding: bindingSchema,
    /** Digest of the view that was shown. */
    shown: digestSchema,
    /** Arguments that the person put in place of the model's; they pass the gate again. */
    edited: z
      .strictObject({
        args: contentSchema,
        argsDigest: digestSchema,
        /** What their verdict read. */
        facts: factsSchema,
      })
      .optional(),
    /** What the surface cut or masked of the view. */
    cut: z.array(z.string()).optional(),
    /** For `always`: the grant to be issued on the agent's stream. */
    grant: z
      .strictObject({
        id: z.string(),
        scope: z.enum(['session', 'agent']),
        arguments: z.enum(['exact', 'any', 'fields']),
        /** For `fields`: what the named arguments must be. */
        fields: z.array(grantFieldSchema).optional(),
        anyone: z.boolean(),
        expires: z.union([z.int(), z.literal('never')]),
      })
      .nullable(),
  }),
  ApprovalDenied: z.strictObject({
    approval: z.string(),
    call: z.string(),
    by: deciderSchema,
    /** Becomes the tool's result; null = plain denial. */
    guidance: contentSchema.nullable(),
    shown: digestSchema,
  }),
  ApprovalExpired: z.strictObject({
    approval: z.string(),
    call: z.string(),
    deadline: z.int(),
    now: z.int(),
  }),
  ApprovalClosed: z.strictObject({
    approval: z.string(),
    call: z.string(),
    reason: z.enum(['turn_cancelled', 'turn_ended', 'policy_changed', 'stale', 'emergency_stop']),
    why: z.string(),
  }),
  QuestionAsked: z.strictObject({
    question: z.string(),
    call: z.string(),
    text: contentSchema,
    choices: z.array(z.string()),
    deadline: z.union([z.int(), z.literal('never')]),
  }),
  QuestionAnswered: z.strictObject({
    question: z.string(),
    call: z.string(),
    by: deciderSchema,
    text: contentSchema,
  }),
  QuestionExpired: z.strictObject({
    question: z.string(),
    call: z.string(),
    deadline: z.int(),
    now: z.int(),
  }),
  ToolCallStarted: z.strictObject({
    call: z.string(),
    attempt: z.int().min(1),
    tool: toolIdSchema,
    spec: digestSchema,
    argsDigest: digestSchema,
    binding: bindingSchema,
    operands: z.array(operandSchema),
    repeatable: z.boolean(),
    idempotencyKey: z.string(),
    /** Ms, or none. */
    timeoutMs: z.union([z.int(), z.literal('unlimited')]),
    /** Names of secrets restored into the arguments for this call. */
    unsealed: z.array(z.string()),
    policy: digestSchema,
    now: z.int(),
    /** Turns, or the run of a procedure, that the call starts: fixed here, so that a restart finds them again. */
    children: z
      .array(z.strictObject({ turn: z.string(), agent: aliasSchema.nullable() }))
      .optional(),
  }),
  ToolCallCompleted: z.strictObject({
    call: z.string(),
    attempt: z.int().min(1),
    /** As the model sees it: masked, cut at `max_tool_result_chars`. */
    result: contentSchema,
    /** The tool itself said that it failed. */
    isError: z.boolean(),
    /** Characters before the cut. */
    chars: z.int().min(0),
    truncated: z.boolean(),
    /** How many secrets were masked. */
    masked: z.int().min(0),
    touched: z.array(touchedSchema),
    durationMs: z.int().min(0),
  }),
  ToolCallFailed: z.strictObject({
    call: z.string(),
    attempt: z.int().min(1),
    error: z.strictObject({
      kind: z.enum(['timeout', 'unavailable', 'io', 'protocol', 'late_swap', 'too_large']),
      message: z.string(),
    }),
    touched: z.array(touchedSchema),
    durationMs: z.int().min(0),
  }),
  ToolCallCancelled: z.strictObject({
    call: z.string(),
    /** It had been handed over: the effect may have happened. */
    started: z.boolean(),
    why: z.string(),
  }),
  ToolCallOutcomeUnknown: z.strictObject({
    call: z.string(),
    attempt: z.int().min(1),
    tool: toolIdSchema,
    argsDigest: digestSchema,
    why: z.string(),
  }),
  UnknownOutcomeSettled: z.strictObject({
    call: z.string(),
    as: z.enum(['retry', 'done', 'failed']),
    by: deciderSchema,
  }),
  /** A cap has passed the share at which the policy warns. */
} as const;
