import { z } from 'zod';
import { idSchema } from './common.schema.ts';

export const replayBody = z.strictObject({ turn: idSchema }).meta({ id: 'ReplayTurn' });

const eventRef = z.strictObject({
  revision: z.int(),
  id: z.string(),
  type: z.string(),
  time: z.int(),
  position: z.string(),
});
/** What of the history was taken as it stands and not made again. */
const notes = z.array(z.string()).optional();
const fact = z.looseObject({ type: z.string() }).nullable();

/** What became of a replay. `fields` hold canonical JSON; null = the field is not there. */
export const replaySchema = z
  .discriminatedUnion('outcome', [
    z.strictObject({
      notes,
      outcome: z.literal('same'),
      turn: z.string(),
      events: z.int(),
      ended: z.boolean(),
    }),
    z.strictObject({
      notes,
      outcome: z.literal('diverged'),
      turn: z.string(),
      events: z.int(),
      at: eventRef.nullable(),
      recorded: fact,
      replayed: fact,
      fields: z.array(
        z.strictObject({
          path: z.string(),
          recorded: z.string().nullable(),
          replayed: z.string().nullable(),
        }),
      ),
      why: z.string(),
    }),
    z.strictObject({
      notes,
      outcome: z.literal('stopped'),
      turn: z.string(),
      events: z.int(),
      at: eventRef.nullable(),
      missing: z.string(),
    }),
    z.strictObject({
      notes,
      outcome: z.literal('refused'),
      turn: z.string(),
      problems: z.array(z.strictObject({ where: z.string(), message: z.string() })),
    }),
  ])
  .meta({ id: 'Replay' });
