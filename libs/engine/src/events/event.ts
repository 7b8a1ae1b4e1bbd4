import { z } from 'zod';
import { accessPayloads } from './access-events.ts';
import { agentPayloads } from './agent-events.ts';
import { artifactPayloads } from './artifact-events.ts';
import { configPayloads } from './config-events.ts';
import { daemonPayloads } from './daemon-events.ts';
import { envelopeShape, type NewMeta } from './envelope.ts';
import { jobPayloads } from './job-events.ts';
import { memoryPayloads } from './memory-events.ts';
import { probePayloads } from './probe-events.ts';
import { sessionPayloads } from './session-events.ts';
import { sopPayloads } from './sop-events.ts';
import { turnPayloads } from './turn-events.ts';

/** Payload schemas of every event type, by stream family. */
export const payloadsByFamily = {
  session: sessionPayloads,
  turn: turnPayloads,
  config: configPayloads,
  agent: agentPayloads,
  memory: memoryPayloads,
  sop: sopPayloads,
  job: jobPayloads,
  artifact: artifactPayloads,
  access: accessPayloads,
  daemon: daemonPayloads,
  probe: probePayloads,
} as const;
export type StreamFamily = keyof typeof payloadsByFamily;

export const payloads = {
  ...sessionPayloads,
  ...turnPayloads,
  ...configPayloads,
  ...agentPayloads,
  ...memoryPayloads,
  ...sopPayloads,
  ...jobPayloads,
  ...artifactPayloads,
  ...accessPayloads,
  ...daemonPayloads,
  ...probePayloads,
} as const;
type Payloads = typeof payloads;
export type EventType = keyof Payloads;
export const eventTypes = Object.keys(payloads) as readonly EventType[];

type Of<P extends Record<string, z.ZodType>> = {
  [T in keyof P & string]: { readonly type: T; readonly data: z.infer<P[T]> };
}[keyof P & string];

const envelopeSchema = z.strictObject(envelopeShape);
type EnvelopeFields = Readonly<z.infer<typeof envelopeSchema>>;

/** Type and data alone: what `decide` returns. */
export type Fact = Of<Payloads>;
export type TurnFact = Of<typeof turnPayloads>;
/** An event as the store returns it. */
export type LockstepEvent = EnvelopeFields & Fact;
export type EventOf<T extends EventType> = EnvelopeFields & Extract<Fact, { type: T }>;
export type TurnEvent = EnvelopeFields & TurnFact;
export type DataOf<T extends EventType> = z.infer<Payloads[T]>;

/** An event on its way to the store, which adds stream, revision, position, time, agentSeq and epoch. */
export type NewEvent = Fact & {
  readonly id: string;
  readonly schema: number;
  readonly meta: NewMeta;
};

/** What is wrong with a record that claims to be an event. */
export interface EventProblem {
  readonly where: string;
  readonly message: string;
}

/** Parts of a record that were held to their schema before: they are taken as they are. */
export interface KnownParts {
  readonly meta: boolean;
  readonly data: boolean;
}

const nothingKnown: KnownParts = { meta: false, data: false };
const fullSchemas = new Map<string, z.ZodType>();
const fullSchema = (type: EventType, parts: KnownParts): z.ZodType => {
  const key = `${type} ${parts.meta ? 'm' : ''}${parts.data ? 'd' : ''}`;
  const known = fullSchemas.get(key);
  if (known !== undefined) return known;
  const made = envelopeSchema.extend({
    type: z.literal(type),
    data: parts.data ? z.unknown() : payloads[type],
    meta: parts.meta ? z.unknown() : envelopeShape.meta,
  });
  fullSchemas.set(key, made);
  return made;
};

export const isEventType = (type: string): type is EventType => Object.hasOwn(payloads, type);

/** Reads one record strictly: unknown types, unknown keys and wrong values are problems, never repaired.
 * Use at the two edges only: reading from a store, and SSE or file input. `known`: what of it need not be looked at again. */
export const parseEvent = (
  record: unknown,
  known: KnownParts = nothingKnown,
): { ok: true; event: LockstepEvent } | { ok: false; problems: readonly EventProblem[] } => {
  const type = (record as { type?: unknown } | null)?.type;
  if (typeof type !== 'string' || !isEventType(type))
    return {
      ok: false,
      problems: [{ where: 'type', message: `unknown event type \`${String(type)}\`` }],
    };
  const read = fullSchema(type, known).safeParse(record);
  if (read.success) return { ok: true, event: read.data as LockstepEvent };
  return {
    ok: false,
    problems: read.error.issues.map((i) => ({ where: i.path.join('.'), message: i.message })),
  };
};

const prefixed = ['session', 'turn', 'agent', 'memory', 'sop', 'job', 'artifact', 'probe'] as const;

/** The family of a stream by its name, or null for a name that no family owns. */
export const familyOf = (stream: string): StreamFamily | null => {
  if (stream === 'config' || stream === 'access' || stream === 'daemon') return stream;
  for (const family of prefixed) if (stream.startsWith(`${family}-`)) return family;
  return null;
};
