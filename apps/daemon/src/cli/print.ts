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
  out.write(out.json ? `${JSON.stringify(value, null, 2)}\n` : `${human()}\n`);
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
  const widths = columns === null ? null : fit([head, ...rows], columns);
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
  for (const row of rows) made.push([...row]);
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

/** Text that came from a model, a tool or a stranger: control characters would move the reader's cursor. */
export const safe = (text: string): string =>
  text.replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g, (c) => {
    const code = c.codePointAt(0) ?? 0;
    return `⟨U+${code.toString(16).toUpperCase().padStart(4, '0')}⟩`;
  });

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
