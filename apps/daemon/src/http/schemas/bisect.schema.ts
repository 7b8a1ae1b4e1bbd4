import { z } from 'zod';
import { idSchema } from './common.schema.ts';

/** Which verdict of which turn is asked about. */
export const bisectBody = z
  .strictObject({
    turn: idSchema,
    /** Id of a call, or its place among the judged calls, from 1; absent = the first that another version judges otherwise. */
    call: z.union([z.string().min(1).max(200), z.int().min(1)]).optional(),
  })
  .meta({ id: 'BisectTurn' });
export type BisectBody = Readonly<z.infer<typeof bisectBody>>;

const verdict = z.strictObject({
  verdict: z.enum(['allow', 'ask', 'refuse']),
  rule: z.string(),
  key: z.string().nullable(),
  why: z.string(),
});

const about = { turn: z.string(), call: z.string() };

/** Which config version and which keys flipped a verdict. Values of keys are canonical JSON; null = the key is not there. */
export const bisectSchema = z
  .discriminatedUnion('outcome', [
    z.strictObject({
      outcome: z.literal('found'),
      ...about,
      tool: z.string(),
      before: z.strictObject({ version: z.int(), verdict }),
      after: z.strictObject({ version: z.int(), verdict, by: z.string(), time: z.int() }),
      keys: z.array(
        z.strictObject({
          path: z.string(),
          before: z.string().nullable(),
          after: z.string().nullable(),
          setting: z.string().nullable(),
        }),
      ),
      tried: z.int(),
    }),
    z.strictObject({
      outcome: z.literal('not_config'),
      ...about,
      why: z.string(),
      at: z
        .strictObject({
          revision: z.int(),
          id: z.string(),
          type: z.string(),
          time: z.int(),
          position: z.string(),
        })
        .nullable(),
    }),
    z.strictObject({ outcome: z.literal('stopped'), turn: z.string(), missing: z.string() }),
    z.strictObject({
      outcome: z.literal('refused'),
      turn: z.string(),
      problems: z.array(z.strictObject({ where: z.string(), message: z.string() })),
    }),
  ])
  .meta({ id: 'Bisect' });
