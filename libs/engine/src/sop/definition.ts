import { canonicalJson } from '@lockstep/policy';
import { z } from 'zod';

const stepSchema = z.strictObject({
  name: z.string().min(1),
  agent: z.string().min(1),
  prompt: z.string().min(1),
  /** Patterns; null takes nothing away. */
  tools: z.array(z.string()).nullable(),
  gate: z.enum(['approval', 'none']),
  /** JSON Schema that the reply, read as JSON, must hold; null = any reply. */
  output: z.record(z.string(), z.json()).nullable(),
  retries: z.int().min(0),
});
const definitionSchema = z.strictObject({
  triggers: z.array(z.string()),
  steps: z.array(stepSchema).min(1),
});

/** One step of a procedure, with everything filled in. */
export type SopStep = z.infer<typeof stepSchema>;
/** A procedure as a run keeps to it: a later config changes nothing for it. */
export type SopDefinition = z.infer<typeof definitionSchema>;

/** A procedure as config holds it. */
export interface WrittenSop {
  readonly triggers: readonly string[];
  readonly steps: readonly {
    readonly name?: string | undefined;
    readonly agent: string;
    readonly prompt: string;
    readonly tools?: readonly string[] | undefined;
    readonly gate: 'approval' | 'none';
    readonly output?: SopStep['output'] | undefined;
    readonly retries: number;
  }[];
}

/** The definition behind a procedure of config: steps without a name are called `step<number>`. */
export const sopDefinition = ({ triggers, steps }: WrittenSop): SopDefinition => ({
  triggers: [...triggers],
  steps: steps.map((step, n) => ({
    name: step.name ?? `step${n + 1}`,
    agent: step.agent,
    prompt: step.prompt,
    tools: step.tools === undefined ? null : [...step.tools],
    gate: step.gate,
    output: step.output ?? null,
    retries: step.retries,
  })),
});

/** The definition as it is recorded: canonical JSON. */
export const definitionText = (definition: SopDefinition): string => canonicalJson(definition);

/** Reads a recorded definition; null when the text is none. */
export const readDefinition = (text: string): SopDefinition | null => {
  try {
    const read = definitionSchema.safeParse(JSON.parse(text));
    return read.success ? read.data : null;
  } catch {
    return null;
  }
};
