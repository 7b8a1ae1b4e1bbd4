import { describe, expect, it } from 'vitest';
import type { PolicySnapshot } from '@lockstep/policy';
import {
  sampleCall,
  sampleFacts,
  samplePolicy,
  sampleState,
  sampleTool,
} from '../testing/index.ts';
import { authorize } from './authorize.ts';
import { judgeMemory, memoryUnseen, type MemoryOperand } from './memory-operand.ts';

type Memory = Partial<PolicySnapshot['memory']>;

const open: Memory = {
  backend: 'sqlite',
  recall_limit: 5,
  read_memory_from: ['bob'],
  writable: true,
};
const policyWith = (memory: Memory) => samplePolicy({ memory: { ...open, ...memory } });
const look = (change: Partial<MemoryOperand> = {}): MemoryOperand => ({
  kind: 'memory',
  access: 'read',
  agents: ['ada'],
  person: null,
  row: null,
  ...change,
});
const write = (change: Partial<MemoryOperand> = {}) => look({ access: 'write', ...change });
const row = (agent: string) => ({ id: 'r1', agent });

describe('given a look into memory or a change of it', () => {
  it.each<[string, Memory, MemoryOperand, string]>([
    ['a look at its own rows', {}, look(), 'passes'],
    ['a look at rows that it may read', {}, look({ agents: ['ada', 'bob'] }), 'passes'],
    ['a look at rows of another', {}, look({ agents: ['ada', 'cleo'] }), 'memory.read_memory_from'],
    ['a look that may give nothing', { recall_limit: 0 }, look(), 'memory.recall_limit'],
    ['a look without a limit', { recall_limit: 'unlimited' }, look(), 'passes'],
    ['a look where there is no memory', { backend: 'none' }, look(), 'memory.backend'],
    ['a look where nothing may be written', { writable: false }, look(), 'passes'],
    ['a new row', {}, write(), 'passes'],
    ['a new row where no row may be recalled', { recall_limit: 0 }, write(), 'passes'],
    ['a new row where nothing may be written', { writable: false }, write(), 'memory.writable'],
    ['a new row where there is no memory', { backend: 'none' }, write(), 'memory.backend'],
    ['a new row of another', {}, write({ agents: ['bob'] }), 'memory.read_memory_from'],
    ['its own row to forget', {}, write({ row: row('ada') }), 'passes'],
    ['no row to forget', {}, write({ row: null }), 'passes'],
    ['a row to forget that it may read', {}, write({ row: row('bob') }), 'memory.read_memory_from'],
  ])('judges %s', (_what, memory, operand, expected) => {
    expect(judgeMemory(policyWith(memory), operand)?.rule ?? 'passes').toBe(expected);
  });

  it('refuses a call of which nobody looked at the memory', () => {
    const recall = sampleTool('memory_recall');
    expect(memoryUnseen(recall, [])?.rule).toBe('memory.backend');
    expect(memoryUnseen(recall, [write()])?.rule).toBe('memory.backend');
    expect(memoryUnseen(recall, [look()])).toBe(null);
    expect(memoryUnseen(sampleTool('file_read'), [])).toBe(null);
  });
});

describe.each([
  ['memory_store', { text: 'tea' }, write()],
  ['memory_recall', { query: 'tea' }, look()],
  ['memory_forget', { id: 'r1' }, write({ row: row('ada') })],
] as const)('the gate, for %s', (name, args, operand) => {
  const spec = sampleTool(name);
  const verdict = (policy: PolicySnapshot, operands: readonly MemoryOperand[]) =>
    authorize(
      sampleCall(spec, args),
      sampleFacts(spec, { operands: [...operands] }),
      sampleState(policy, [spec]),
    );
  const allowed = samplePolicy({
    memory: { ...open },
    approval: { auto_approve: [['builtin:memory_*']] },
  });

  it('lets it through within the policy', () => {
    expect(verdict(allowed, [operand]).kind).toBe('allow');
  });

  it('refuses it without a look and without memory, naming the setting and telling the model nothing of it', () => {
    expect(verdict(allowed, [])).toMatchObject({ kind: 'refuse', rule: 'memory.backend' });
    const without = { ...allowed, memory: { ...allowed.memory, backend: 'none' as const } };
    const refused = verdict(without, [operand]);
    expect(refused).toMatchObject({ kind: 'refuse', rule: 'memory.backend' });
    expect(refused.kind === 'refuse' ? refused.shown : '').toBe(
      'the call was refused: it is out of bounds',
    );
  });
});
