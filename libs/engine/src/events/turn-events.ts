import { z } from 'zod';
import {
  aliasSchema,
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
  capUseSchema,
  configRefSchema,
  costSchema,
  deciderSchema,
  factsSchema,
  grantFieldSchema,
  operandSchema,
  ruleIdSchema,
  settingKeySchema,
  toolIdSchema,
  touchedSchema,
  usageSchema,
} from './parts.ts';

/** The channel's own address of a conversation, and the message in it that is answered. */
export const replyToSchema = z.strictObject({
  binding: z.string(),
  conversation: z.string(),
  thread: z.string().nullable(),
  message: z.string().nullable(),
});
export type ReplyTo = z.infer<typeof replyToSchema>;

/** Whose rows a recall may see. `person`: rows of that person and of nobody; `anyone`: rows of all people. */
export const memoryScopeSchema = z.strictObject({
  backend: z.enum(['sqlite', 'markdown']),
  agents: z.array(aliasSchema),
  person: z.union([
    z.strictObject({ kind: z.literal('anyone') }),
    z.strictObject({ kind: z.literal('person'), id: z.string().nullable() }),
  ]),
});
export type MemoryScope = z.infer<typeof memoryScopeSchema>;

/** One row as it was recalled. */
export const recalledRowSchema = z.strictObject({
  id: z.string(),
  agent: aliasSchema,
  person: z.string().nullable(),
  text: contentSchema,
  stored: z.int(),
});
export type RecalledRow = z.infer<typeof recalledRowSchema>;

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
    /** Messages that the client itself brought along: untrusted text, before the input. */
    earlier: z
      .array(z.strictObject({ role: z.enum(['user', 'assistant', 'system']), text: contentSchema }))
      .optional(),
    /** The call of the parent turn that started this one. */
    call: z.string().nullable().optional(),
    /** Where the reply goes: the channel's own address of the conversation. */
    replyTo: replyToSchema.nullable().optional(),
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
    /** What the turn hangs below as it stands now; absent = as at its start. */
    records: resolveRecordsSchema.optional(),
  }),
  /** A skill was read: its body is an artifact, and its tool list narrows what is offered until the turn ends. */
  SkillActivated: z.strictObject({
    call: z.string(),
    skill: z.string(),
    bundle: aliasSchema,
    digest: digestSchema,
    /** Patterns on canonical ids; null = the skill says nothing of tools. */
    tools: z.array(z.string()).nullable(),
  }),
  /** Rows of memory that the turn was given, unasked or through the tool. */
  MemoryRecalled: z.strictObject({
    by: z.enum(['auto', 'tool']),
    call: z.string().nullable(),
    query: contentSchema,
    limit: z.union([z.int().min(0), z.literal('unlimited')]),
    scope: memoryScopeSchema,
    rows: z.array(recalledRowSchema),
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
    /** What the system text was made of beside the template. */
    made: z
      .strictObject({
        identity: z.array(z.strictObject({ path: z.string(), digest: digestSchema })),
        skills: z.array(z.strictObject({ skill: z.string(), digest: digestSchema })),
        /** Whether the skills stand there by name and description, or with their whole text. Absent in old logs. */
        mode: z.enum(['compact', 'full']).optional(),
      })
      .optional(),
    /** Caps of ancestors and of the agent's windows, as they stood. */
    caps: z.array(capUseSchema).optional(),
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
  BudgetWarning: z.strictObject({
    key: settingKeySchema,
    cap: z.int(),
    used: z.int(),
    /** Turn id or agent alias that the cap belongs to; absent = the turn itself. */
    scope: z.string().optional(),
  }),
  BudgetExhausted: z.strictObject({
    key: settingKeySchema,
    scope: z.string(),
    cap: z.int(),
    used: z.union([z.int(), z.literal('unknown')]),
    wanted: z.int(),
    why: z.string(),
    /** Caps outside the turn's own stream, as they stood, when it was a model call that found no room. */
    caps: z.array(capUseSchema).optional(),
  }),
  LoopDetected: z.strictObject({
    tool: toolIdSchema,
    argsDigest: digestSchema,
    repeats: z.int(),
    window: z.int(),
  }),
  ChildTurnLinked: z.strictObject({
    call: z.string(),
    child: z.string(),
    agent: z.string(),
    /** The call does not wait for it: its reply comes as a message. Absent = the call waits. */
    background: z.literal(true).optional(),
  }),
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
