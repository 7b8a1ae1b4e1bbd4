/** A pattern of a foreign schema, as the checker of schemas asks for it. */
export interface BoundedPattern {
  test(text: string): boolean;
  toString(): string;
}

const mostSteps = 20_000_000;

/** A regular expression that answers within a bound whatever the text is. Where the bound could be passed, everything fits: a
 * server checks its own patterns, and no rule of a policy rests on them. Throws, as `RegExp` does, for what is none. */
export const boundedPattern = (pattern: string, flags: string): BoundedPattern => {
  const regexp = new RegExp(pattern, flags);
  const { safe, loops } = shapeOf(pattern);
  const power = loops + (pattern.startsWith('^') ? 0 : 1);
  return {
    test: (text) => !safe || text.length ** power > mostSteps || regexp.test(text),
    toString: () => pattern,
  };
};

interface Shape {
  /** No part that can fit in several ways is repeated, so that trying them all is a polynomial of the length. */
  readonly safe: boolean;
  /** Parts of no fixed length. */
  readonly loops: number;
}

/** Reads no more of a pattern than its groups and what repeats them. What looks around or back is not followed. */
const shapeOf = (pattern: string): Shape => {
  if (/\\[1-9k]|\(\?(?:[=!]|<[=!])/.test(pattern)) return { safe: false, loops: 0 };
  /** Whether each open group, the whole pattern first, can fit in several ways. */
  const varies = [false];
  let loops = 0;
  let safe = true;
  for (const [part, repeat] of pattern.matchAll(parts)) {
    if (part.startsWith('(')) {
      varies.push(false);
      continue;
    }
    const inner = part.startsWith(')') && varies.pop() === true;
    const { least, most } = timesOf(repeat);
    if (inner && most > 1) safe = false;
    if (most - least > 1) loops += 1;
    if (inner || most !== least || part === '|') varies[varies.length - 1] = true;
  }
  return { safe: safe && varies.length === 1, loops };
};

/** The start of a group, a choice, or the end of a group, a class or a character, and then what repeats it. */
const parts =
  /\((?:\?(?::|<[^>]*>))?|\||(?:\)|\[(?:\\.|[^\]\\])*\]|\\.|[^()|[\\])([*+?]|\{\d+(?:,\d*)?\})?/gsu;

const timesOf = (repeat: string | undefined): { readonly least: number; readonly most: number } => {
  if (repeat === undefined) return { least: 1, most: 1 };
  if (repeat === '*') return { least: 0, most: Infinity };
  if (repeat === '+') return { least: 1, most: Infinity };
  if (repeat === '?') return { least: 0, most: 1 };
  const [least = '', most] = repeat.slice(1, -1).split(',');
  if (most === undefined) return { least: Number(least), most: Number(least) };
  return { least: Number(least), most: most === '' ? Infinity : Number(most) };
};
