import { z } from 'zod';
import { approvalQuery, decisionBody, questionBody } from '../../http/schemas/approval.schema.ts';
import { aliasParam, idSchema, textSchema } from '../../http/schemas/common.schema.ts';
import { cancelBody, steerBody } from '../../http/schemas/turn.schema.ts';

/** Comes back with the answer to the frame. */
const frameId = z.union([z.string().max(200), z.number()]);

/** Everything that a client can send, one JSON object a frame. */
export const frameSchema = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('start'),
    id: frameId,
    agent: aliasParam,
    input: textSchema(1_000_000),
    session: idSchema.optional(),
    /** A repeat with the same key is the same turn. */
    key: z.string().min(1).max(255).optional(),
    events: z.boolean().default(true),
    deltas: z.boolean().default(true),
  }),
  z.strictObject({ type: z.literal('get'), id: frameId, turn: idSchema }),
  z.strictObject({ type: z.literal('cancel'), id: frameId, turn: idSchema, ...cancelBody.shape }),
  z.strictObject({ type: z.literal('steer'), id: frameId, turn: idSchema, ...steerBody.shape }),
  z.strictObject({ type: z.literal('approvals'), id: frameId, query: approvalQuery.optional() }),
  z.strictObject({
    type: z.literal('decide'),
    id: frameId,
    approval: idSchema,
    decision: decisionBody,
  }),
  z.strictObject({
    type: z.literal('answer'),
    id: frameId,
    question: idSchema,
    answer: questionBody,
  }),
  /** Follow a turn that was started elsewhere. */
  z.strictObject({
    type: z.literal('subscribe'),
    id: frameId,
    turn: idSchema,
    events: z.boolean().default(true),
    deltas: z.boolean().default(true),
  }),
  z.strictObject({ type: z.literal('unsubscribe'), id: frameId, turn: idSchema }),
]);
export type Frame = z.infer<typeof frameSchema>;
export type FrameId = z.infer<typeof frameId>;

/** The id in a frame that does not fit, so that its sender knows which was meant. */
export const idOfFrame = (value: unknown): FrameId | null => {
  if (typeof value !== 'object' || value === null || !('id' in value)) return null;
  const read = frameId.safeParse(value.id);
  return read.success ? read.data : null;
};
