import { z } from 'zod';
import { aliasSchema } from '../names.ts';
import { patternList } from './values.schema.ts';

/** A folder with skills, each a folder with a SKILL.md in the open Agent Skills format. */
export const skillBundleSchema = z.strictObject({
  directory: z.string().min(1).describe('The folder; relative paths start at the config file.'),
});

/** A length of time: a whole number and `s`, `m`, `h` or `d`. */
export const durationText = z
  .string()
  .regex(/^[1-9][0-9]{0,8}(s|m|h|d)$/, 'must be a whole number and one of `s`, `m`, `h`, `d`');

/** A job: its agent works on a prompt at set times. */
export const cronSchema = z.strictObject({
  agent: aliasSchema,
  schedule: z.string().min(1).describe('Five or six cron fields.'),
  timezone: z.string().min(1).default('UTC').describe('An IANA name.'),
  prompt: z.string().min(1),
  tools: patternList
    .optional()
    .describe('What the job may use at most; absent takes nothing away.'),
  uses_memory: z.boolean().default(false).describe('Whether the job reads and writes memory.'),
  missed: z
    .enum(['skip', 'run_once'])
    .default('skip')
    .describe('What becomes of times that passed while the daemon was down.'),
  overlap: z
    .enum(['skip', 'queue'])
    .default('skip')
    .describe('What becomes of a time at which the last run still works.'),
  enabled: z.boolean().default(true),
});

export const sopStepSchema = z.strictObject({
  name: aliasSchema.optional().describe('How templates name the step; absent: `step<number>`.'),
  agent: aliasSchema,
  prompt: z
    .string()
    .min(1)
    .describe('A template: `{{input}}` and `{{steps.<name>}}` stand for texts that came before.'),
  tools: patternList
    .optional()
    .describe('What the step may use at most; absent takes nothing away.'),
  gate: z
    .enum(['approval', 'none'])
    .default('none')
    .describe('Whether a person lets the step begin.'),
  output: z
    .record(z.string(), z.json())
    .optional()
    .describe('A JSON Schema that the reply, read as JSON, must hold.'),
  retries: z.int().min(0).max(5).default(0).describe('Further tries of a step that failed.'),
});

/** A standard operating procedure: steps of agents, one after the other. */
export const sopSchema = z.strictObject({
  triggers: z
    .array(
      z
        .string()
        .regex(
          /^(manual|tool|cron:[a-z][a-z0-9_-]{0,31}|channel:[a-z]+\.[a-z][a-z0-9_-]{0,31})$/,
          'must be `manual`, `tool`, `cron:<job>` or `channel:<kind>.<alias>`',
        ),
    )
    .default(['manual'])
    .describe('What may start it.'),
  steps: z.array(sopStepSchema).min(1).max(50),
});

/** An agent that looks after its affairs at a steady pace. */
export const heartbeatSchema = z.strictObject({ every: durationText, prompt: z.string().min(1) });
