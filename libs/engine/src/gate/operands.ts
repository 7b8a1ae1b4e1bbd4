import type { Effect, PolicySnapshot } from '@lockstep/policy';
import type { DeclaredOperand, Facts, Operand, RuleId, ToolSpec } from '../events/parts.ts';
import { operandPointers, type PointedOperands } from '../tools/operand-pointers.ts';
import type { Withheld } from '../tools/withheld.ts';
import { judgeMemory, memoryUnseen } from './memory-operand.ts';
import { judgeJob } from './job-operand.ts';
import { judgeAgent } from './agent-operand.ts';
import { judgeCommand } from './command-operand.ts';
import { judgePath } from './path-operand.ts';
import { judgeSkill, skillUnseen } from './skill-operand.ts';
import { judgeSop } from './sop-operand.ts';
import { judgeUndeclared } from './undeclared-operand.ts';
import { judgeUrl } from './url-operand.ts';

/** The rule that something a call touches breaks, or null. Every declared operand must have been looked at. */
export const judgeOperands = (
  policy: PolicySnapshot,
  facts: Facts,
  tool: { readonly spec: ToolSpec; readonly args: unknown; readonly effects: readonly Effect[] },
): Withheld | null => {
  const undeclared = judgeUndeclared(policy, facts, tool);
  if (undeclared !== null) return undeclared;
  const unseen =
    memoryUnseen(tool.spec, facts.operands) ??
    skillUnseen(tool.spec, facts.operands) ??
    notLookedAt(operandPointers(tool.spec, tool.args), facts.operands);
  if (unseen !== null) return unseen;
  for (const operand of facts.operands) {
    const broken = judgeOperand(policy, facts, operand, tool.spec.id);
    if (broken !== null) return broken;
  }
  return null;
};

const judgeOperand = (
  policy: PolicySnapshot,
  facts: Facts,
  operand: Operand,
  tool: string,
): Withheld | null => {
  switch (operand.kind) {
    case 'path':
      return judgePath(policy, facts.roots, operand);
    case 'url':
      return judgeUrl(policy, operand);
    case 'memory':
      return judgeMemory(policy, operand);
    case 'agent':
      return judgeAgent(policy, operand);
    case 'command':
      return judgeCommand(policy, operand);
    case 'skill':
      return judgeSkill(policy, operand, { tool, confined: facts.confined });
    case 'sop':
      return judgeSop(policy, operand);
    case 'job':
      return judgeJob(policy, operand, tool);
    case 'undeclared':
      return null;
  }
};

const unseenRules: Partial<Record<DeclaredOperand['kind'], RuleId>> = {
  path: 'workspace.workspace_only',
  command: 'shell.allowed_commands',
  skill: 'skills.bundles',
};

const notLookedAt = (pointed: PointedOperands, operands: readonly Operand[]): Withheld | null => {
  for (const { declared, given } of pointed.found) {
    // Memory is looked at as a whole, whatever row is named.
    if (declared.kind === 'memory') continue;
    const seen = operands.some(
      (operand) =>
        operand.kind === declared.kind &&
        'given' in operand &&
        operand.given === given &&
        (declared.kind !== 'path' ||
          (operand.kind === 'path' && operand.access === declared.access)),
    );
    if (!seen)
      return {
        rule: unseenRules[declared.kind] ?? 'network.allowed_hosts',
        pattern: null,
        why: `nobody looked at \`${given}\`, which stands at \`${declared.at}\``,
      };
  }
  return null;
};
