import { stripVTControlCharacters } from 'node:util';
import Table from 'cli-table3';
import pc from 'picocolors';

/** Where a command writes: stdout of the process, or a buffer in specs. */
export interface Out {
  readonly write: (text: string) => void;
  readonly json: boolean;
  /** Width of the terminal; null when the output is no terminal. */
  readonly columns: number | null;
}

/** One JSON document with `--json`, else the lines that a person reads. */
export const show = (out: Out, value: unknown, human: () => string): void => {
  out.write(`${out.json ? jsonText(value, 2) : onlyColours(human())}\n`);
};

const padding = 2;
const between = 2;
const narrowest = 12;

const widthOf = (cell: string): number =>
  Math.max(
    ...stripVTControlCharacters(cell)
      .split('\n')
      .map((line) => line.length),
  );

/** Widths that fit: the widest column gives way first, and text wraps inside it. Null = all fits as it is. */
const fit = (cells: readonly (readonly string[])[], columns: number): number[] | null => {
  const [head = []] = cells;
  const widths = head.map((_, at) => padding + Math.max(...cells.map((r) => widthOf(r[at] ?? ''))));
  let spare = columns - widths.reduce((sum, w) => sum + w, between * (widths.length - 1));
  if (spare >= 0) return null;
  while (spare < 0) {
    const widest = Math.max(...widths);
    if (widest <= narrowest) break;
    widths[widths.indexOf(widest)] = widest - 1;
    spare += 1;
  }
  return widths;
};

/** Aligned columns. With the width of a terminal, cells wrap so that no line is longer than it. */
export const table = (
  head: readonly string[],
  rows: readonly (readonly string[])[],
  columns: number | null = null,
): string => {
  const cells = rows.map((row) => row.map((cell) => onlyColours(cell).replace(/[\n\t]/g, named)));
  const widths = columns === null ? null : fit([head, ...cells], columns);
  const made = new Table({
    ...(widths === null ? {} : { colWidths: widths, wordWrap: true, wrapOnWordBoundary: false }),
    head: head.map((h) => pc.dim(h)),
    style: { head: [], border: [], compact: true },
    chars: {
      top: '',
      'top-mid': '',
      'top-left': '',
      'top-right': '',
      bottom: '',
      'bottom-mid': '',
      'bottom-left': '',
      'bottom-right': '',
      left: '',
      'left-mid': '',
      mid: '',
      'mid-mid': '',
      right: '',
      'right-mid': '',
      middle: '  ',
    },
  });
  for (const row of cells) made.push(row);
  return made.toString();
};

/** `3 min ago`, with units that a person would say. */
export const ago = (time: number, now: number): string => {
  const secs = Math.max(0, Math.round((now - time) / 1000));
  if (secs < 60) return `${secs} s ago`;
  if (secs < 3600) return `${Math.floor(secs / 60)} min ago`;
  if (secs < 86_400) return `${Math.floor(secs / 3600)} h ago`;
  return `${Math.floor(secs / 86_400)} d ago`;
};

/** What moves the reader's cursor, turns the direction of the text or ends a line for some reader, apart from line feed and tab. */
const unseen =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

const named = (character: string): string =>
  `⟨U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}⟩`;

/** Text of several lines that came from a model, a tool or a stranger: characters that are not seen are named. */
export const safe = (text: string): string => text.replace(unseen, named);

/** The same for what has to stay on one line: nobody forges a line of the report. */
export const safeLine = (text: string): string => safe(text).replace(/[\n\t]/g, named);

/** A whole text of a command, with the colours of the command and nothing else that a terminal obeys. */
export const onlyColours = (text: string): string =>
  text
    .split(/(\u001b\[(?:[0-47]|2[1-9]|3[0-79]|4[0-79]|9[0-7])m)/)
    .map((part, at) => (at % 2 === 1 ? part : safe(part)))
    .join('');

/** JSON that a terminal shows as it is: what `JSON.stringify` leaves raw of such characters is escaped too.
 * @param indent spaces; absent = one line */
export const jsonText = (value: unknown, indent?: number): string =>
  JSON.stringify(value, null, indent).replace(
    /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );

export const oneLine = (text: string, width: number): string => {
  const flat = safe(text.replace(/\s+/g, ' ').trim());
  return flat.length <= width ? flat : `${flat.slice(0, width - 1)}…`;
};

/** Micro-dollars as dollars. */
export const dollars = (micro: number | 'unknown'): string =>
  micro === 'unknown' ? 'unknown' : `$${(micro / 1e6).toFixed(4)}`;

export const colourOfState = (state: string): string => {
  const word = { gap: pc.red('✕ gap'), enforced: pc.green('● enforced'), held: pc.blue('◐ held') };
  if (state in word) return word[state as keyof typeof word];
  return pc.dim(state === 'unobserved' ? '○ unobserved' : '–');
};
