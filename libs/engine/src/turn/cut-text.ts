import type { Limit } from '@lockstep/policy';

/** Text cut to a number of code points, never inside one. `chars` counts what was there before. */
export interface CutText {
  readonly text: string;
  readonly chars: number;
  readonly truncated: boolean;
}

/** Cuts a text at code points. */
export const cutText = (text: string, limit: Limit): CutText => {
  const chars = countCodePoints(text);
  if (limit === 'unlimited' || chars <= limit) return { text, chars, truncated: false };
  return { text: text.slice(0, indexOfCodePoint(text, limit)), chars, truncated: true };
};

/** Number of code points. */
export const countCodePoints = (text: string): number => {
  let count = text.length;
  for (let i = 0; i < text.length - 1; i += 1) if (isPair(text, i)) count -= 1;
  return count;
};

const indexOfCodePoint = (text: string, wanted: number): number => {
  let index = 0;
  for (let seen = 0; seen < wanted; seen += 1) index += isPair(text, index) ? 2 : 1;
  return index;
};

const isPair = (text: string, index: number): boolean =>
  (text.charCodeAt(index) & 0xfc00) === 0xd800 && (text.charCodeAt(index + 1) & 0xfc00) === 0xdc00;
