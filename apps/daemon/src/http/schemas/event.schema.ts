import { z } from 'zod';
import { eventTypes, positionSchema, type EventType } from '@lockstep/engine';
import { pathNameSchema } from '@lockstep/policy';
import { limitOf, manyOf } from '../validation.ts';
import { agentQuery } from './common.schema.ts';

const types = manyOf(z.enum(eventTypes as [EventType, ...EventType[]]));
const after = z.union([positionSchema, z.literal('start')]);

export const streamQuery = z.strictObject({
  /** `end`, or absent: only what comes from now on. */
  after: z.union([after, z.literal('end')]).default('end'),
  types: types.optional(),
  agent: agentQuery,
  path: pathNameSchema.optional(),
});
export type StreamQuery = z.infer<typeof streamQuery>;

export const eventQuery = z.strictObject({
  after: after.default('start'),
  types: types.optional(),
  agent: agentQuery,
  path: pathNameSchema.optional(),
  limit: limitOf(100, 1000),
});
export type EventQuery = z.infer<typeof eventQuery>;

/** What every event has; `data` is as its type says. */
export const eventSchema = z
  .looseObject({
    id: z.string(),
    stream: z.string(),
    revision: z.int(),
    position: z.string(),
    type: z.string(),
    schema: z.int(),
    time: z.int(),
    data: z.looseObject({}),
    meta: z.looseObject({}),
  })
  .meta({ id: 'Event' });

export const eventListSchema = z
  .strictObject({
    items: z.array(eventSchema),
    next: z.string().nullable(),
    /** The last position looked at. */
    position: z.string(),
    generation: z.string(),
  })
  .meta({ id: 'EventList' });

export const turnEventQuery = z.strictObject({
  /** Revision of the first event wanted. */
  from: z.coerce.number().int().min(0).default(0),
  limit: limitOf(500, 1000),
});
export const turnEventListSchema = z
  .strictObject({ items: z.array(eventSchema), next: z.string().nullable() })
  .meta({ id: 'TurnEventList' });
