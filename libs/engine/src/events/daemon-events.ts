import { z } from 'zod';

/** Payloads of the stream `daemon`. */
export const daemonPayloads = {
  DaemonStarted: z.strictObject({
    incarnation: z.string(),
    host: z.string(),
    version: z.string(),
    /** What this machine lacks and what is refused for it. */
    limits: z.array(z.string()),
  }),
  /** A log of another host or incarnation was taken over by a person: before it, nothing could be written. */
  LogAdopted: z.strictObject({
    by: z.string(),
    fromHost: z.string(),
    fromIncarnation: z.string(),
    /** Turns whose open items were settled, and jobs whose missed times were skipped. */
    turns: z.int().min(0),
    jobs: z.int().min(0),
  }),
  DaemonStopped: z.strictObject({ incarnation: z.string(), why: z.string() }),
  CheckpointSigned: z.strictObject({ size: z.int(), root: z.string(), note: z.string() }),
  EmergencyStopSet: z.strictObject({
    agent: z.string().nullable(),
    by: z.string(),
    why: z.string(),
  }),
  EmergencyStopCleared: z.strictObject({ agent: z.string().nullable(), by: z.string() }),
  SubjectErased: z.strictObject({ subject: z.string(), by: z.string() }),
} as const;
