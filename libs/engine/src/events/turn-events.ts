import { z } from 'zod';
import {
  appliedNarrowingSchema,
  effectSchema,
  pathNameSchema,
  policySnapshotSchema,
  provenanceEntrySchema,
  resolutionProblemSchema,
  resolveRecordsSchema,
  resolveRequestSchema,
  surfaceNames,
  triggerSchema,
} from '@lockstep/policy';
import { contentSchema, digestSchema } from './content.ts';
import {
  askedCallSchema,
  bindingSchema,
  configRefSchema,
  costSchema,
  deciderSchema,
  factsSchema,
  operandSchema,
  ruleIdSchema,
  settingKeySchema,
  toolIdSchema,
  touchedSchema,
  usageSchema,
} from './parts.ts';

const snapshotRef = z.union([
  z.strictObject({ inline: policySnapshotSchema }),
  z.strictObject({ artifact: digestSchema, bytes: z.int() }),
]);

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

/** Payloads of the stream `turn-<id>`. One fact per event, one type per failure mode. */
export const turnPayloads = {
  TurnRequested: z.strictObject({
    request: resolveRequestSchema,
    records: resolveRecordsSchema,
    config: configRefSchema,
    path: pathNameSchema,
    trigger: triggerSchema,
    input: contentSchema,
    /** Id of the accepted message in the session, if it came through one. */
    message: z.string().nullable(),
    /** Earlier turns of the session, oldest first, whose messages may stand before the input. */
    history: z.array(z.string()),
  }),
  PolicyResolved: z.strictObject({
    config: configRefSchema,
    registry: z.int(),
    snapshot: snapshotRef,
    digest: digestSchema,
    surfaces: z.record(z.enum(surfaceNames), digestSchema),
    provenance: z.array(provenanceEntrySchema),
    narrowings: z.array(appliedNarrowingSchema),
  }),
  TurnRefused: z.strictObject({
    code: z.enum(['agent_unavailable', 'not_permitted', 'stopped', 'disk_full', 'invalid_request']),
    problems: z.array(resolutionProblemSchema),
    /** What the sender is told: the same for unknown, disabled and incomplete agents. */
    shown: z.string(),
  }),
  PolicyNarrowed: z.strictObject({
    config: configRefSchema,
    snapshot: snapshotRef,
    digest: digestSchema,
    keys: z.array(settingKeySchema),
  }),
  ContextTrimmed: z.strictObject({
    modelCall: z.int().min(1),
    limit: z.enum([
      'context.max_history_messages',
      'context.max_context_tokens',
      'context.keep_tool_results_turns',
      'context.max_system_prompt_chars',
    ]),
    keptMessages: z.int(),
    droppedMessages: z.int(),
    droppedTurns: z.array(z.string()),
    cutToolResults: z.array(z.string()),
  }),
  ModelCallStarted: z.strictObject({
    /** 1-based number of the model call in the turn; `meta.attempt` counts tries of the same one. */
    modelCall: z.int().min(1),
    attempt: z.int().min(1),
    provider: z.string(),
    model: z.string(),
    /** Digest of the system text and of the advertised list; both are artifacts. */
    system: digestSchema,
    tools: digestSchema,
    /** Canonical ids advertised, sorted. Empty on the last call at the iteration cap. */
    advertised: z.array(toolIdSchema),
    /** Digest of the neutral form {system, tools, messages} sent. */
    input: digestSchema,
    messages: z.int().min(0),
    /** Of them, messages of earlier turns. */
    historyMessages: z.int().min(0),
    promptTokens: z.int().min(0),
    maxOutputTokens: z.union([z.int().min(1), z.literal('unlimited')]),
    reserved: z.strictObject({ tokens: z.int().min(0), cost: costSchema }),
    /** No tools are offered because the iteration cap is reached. */
    final: z.boolean(),
    /** Whether text goes out while it is made: `withheld` = somebody listens and `output.stream` is false. */
    deltas: z.enum(['sent', 'withheld', 'not_asked']),
    policy: digestSchema,
    now: z.int(),
  }),
  ModelCallCompleted: z.strictObject({
    modelCall: z.int().min(1),
    attempt: z.int().min(1),
    text: contentSchema,
    calls: z.array(askedCallSchema),
    finish: z.enum(['stop', 'tool_calls', 'length', 'content_filter', 'other']),
    /** Null = not reported; then the reservation is what was used. */
    usage: usageSchema.nullable(),
    settled: z.strictObject({ tokens: z.int().min(0), cost: costSchema }),
    durationMs: z.int().min(0),
  }),
  ModelCallFailed: z.strictObject({
    modelCall: z.int().min(1),
    attempt: z.int().min(1),
    error: z.strictObject({
      kind: z.enum([
        'rate_limited',
        'unavailable',
        'rejected',
        'unauthorized',
        'timeout',
        'cut',
        'malformed',
        'cancelled',
        'interrupted',
      ]),
      status: z.int().nullable(),
      message: z.string(),
    }),
    /** The next try is due then, in ms since the epoch; null = no further try. */
    retryAt: z.int().nullable(),
    settled: z.strictObject({ tokens: z.int().min(0), cost: costSchema }),
    durationMs: z.int().min(0),
  }),
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
    /** For `always`: the grant to be issued on the agent's stream. */
    grant: z
      .strictObject({
        id: z.string(),
        scope: z.enum(['session', 'agent']),
        arguments: z.enum(['exact', 'any']),
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
  BudgetWarning: z.strictObject({ key: settingKeySchema, cap: z.int(), used: z.int() }),
  BudgetExhausted: z.strictObject({
    key: settingKeySchema,
    scope: z.string(),
    cap: z.int(),
    used: z.int(),
    wanted: z.int(),
    why: z.string(),
  }),
  LoopDetected: z.strictObject({
    tool: toolIdSchema,
    argsDigest: digestSchema,
    repeats: z.int(),
    window: z.int(),
  }),
  ChildTurnLinked: z.strictObject({ call: z.string(), child: z.string(), agent: z.string() }),
  TurnSteered: z.strictObject({ text: contentSchema, by: z.string() }),
  CancelRequested: z.strictObject({ by: z.string(), why: z.string() }),
  TurnTakenOver: z.strictObject({ daemon: z.string(), epoch: z.int() }),
  TurnCompleted: z.strictObject({
    reply: contentSchema,
    /** Characters before the cut at `output.max_reply_chars`. */
    chars: z.int().min(0),
    truncated: z.boolean(),
    masked: z.int().min(0),
    modelCalls: z.int(),
    toolCalls: z.int(),
    usage: usageSchema,
    tokens: z.int(),
    cost: costSchema,
    activeMs: z.int(),
    /** The limit that ended the work early, if one did. */
    endedBy: settingKeySchema.nullable(),
  }),
  TurnFailed: z.strictObject({
    code: z.enum(['model_failed', 'budget_exhausted', 'loop_detected', 'turn_timeout', 'internal']),
    key: settingKeySchema.nullable(),
    message: z.string(),
    modelCalls: z.int(),
    toolCalls: z.int(),
    tokens: z.int(),
    cost: costSchema,
    activeMs: z.int(),
  }),
  TurnCancelled: z.strictObject({ by: z.string(), why: z.string(), activeMs: z.int() }),
  ReplyDeliveryStarted: z.strictObject({ delivery: z.string(), to: z.string(), attempt: z.int() }),
  ReplyDelivered: z.strictObject({
    delivery: z.string(),
    to: z.string(),
    receipt: z.string().nullable(),
  }),
  ReplyDeliveryFailed: z.strictObject({
    delivery: z.string(),
    to: z.string(),
    why: z.string(),
    retryAt: z.int().nullable(),
  }),
} as const;
