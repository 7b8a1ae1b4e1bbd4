import type { PolicySnapshot } from '@lockstep/policy';
import type { Operand } from '../events/parts.ts';
import type { Withheld } from '../tools/withheld.ts';

/** The rule that a job breaks, or null: an agent makes and ends jobs of its own only, and makes none below its last level. */
export const judgeJob = (
  policy: PolicySnapshot,
  operand: Extract<Operand, { kind: 'job' }>,
  tool: string,
): Withheld | null => {
  const { given, owner, fixed } = operand;
  if (fixed) return notOwn(`job \`${given}\` stands in config, which no tool changes`);
  if (owner !== null && owner !== policy.agent)
    return notOwn(`job \`${given}\` belongs to agent \`${owner}\``);
  if (tool !== 'builtin:cron_add' || policy.delegation.max_depth !== 0) return null;
  return {
    rule: 'delegation.max_depth',
    pattern: null,
    why: `no level of turns is left below this one, so it makes no job \`${given}\``,
  };
};

const notOwn = (why: string): Withheld => ({ rule: 'gate.arguments', pattern: null, why });
