import { z } from 'zod';

const maxWait = 3_600_000;

const stepSchema = z
  .strictObject({
    say: z.string().optional(),
    /** Made at once, in this order. */
    calls: z
      .array(
        z.strictObject({
          /** Canonical id, or a bare name for a built-in tool. */
          tool: z.string().min(1),
          args: z.union([z.record(z.string(), z.json()), z.string()]).default({}),
        }),
      )
      .min(1)
      .optional(),
    fail: z
      .strictObject({
        status: z.int().min(400).max(599),
        message: z.string().default('scripted failure'),
      })
      .optional(),
    /** Milliseconds before the answer. */
    wait_ms: z.int().min(0).max(maxWait).optional(),
    usage: z.strictObject({ input: z.int().min(0), output: z.int().min(0) }).optional(),
  })
  .refine((s) => s.say !== undefined || s.calls !== undefined || s.fail !== undefined, {
    error: 'a step needs `say`, `calls` or `fail`',
  })
  .refine((s) => s.fail === undefined || (s.say === undefined && s.calls === undefined), {
    error: 'a step that fails can neither `say` nor make `calls`',
  });
export type ScriptStep = z.infer<typeof stepSchema>;

/** A script: what the model plays, by the last user message. */
export const scriptSchema = z.strictObject({
  scenarios: z
    .array(
      z.strictObject({
        /** Part of the last user message, or `/regular expression/`. */
        when: z.string().min(1).max(1000),
        steps: z.array(stepSchema).min(1),
      }),
    )
    .default([]),
  default: z
    .array(stepSchema)
    .min(1)
    .default([{ say: 'No scenario matches.' }]),
});
export type Script = z.infer<typeof scriptSchema>;
