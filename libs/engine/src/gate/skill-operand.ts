import type { PolicySnapshot } from '@lockstep/policy';
import type { Facts, Operand, ToolSpec } from '../events/parts.ts';
import { withheldByScripts } from '../tools/withheld.ts';
import type { Withheld } from '../tools/withheld.ts';
import { judgeSandbox } from './command-operand.ts';

export type SkillOperand = Extract<Operand, { kind: 'skill' }>;

/** The rule that reading a skill, or running a script of one, breaks; null = it may be done. */
export const judgeSkill = (
  policy: PolicySnapshot,
  { given, bundle, digest }: SkillOperand,
  { tool, confined }: { readonly tool: string } & Pick<Facts, 'confined'>,
): Withheld | null => {
  const broken = (why: string): Withheld => ({ rule: 'skills.bundles', pattern: null, why });
  if (bundle === null || digest === null)
    return broken(`no bundle of \`${policy.agent}\` holds a skill \`${given}\``);
  if (!policy.skills.bundles.includes(bundle))
    return broken(`skill \`${given}\` is in \`${bundle}\`, no bundle of \`${policy.agent}\``);
  if (!tool.startsWith('skill:')) return null;
  if (!tool.startsWith(`skill:${given}/`))
    return broken(`\`${tool}\` is no script of the skill \`${given}\``);
  return withheldByScripts(policy, tool) ?? judgeSandbox(policy.shell, confined);
};

/** A script of a skill that nobody looked at: the rule that refuses it, or null. */
export const skillUnseen = (spec: ToolSpec, operands: readonly Operand[]): Withheld | null =>
  spec.id.startsWith('skill:') && !operands.some(({ kind }) => kind === 'skill')
    ? { rule: 'skills.bundles', pattern: null, why: `nobody looked at the files of \`${spec.id}\`` }
    : null;
