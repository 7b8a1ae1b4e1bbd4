import { z } from 'zod';
import { aliasSchema, pathNameSchema, principalSchema, triggerSchema } from '@lockstep/policy';

/** What every event carries beside its data. Null where it does not apply. */
export const metaSchema = z.strictObject({
  agent: aliasSchema.nullable(),
  path: pathNameSchema.nullable(),
  trigger: triggerSchema.nullable(),
  principal: principalSchema.nullable(),
  session: z.string().nullable(),
  turn: z.string().nullable(),
  root: z.string().nullable(),
  parent: z.string().nullable(),
  /** Turn ids from the root to this turn's parent. */
  chain: z.array(z.string()),
  correlation: z.string(),
  /** Id of the event or message that led to this one. */
  causation: z.string().nullable(),
  attempt: z.int().min(1),
  epoch: z.int().min(0),
  /** Gapless per agent; null on streams of no agent. Stamped by the writer. */
  agentSeq: z.int().min(1).nullable(),
  daemon: z.string(),
  build: z.string(),
  probe: z.string().optional(),
});
export type Meta = z.infer<typeof metaSchema>;

/** Meta as a command brings it: the writer adds `agentSeq` and `epoch`. */
export type NewMeta = Omit<Meta, 'agentSeq' | 'epoch'>;

/** 20 digits, zero-padded, ordered as a string. */
export const positionSchema = z.string().regex(/^\d{20}$/);
export type Position = string;

/** The envelope without its payload; `events/event.ts` joins it with the typed payloads. */
export const envelopeShape = {
  /** UUIDv7. */
  id: z.uuid(),
  stream: z.string().min(1),
  /** 0-based in its stream. */
  revision: z.int().min(0),
  position: positionSchema,
  schema: z.int().min(1),
  /** Milliseconds since the epoch, stamped by the writer; never back within a log. */
  time: z.int().min(0),
  meta: metaSchema,
};
