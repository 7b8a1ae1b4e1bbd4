import { z } from 'zod';

export const adoptionSchema = z
  .strictObject({
    /** Null = the log is this machine's own. */
    foreign: z
      .strictObject({ why: z.string(), host: z.string(), incarnation: z.string() })
      .nullable(),
    open: z.strictObject({
      turns: z.int(),
      messages: z.int(),
      waiting: z.int(),
      replies: z.int(),
      procedures: z.int(),
    }),
  })
  .meta({ id: 'Adoption' });

export const adoptingSchema = z
  .strictObject({ status: z.literal('adopting') })
  .meta({ id: 'Adopting' });
