import type { PolicySnapshot } from '@lockstep/policy';
import type { Operand, ToolSpec } from '../events/parts.ts';
import type { Withheld } from '../tools/withheld.ts';

export type MemoryOperand = Extract<Operand, { kind: 'memory' }>;

/** The rule that a look into memory or a change of it breaks, or null. Other agents' rows may be read where the policy names them, and
 * are never changed. */
export const judgeMemory = (
  { agent, memory }: PolicySnapshot,
  operand: MemoryOperand,
): Withheld | null => {
  const broken = (rule: Withheld['rule'], pattern: string | null, why: string): Withheld => ({
    rule,
    pattern,
    why,
  });
  if (memory.backend === 'none')
    return broken('memory.backend', 'none', `\`${agent}\` has no memory here`);
  if (operand.access === 'read') {
    if (memory.recall_limit === 0)
      return broken('memory.recall_limit', '0', `\`${agent}\` may recall no row`);
    const other = operand.agents.find(
      (one) => one !== agent && !memory.read_memory_from.includes(one),
    );
    return other === undefined
      ? null
      : broken('memory.read_memory_from', null, `\`${agent}\` may not read rows of \`${other}\``);
  }
  if (!memory.writable)
    return broken('memory.writable', 'false', `\`${agent}\` may neither store nor forget rows`);
  const owners = [...operand.agents, ...(operand.row === null ? [] : [operand.row.agent])];
  const other = owners.find((one) => one !== agent);
  return other === undefined
    ? null
    : broken(
        'memory.read_memory_from',
        null,
        `rows of \`${other}\` may at most be read by \`${agent}\``,
      );
};

/** A tool that declares a look into memory, and nobody looked: the rule that refuses it, or null. */
export const memoryUnseen = (spec: ToolSpec, operands: readonly Operand[]): Withheld | null => {
  if (typeof spec.operands === 'string') return null;
  for (const declared of spec.operands) {
    if (declared.kind !== 'memory') continue;
    const seen = operands.some((one) => one.kind === 'memory' && one.access === declared.access);
    if (!seen)
      return {
        rule: 'memory.backend',
        pattern: null,
        why: `nobody looked at the memory that \`${spec.id}\` would ${declared.access}`,
      };
  }
  return null;
};
