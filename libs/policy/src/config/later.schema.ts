import { z } from 'zod';
import { aliasSchema } from '../names.ts';
import { patternList, secretRef } from './values.schema.ts';

export const skillBundleSchema = z.strictObject({ directory: z.string().min(1) });

export const peerGroupSchema = z.strictObject({
  channel: z.string().min(1),
  agents: z.array(aliasSchema),
  external_peers: z.array(z.string()).default([]),
  ignore: z.array(z.string()).default([]),
});

export const channelSchema = z.strictObject({ secret: secretRef.optional() });

export const cronSchema = z.strictObject({
  agent: aliasSchema,
  schedule: z.string().min(1),
  timezone: z.string().optional(),
  prompt: z.string().min(1),
  tools: patternList.optional(),
  uses_memory: z.boolean().default(false),
});

export const sopSchema = z.strictObject({
  triggers: z.array(z.string()).default(['manual']),
  steps: z.array(
    z.strictObject({
      agent: aliasSchema,
      prompt: z.string().min(1),
      tools: patternList.optional(),
      gate: z.enum(['approval', 'none']).default('none'),
    }),
  ),
});

export const heartbeatSchema = z.strictObject({
  every: z.string().min(1),
  prompt: z.string().min(1),
});
