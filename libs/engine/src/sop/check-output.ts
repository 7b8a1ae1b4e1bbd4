import { digestOf } from '@lockstep/policy';
import type { ToolSpec } from '../events/parts.ts';
import { checkArguments } from '../tools/check-arguments.ts';
import { isDeeper } from '../tools/depth.ts';
import type { SopStep } from './definition.ts';

/** Why a reply is not what its step must give, in words for the agent that tries again; null = it is. */
export const outputProblem = (step: SopStep, reply: string): string | null => {
  if (step.output === null) return null;
  const read = readJson(reply);
  if (!read.ok) return 'the reply must be JSON and nothing else';
  if (isDeeper(read.value, deepest)) return `the reply nests more than ${deepest} levels`;
  const checked = checkArguments(specOf(step.output), read.value);
  if (checked.ok) return null;
  return checked.kind === 'unusable'
    ? `the step's own schema cannot be used: ${checked.message}`
    : checked.message.replace('the arguments', 'the reply');
};

const deepest = 64;

const readJson = (text: string): { ok: true; value: unknown } | { ok: false } => {
  try {
    return { ok: true, value: JSON.parse(text) as unknown };
  } catch {
    return { ok: false };
  }
};

/** The schema in the form in which tools carry theirs: checked by the same code, bounded in the same way. */
const specOf = (schema: NonNullable<SopStep['output']>): ToolSpec => ({
  id: 'skill:step-output/schema',
  alias: 'step_output',
  description: '',
  inputSchema: schema,
  effects: [],
  operands: 'none',
  repeatable: true,
  digest: digestOf({ stepOutput: schema }),
});
