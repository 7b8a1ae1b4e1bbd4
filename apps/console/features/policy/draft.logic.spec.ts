import { describe, expect, it } from 'vitest';
import {
  draftKey,
  draftState,
  mergedText,
  mergeTexts,
  readDraft,
  type Draft,
} from './draft.logic.ts';

const draft: Draft = { text: 'b', base: { version: 2, digest: 'two', text: 'a' }, saved: 5 };

describe('given what a browser kept', () => {
  it('reads a draft as it was written', () => {
    expect(readDraft(JSON.stringify(draft))).toEqual(draft);
  });

  it.each([null, '', '{', '{"text":"a"}', JSON.stringify({ ...draft, more: 1 })])(
    'takes %j for none',
    (kept) => {
      expect(readDraft(kept)).toBe(null);
    },
  );

  it('keeps the drafts of people and of files apart', () => {
    const keys = [draftKey('ana', '/a'), draftKey('ben', '/a'), draftKey('ana', '/b')];
    expect(new Set(keys).size).toBe(3);
  });
});

it.each([
  [null, 'two', 'none'],
  [draft, 'two', 'changed'],
  [{ ...draft, text: 'a' }, 'two', 'unchanged'],
  [draft, 'three', 'behind'],
] as const)('says how a draft stands to the config in force', (one, now, state) => {
  expect(draftState(one, now)).toBe(state);
});

describe('given a text that two people changed', () => {
  const base = 'one\ntwo\nthree\nfour\n';

  it('takes what only one of them changed', () => {
    const parts = mergeTexts(base, 'one\nTWO\nthree\nfour\n', 'one\ntwo\nthree\nfour\nfive\n');
    expect(mergedText(parts, [])).toBe('one\nTWO\nthree\nfour\nfive\n');
  });

  it('asks for a side where both changed the same', () => {
    const parts = mergeTexts(base, 'one\nmine\nthree\nfour\n', 'one\ntheirs\nthree\nfour');
    expect(parts.find(({ kind }) => kind === 'conflict')).toEqual({
      kind: 'conflict',
      base: 'two\n',
      mine: 'mine\n',
      theirs: 'theirs\n',
    });
    expect([
      mergedText(parts, [null]),
      mergedText(parts, ['mine']),
      mergedText(parts, ['theirs']),
    ]).toEqual([null, 'one\nmine\nthree\nfour', 'one\ntheirs\nthree\nfour']);
  });

  it('loses nothing of a text without a last line feed', () => {
    expect(mergedText(mergeTexts('a', 'a', 'a\nb'), [])).toBe('a\nb');
  });
});
