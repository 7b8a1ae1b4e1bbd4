import { expect, it } from 'vitest';
import { diffLines, prettyJson } from './diff.logic.ts';

it('tells added, removed and kept lines of a diff apart', () => {
  expect(diffLines('@@ -1,2 +1,2 @@\n one\n-two\n+2')).toEqual([
    { kind: 'hunk', text: '@@ -1,2 +1,2 @@' },
    { kind: 'same', text: ' one' },
    { kind: 'del', text: '-two' },
    { kind: 'add', text: '+2' },
  ]);
});

it('spreads JSON over lines and leaves other text alone', () => {
  expect([prettyJson('["a"]'), prettyJson('{broken')]).toEqual(['[\n  "a"\n]', '{broken']);
});
