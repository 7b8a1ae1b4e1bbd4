import { z } from 'zod';
import { pathNameSchema, triggerSchema } from '@lockstep/policy';
import { idSchema } from './common.schema.ts';

/** Another policy: a version that was in force, or the text of a draft in the format of the config file. */
const otherConfig = z.union([
  z.strictObject({ version: z.int().min(1) }),
  z.strictObject({ text: z.string().min(1).max(4_000_000) }),
]);

export const replayBody = z
  .strictObject({
    turn: idSchema,
    /** The path on which the request would have come in. */
    path: pathNameSchema.optional(),
    /** Needs `path`. Without it the first of the path's triggers that leads to the agent. */
    trigger: triggerSchema.optional(),
    /** Needs operator or admin. */
    config: otherConfig.optional(),
    /** The two timelines too. */
    timeline: z.boolean().optional(),
  })
  .meta({ id: 'ReplayTurn' });
export type ReplayBody = z.output<typeof replayBody>;

const eventRef = z.strictObject({
  revision: z.int(),
  id: z.string(),
  type: z.string(),
  time: z.int(),
  position: z.string(),
});
const fact = z.looseObject({ type: z.string() });
const fields = z.array(
  z.strictObject({
    path: z.string(),
    recorded: z.string().nullable(),
    replayed: z.string().nullable(),
  }),
);

/** One place of two timelines; null on one side = nothing stands there, or it lies beyond the horizon. */
const step = z
  .strictObject({
    recorded: z.strictObject({ at: eventRef, fact }).nullable(),
    now: fact.nullable(),
    state: z.enum(['same', 'differs', 'beyond_horizon']),
    fields,
  })
  .meta({ id: 'ReplayStep' });

const start = z.strictObject({
  path: pathNameSchema,
  trigger: triggerSchema,
  config: z.strictObject({ version: z.int().nullable(), digest: z.string() }),
});

const seen = z.strictObject({
  verdict: z.enum(['allow', 'ask', 'refuse']),
  rule: z.string(),
  key: z.string().nullable(),
  why: z.string(),
});

const compared = z
  .strictObject({
    call: z.string(),
    tool: z.string(),
    at: eventRef,
    recorded: seen,
    now: seen.nullable(),
    change: z.enum([
      'unchanged',
      'newly_refused',
      'newly_asked',
      'newly_allowed',
      'beyond_horizon',
    ]),
    decidedBy: z.string().nullable(),
    waitedMs: z.int().nullable(),
  })
  .meta({ id: 'ComparedVerdict' });

/** What of the history was taken as it stands and not made again. */
const notes = z.array(z.string());
const steps = z.array(step);
/** Turns that its calls started, at every depth, each as its own replay says. Absent = there is none, or another path is asked about. */
const below = z
  .array(
    z
      .strictObject({
        turn: z.string(),
        agent: z.string(),
        path: pathNameSchema,
        trigger: triggerSchema,
        outcome: z.enum(['same', 'diverged', 'compared', 'not_reachable', 'stopped', 'refused']),
        unchanged: z.boolean(),
      })
      .meta({ id: 'ReplayBelow' }),
  )
  .optional();
/** How many turns below are left out, since the caller's scope leaves out their agents. Absent = none. */
const hidden = z.int().min(1).optional();
const ofReplay = {
  below,
  hidden,
  turn: z.string(),
  notes: notes.optional(),
  steps: steps.optional(),
};
const at = eventRef.nullable();

/** What became of a replay. `same`, `diverged`: nothing was put in the place of what was recorded. `compared`, `not_reachable`: another
 * path or config was. `fields` hold canonical JSON; null = the field is not there. */
export const replaySchema = z
  .discriminatedUnion('outcome', [
    z.strictObject({
      ...ofReplay,
      outcome: z.literal('same'),
      events: z.int(),
      ended: z.boolean(),
    }),
    z.strictObject({
      ...ofReplay,
      outcome: z.literal('diverged'),
      events: z.int(),
      at,
      recorded: fact.nullable(),
      replayed: fact.nullable(),
      fields,
      why: z.string(),
    }),
    z.strictObject({
      below,
      hidden,
      outcome: z.literal('compared'),
      turn: z.string(),
      agent: z.string(),
      recorded: start,
      now: start,
      policy: z.array(z.strictObject({ key: z.string(), recorded: z.string(), now: z.string() })),
      verdicts: z.array(compared),
      /** Empty unless the timeline was asked for. */
      steps,
      horizon: at,
      notes,
    }),
    z.strictObject({
      below,
      hidden,
      outcome: z.literal('not_reachable'),
      turn: z.string(),
      now: start,
      why: z.string(),
    }),
    z.strictObject({
      ...ofReplay,
      outcome: z.literal('stopped'),
      /** Events that came out as recorded before; absent where another path or config was asked about. */
      events: z.int().optional(),
      at,
      missing: z.string(),
    }),
    z.strictObject({
      ...ofReplay,
      outcome: z.literal('refused'),
      problems: z.array(z.strictObject({ where: z.string(), message: z.string() })),
    }),
  ])
  .meta({ id: 'Replay' });
export type ReplayAnswer = z.output<typeof replaySchema>;
