import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Operand } from '../events/parts.ts';
import { samplePath, samplePolicy, sampleTool } from '../testing/index.ts';
import { mcpSpec } from '../tools/mcp-spec.ts';
import { bindingOf, destinationOf, type Bound } from './binding.ts';

const url = (change: Partial<Extract<Operand, { kind: 'url' }>> = {}): Operand => ({
  kind: 'url',
  given: 'https://api.example.com/x',
  scheme: 'https',
  host: 'api.example.com',
  port: 443,
  method: 'POST',
  addresses: [{ address: '93.184.216.34', private: false }],
  ...change,
});

const command = (change: Partial<Extract<Operand, { kind: 'command' }>> = {}): Operand => ({
  kind: 'command',
  given: 'git status',
  understood: true,
  why: null,
  commands: [{ argv: ['git', 'status'], highRisk: false }],
  sandboxed: true,
  ...change,
});
const skill = (digit: string): Operand => ({
  kind: 'skill',
  given: 'write',
  bundle: 'writing',
  digest: digit.repeat(64),
});
const memory = (id: string): Operand => ({
  kind: 'memory',
  access: 'write',
  agents: ['ada'],
  person: null,
  row: { id, agent: 'ada' },
});
const child = (given: string): Operand => ({
  kind: 'agent',
  given,
  how: 'delegate',
  channel: null,
});
const job = (given: string): Operand => ({ kind: 'job', given, owner: 'ada', fixed: false });

const written = { access: 'write', exists: true, content: 'e'.repeat(64) } as const;
const base: Bound = {
  agent: 'ada',
  principal: 'token:ana',
  session: 'session-ada-1',
  tool: 'builtin:file_write',
  spec: 'a'.repeat(64),
  argsDigest: 'b'.repeat(64),
  operands: [samplePath('a.md', written), url()],
  destination: 'program',
};

const operands = (path: Operand, to: Operand = url()): Bound => ({ ...base, operands: [path, to] });

describe('given a decision', () => {
  it.each<[string, Bound]>([
    ['agent', { ...base, agent: 'bob' }],
    ['principal', { ...base, principal: 'token:eve' }],
    ['session', { ...base, session: 'session-ada-2' }],
    ['tool', { ...base, tool: 'builtin:file_edit' }],
    ['spec of the tool', { ...base, spec: 'c'.repeat(64) }],
    ['arguments', { ...base, argsDigest: 'c'.repeat(64) }],
    ['destination', { ...base, destination: 'mcp/files/x' }],
    ['path', operands(samplePath('b.md', written))],
    ['access', operands(samplePath('a.md', { ...written, access: 'read_write' }))],
    ['real path', operands(samplePath('a.md', { ...written, real: '/ws/ada/b.md' }))],
    [
      'existence of a file to be written',
      operands(samplePath('a.md', { ...written, exists: false })),
    ],
    [
      'content of a file to be written',
      operands(samplePath('a.md', { ...written, content: 'f'.repeat(64) })),
    ],
    ['host', operands(samplePath('a.md', written), url({ host: 'b.example.com' }))],
    ['port', operands(samplePath('a.md', written), url({ port: 444 }))],
    ['scheme', operands(samplePath('a.md', written), url({ scheme: 'http' }))],
    ['method', operands(samplePath('a.md', written), url({ method: 'DELETE' }))],
    ['number of operands', { ...base, operands: [] }],
  ])('is another binding when the %s changes', (_what, changed) => {
    expect(bindingOf(changed)).not.toBe(bindingOf(base));
  });

  it.each<[string, Operand, Operand]>([
    [
      'line of shell',
      command(),
      command({ given: 'git  status', commands: [{ argv: ['git', 'status'], highRisk: false }] }),
    ],
    [
      'argument of a command',
      command(),
      command({ commands: [{ argv: ['git', 'push'], highRisk: false }] }),
    ],
    ['sandbox of a command', command(), command({ sandboxed: false })],
    ['body of a skill', skill('a'), skill('b')],
    ['row of memory', memory('m1'), memory('m2')],
    ['agent that is started', child('bob'), child('eve')],
    [
      'procedure',
      { kind: 'sop', given: 'a', exists: true },
      { kind: 'sop', given: 'b', exists: true },
    ],
    ['job', job('a'), job('b')],
    [
      'content of a file to be run',
      samplePath('run.sh', { exists: true, content: 'e'.repeat(64) }),
      samplePath('run.sh', { exists: true, content: 'f'.repeat(64) }),
    ],
  ])('is another binding when the %s changes', (_what, before, after) => {
    const of = (operand: Operand): string => bindingOf({ ...base, operands: [operand] });
    expect(of(after)).not.toBe(of(before));
  });

  it('stays the same when a name resolves to another address', () => {
    const moved = url({ addresses: [{ address: '1.1.1.1', private: false }] });
    expect(bindingOf(operands(samplePath('a.md', written), moved))).toBe(bindingOf(base));
  });

  it('stays the same when a file that is only read has appeared', () => {
    const before = { ...base, operands: [samplePath('a.md')] };
    const after = { ...base, operands: [samplePath('a.md', { exists: true })] };
    expect(bindingOf(after)).toBe(bindingOf(before));
  });
});

it('changes with any one character of any text', () => {
  const texts = [
    'agent',
    'principal',
    'session',
    'tool',
    'spec',
    'argsDigest',
    'destination',
  ] as const;
  fc.assert(
    fc.property(
      fc.record({ ...Object.fromEntries(texts.map((t) => [t, fc.string({ unit: 'binary' })])) }),
      fc.constantFrom(...texts),
      fc.nat(),
      fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }),
      (values, field, place, character) => {
        const bound: Bound = { ...base, ...values };
        const text = bound[field];
        const at = place % (text.length + 1);
        const changed = { ...bound, [field]: text.slice(0, at) + character + text.slice(at) };
        return bindingOf(bound) !== bindingOf(changed);
      },
    ),
  );
});

it('does not mix up where one text ends and the next begins', () => {
  const a = bindingOf({ ...base, agent: 'ada","x', principal: 'y' });
  const b = bindingOf({ ...base, agent: 'ada', principal: 'x","y' });
  expect(a).not.toBe(b);
});

describe('given where a tool runs', () => {
  it('names the program for its own tools', () => {
    expect(destinationOf(samplePolicy(), sampleTool('file_read'))).toBe('program');
  });

  it('names the server with the digest of its config', () => {
    const policy = samplePolicy();
    const made = mcpSpec('files', { name: 'x', inputSchema: { type: 'object' } }, policy.mcp);
    if (!made.ok) throw new TypeError(made.message);
    expect(destinationOf(policy, made.spec)).toBe(`mcp/files/${'a'.repeat(64)}`);
  });
});
