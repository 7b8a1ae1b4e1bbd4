import { z } from 'zod';
import {
  aliasSchema,
  appliedNarrowingSchema,
  pathNameSchema,
  policySnapshotSchema,
  provenanceEntrySchema,
  resolutionProblemSchema,
  resolveRecordsSchema,
  resolveRequestSchema,
  surfaceNames,
  triggerSchema,
} from '@lockstep/policy';
import { callPayloads } from './call-events.ts';
import { contentSchema, digestSchema } from './content.ts';
import {
  askedCallSchema,
  capUseSchema,
  configRefSchema,
  costSchema,
  settingKeySchema,
  toolIdSchema,
  usageSchema,
} from './parts.ts';
import { memoryScopeSchema, recalledRowSchema, replyToSchema } from './turn-parts.ts';

const snapshotRef = z.union([
  z.strictObject({ inline: policySnapshotSchema }),
  z.strictObject({ artifact: digestSchema, bytes: z.int() }),
]);

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
  ...callPayloads,
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
