import { z } from 'zod';

/** The parts of the daemon's answers that the command line reads; unknown fields are left alone. */
export const turnAnswer = z.looseObject({
  id: z.string(),
  status: z.enum(['queued', 'running', 'waiting', 'completed', 'failed', 'cancelled', 'refused']),
  session: z.string(),
  agent: z.string(),
  path: z.string(),
  reply: z.string().nullable(),
  reason: z.string().nullable(),
  approvals: z.array(z.string()),
});
export type TurnAnswerBody = z.infer<typeof turnAnswer>;

export const turnRow = z.looseObject({
  id: z.string(),
  agent: z.string(),
  path: z.string(),
  trigger: z.string(),
  status: z.string(),
  startedAt: z.number(),
  input: z.string().nullable(),
  reply: z.string().nullable(),
  allowed: z.number(),
  refused: z.number(),
  asked: z.number(),
});

export const turnDetail = z.looseObject({
  row: turnRow,
  policy: z
    .looseObject({
      digest: z.string(),
      config: z.looseObject({ version: z.number() }),
    })
    .nullable(),
  steps: z.array(
    z.looseObject({
      at: z.number(),
      type: z.string(),
      tone: z.string(),
      title: z.string(),
      detail: z.string().nullable(),
      rule: z.string().nullable(),
      pattern: z.string().nullable(),
    }),
  ),
});

export const listOf = <T extends z.ZodType>(item: T) =>
  z.looseObject({ items: z.array(item), next: z.string().nullable() });

export const inboxRow = z.looseObject({
  id: z.string(),
  kind: z.enum(['approval', 'question', 'gate']),
  turn: z.string(),
  agent: z.string(),
  tool: z.string().nullable(),
  why: z.string().nullable(),
  /** The text that a person is shown; null for a viewer. */
  view: z.string().nullable(),
  shown: z.string(),
  choices: z.array(z.string()),
  revision: z.number(),
  askedAt: z.number(),
  deadline: z.union([z.number(), z.literal('never')]),
  state: z.string(),
});
export type InboxBody = z.infer<typeof inboxRow>;

export const parityBody = z.looseObject({
  position: z.string(),
  /** Places where numbered events of an agent are not in the log. */
  missing: z
    .array(z.looseObject({ agent: z.string(), after: z.number(), next: z.number() }))
    .default([]),
  figure: z.looseObject({ enforced: z.number(), of: z.number() }),
  rows: z.array(
    z.looseObject({
      setting: z.string(),
      surface: z.string(),
      cells: z.record(
        z.string(),
        z.looseObject({ state: z.string(), reason: z.string().optional() }),
      ),
    }),
  ),
});

export const probesBody = z.looseObject({
  id: z.string(),
  status: z.enum(['running', 'completed', 'failed']),
  progress: z.object({ done: z.number(), of: z.number(), what: z.string() }),
  tried: z.number(),
  recorded: z.number(),
  problems: z.array(z.string()),
  failure: z.string().nullable(),
});

export const agentBody = z.looseObject({
  alias: z.string(),
  enabled: z.boolean(),
  complete: z.boolean(),
  paused: z.boolean(),
});

export const tokenBody = z.looseObject({
  id: z.string(),
  name: z.string(),
  roles: z.array(z.string()),
  expires: z.union([z.number(), z.literal('never')]),
});

export const jobBody = z.looseObject({
  name: z.string(),
  agent: z.string(),
  schedule: z.string(),
  timezone: z.string(),
  enabled: z.boolean(),
  next: z.array(z.number()),
  madeBy: z.string().nullable(),
  runs: z.array(z.looseObject({ state: z.string(), at: z.number() })),
});
export type JobBody = z.infer<typeof jobBody>;

export const sopStarted = z.looseObject({ id: z.string() });

export const sopRunBody = z.looseObject({
  id: z.string(),
  sop: z.string(),
  status: z.string(),
  trigger: z.string(),
  by: z.string(),
  steps: z.array(
    z.looseObject({
      name: z.string(),
      agent: z.string(),
      state: z.string(),
      gate: z.string().nullable(),
      turns: z.array(z.string()),
      why: z.string().nullable(),
    }),
  ),
  startedAt: z.number(),
  input: z.string().nullable(),
  output: z.string().nullable(),
  failure: z.looseObject({ message: z.string() }).nullable(),
});
export type SopRunBody = z.infer<typeof sopRunBody>;

const flagBody = z.looseObject({
  agent: z.string().nullable(),
  by: z.string(),
  why: z.string(),
  since: z.number(),
});
export const flagsBody = z.looseObject({ stops: z.array(flagBody), pauses: z.array(flagBody) });

export const grantBody = z.looseObject({
  grant: z.string(),
  agent: z.string(),
  tool: z.string(),
  person: z.string().nullable(),
  arguments: z.looseObject({ kind: z.string() }),
  expires: z.union([z.number(), z.literal('never')]),
});

export const unknownOutcomeBody = z.looseObject({
  turn: z.string(),
  call: z.string(),
  agent: z.string(),
  tool: z.string(),
  why: z.string(),
  since: z.number(),
});

export const decidedBody = z.looseObject({
  status: z.string(),
  votes: z.looseObject({ given: z.number(), required: z.number() }).optional(),
});
