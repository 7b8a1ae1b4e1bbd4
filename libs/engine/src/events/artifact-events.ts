import { z } from 'zod';
import { digestSchema } from './content.ts';

/** Payloads of the stream `artifact-<digest>`: content that other events cite, in parts. A repeat is a no-op. */
export const artifactPayloads = {
  ArtifactRecorded: z.strictObject({
    digest: digestSchema,
    part: z.int().min(0),
    parts: z.int().min(1),
    bytes: z.int().min(0),
    text: z.string(),
  }),
} as const;
