import { describe, expect, it } from 'vitest';
import type { z } from 'zod';
import { sampleFacts, samplePath, sampleTool } from '../testing/index.ts';
import { contentSchema } from './content.ts';
import {
  costSchema,
  factsSchema,
  operandSchema,
  ruleIdSchema,
  toolIdSchema,
  toolSpecSchema,
} from './parts.ts';

const fits = (schema: z.ZodType, value: unknown): boolean => schema.safeParse(value).success;
const digest = 'a'.repeat(64);

describe('given content', () => {
  it.each<[unknown, boolean]>([
    [{ inline: '' }, true],
    [{ artifact: digest, bytes: 0 }, true],
    [{ sealed: { subject: 's', key: 'k', nonce: 'n', ciphertext: 'c', commitment: digest } }, true],
    [{ inline: 'x', artifact: digest, bytes: 1 }, false],
    [{ artifact: 'A'.repeat(64), bytes: 1 }, false],
    [{ artifact: digest, bytes: -1 }, false],
    [{}, false],
    ['x', false],
  ])('takes %j: %s', (value, taken) => {
    expect(fits(contentSchema, value)).toBe(taken);
  });
});

describe('given ids and rules', () => {
  it.each([
    ['builtin:file_read', true],
    ['mcp:files/read_text_file', true],
    ['skill:notes/run.sh', true],
    ['file_read', false],
    ['other:x', false],
    ['builtin:', false],
  ])('takes the tool id %j: %s', (id, taken) => {
    expect(fits(toolIdSchema, id)).toBe(taken);
  });

  it.each([
    ['tools.denied', true],
    ['approval.route.on_no_approver', true],
    ['gate.approval_stale', true],
    ['gate.other', false],
    ['tools', false],
  ])('takes the rule id %j: %s', (id, taken) => {
    expect(fits(ruleIdSchema, id)).toBe(taken);
  });
});

describe('given facts of a verdict', () => {
  const spec = sampleTool('file_read');
  const facts = sampleFacts(spec, { operands: [samplePath('a.md'), { kind: 'undeclared' }] });

  it('takes them with every field', () => {
    expect(factsSchema.parse(facts)).toEqual(facts);
  });

  it.each(Object.keys(facts))('takes nothing for a missing %s', (key) => {
    const rest = Object.fromEntries(Object.entries(facts).filter(([k]) => k !== key));
    expect(fits(factsSchema, rest)).toBe(false);
  });

  it('takes no operand of two kinds', () => {
    expect(fits(operandSchema, { ...samplePath('a.md'), host: 'x' })).toBe(false);
  });
});

it('takes the specs of tools as they are', () => {
  const spec = sampleTool('http_fetch');
  expect(toolSpecSchema.parse(spec)).toEqual(spec);
  expect(fits(toolSpecSchema, { ...spec, alias: 'a b' })).toBe(false);
  expect(fits(toolSpecSchema, { ...spec, alias: 'x'.repeat(65) })).toBe(false);
});

it.each<[unknown, boolean]>([
  [0, true],
  ['unknown', true],
  [1.5, false],
  [-1, false],
  ['free', false],
  [null, false],
])('takes the cost %j: %s', (cost, taken) => {
  expect(fits(costSchema, cost)).toBe(taken);
});
