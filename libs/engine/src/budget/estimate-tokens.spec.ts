import fc from 'fast-check';
import { expect, it } from 'vitest';
import { estimatePromptTokens, estimateTokens } from './estimate-tokens.ts';

it.each([
  ['', 0],
  ['a', 1],
  ['abcd', 1],
  ['abcde', 2],
  ['éé', 1],
  ['€€', 2],
  ['😀', 1],
  ['\uD800', 1],
])('counts %j as %i', (text, tokens) => {
  expect(estimateTokens(text)).toBe(tokens);
});

it('is a quarter of the UTF-8 bytes, rounded up', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      expect(estimateTokens(text)).toBe(Math.ceil(Buffer.byteLength(text, 'utf8') / 4));
    }),
  );
});

it('adds up the whole input', () => {
  const tokens = estimatePromptTokens({
    system: 'abcd',
    tools: [{ id: 'builtin:x', alias: 'x', description: 'abc', inputSchema: { a: 1 } }],
    messages: [
      { role: 'user', text: 'abcd' },
      { role: 'assistant', text: 'ab', calls: [{ call: 'c', alias: 'x', args: '{}' }] },
      { role: 'tool', call: 'c', alias: 'x', text: 'abcde', isError: false },
    ],
  });
  // 1 system, 3 tool, three messages of 4 each, and 1 + (1 + 1) + 2 of their texts.
  expect(tokens).toBe(1 + 3 + 12 + 5);
});
