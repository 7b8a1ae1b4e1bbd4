import { diff3Merge } from 'node-diff3';
import { z } from 'zod';

/** A config that somebody writes and that is not in force. `base` is what it began from. */
export interface Draft {
  readonly text: string;
  readonly base: { readonly version: number; readonly digest: string; readonly text: string };
  /** Milliseconds since the epoch. */
  readonly saved: number;
}

const draftSchema = z.strictObject({
  text: z.string(),
  base: z.strictObject({ version: z.int(), digest: z.string(), text: z.string() }),
  saved: z.int(),
});

/** Where a person's draft of a file stands in the browser. */
export const draftKey = (principal: string, file: string): string =>
  `lockstep:draft:${principal}:${file}`;

/** What the browser kept; null when that is nothing, or not a draft. */
export const readDraft = (kept: string | null): Draft | null => {
  if (kept === null) return null;
  try {
    const read = draftSchema.safeParse(JSON.parse(kept));
    return read.success ? read.data : null;
  } catch {
    return null;
  }
};

/** How a draft stands to the config in force. */
export type DraftState = 'none' | 'unchanged' | 'changed' | 'behind';

export const draftState = (draft: Draft | null, digestNow: string): DraftState => {
  if (draft === null) return 'none';
  if (draft.base.digest !== digestNow) return 'behind';
  return draft.text === draft.base.text ? 'unchanged' : 'changed';
};

/** One stretch of a three-way merge: taken as it is, or changed on both sides in different ways. */
export type MergePart =
  | { readonly kind: 'ok'; readonly text: string }
  | {
      readonly kind: 'conflict';
      readonly base: string;
      readonly mine: string;
      readonly theirs: string;
    };

/** A draft brought onto another text: what only one side changed is taken. */
export const mergeTexts = (base: string, mine: string, theirs: string): readonly MergePart[] =>
  diff3Merge(linesOf(mine), linesOf(base), linesOf(theirs)).flatMap((region): MergePart[] => {
    if (region.ok !== undefined) return [{ kind: 'ok', text: region.ok.join('') }];
    const { conflict } = region;
    if (conflict === undefined) return [];
    return [
      {
        kind: 'conflict',
        base: conflict.o.join(''),
        mine: conflict.a.join(''),
        theirs: conflict.b.join(''),
      },
    ];
  });

/** The whole text of a merge, with a side for each of its conflicts; null while one has none. */
export const mergedText = (
  parts: readonly MergePart[],
  sides: readonly ('mine' | 'theirs' | null)[],
): string | null => {
  let conflict = 0;
  const texts = parts.map((part) => {
    if (part.kind === 'ok') return part.text;
    const side = sides[conflict] ?? null;
    conflict += 1;
    return side === null ? null : part[side];
  });
  return texts.includes(null) ? null : texts.join('');
};

const linesOf = (text: string): string[] => text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
