interface Line {
  readonly kind: ' ' | '-' | '+';
  readonly text: string;
}

const context = 3;
/** Largest table of line pairs to compare; above it a changed region is shown as removed and added whole. */
const tableLimit = 1_000_000;

/** A unified diff of two texts without the file header, empty when they are equal. A last line without a line feed is marked. */
export const unifiedDiff = (before: string, after: string): string => {
  if (before === after) return '';
  const lines = editScript(linesOf(before), linesOf(after));
  return hunks(lines)
    .map((hunk) => [header(lines, hunk), ...shown(lines, hunk)].join('\n'))
    .join('\n');
};

const noNewline = '\n\\ no line feed at the end';

const linesOf = (text: string): readonly string[] => {
  if (text === '') return [];
  const lines = text.split('\n');
  const last = lines.pop() ?? '';
  return last === '' ? lines : [...lines, last + noNewline];
};

const editScript = (a: readonly string[], b: readonly string[]): readonly Line[] => {
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start += 1;
  let end = 0;
  while (
    end < a.length - start &&
    end < b.length - start &&
    a[a.length - 1 - end] === b[b.length - 1 - end]
  )
    end += 1;
  return [
    ...a.slice(0, start).map(line(' ')),
    ...changed(a.slice(start, a.length - end), b.slice(start, b.length - end)),
    ...a.slice(a.length - end).map(line(' ')),
  ];
};

const line =
  (kind: Line['kind']) =>
  (text: string): Line => ({ kind, text });

const changed = (a: readonly string[], b: readonly string[]): readonly Line[] => {
  if (a.length * b.length > tableLimit) return [...a.map(line('-')), ...b.map(line('+'))];
  const width = b.length + 1;
  const common = commonLengths(a, b);
  const at = (i: number, j: number): number => common[i * width + j] ?? 0;
  const out: Line[] = [];
  let i = 0;
  let j = 0;
  while (i < a.length || j < b.length) {
    const left = a[i];
    const right = b[j];
    if (left !== undefined && left === right) {
      out.push({ kind: ' ', text: left });
      i += 1;
      j += 1;
    } else if (left !== undefined && (right === undefined || at(i + 1, j) >= at(i, j + 1))) {
      out.push({ kind: '-', text: left });
      i += 1;
    } else if (right !== undefined) {
      out.push({ kind: '+', text: right });
      j += 1;
    }
  }
  return out;
};

/** Row by row: the length of the longest common subsequence of the rests that begin at i and j. */
const commonLengths = (a: readonly string[], b: readonly string[]): Uint32Array => {
  const width = b.length + 1;
  const table = new Uint32Array((a.length + 1) * width);
  for (let i = a.length - 1; i >= 0; i -= 1)
    for (let j = b.length - 1; j >= 0; j -= 1)
      table[i * width + j] =
        a[i] === b[j]
          ? (table[(i + 1) * width + j + 1] ?? 0) + 1
          : Math.max(table[(i + 1) * width + j] ?? 0, table[i * width + j + 1] ?? 0);
  return table;
};

interface Hunk {
  readonly from: number;
  readonly to: number;
}

const hunks = (lines: readonly Line[]): readonly Hunk[] => {
  const found: { from: number; to: number }[] = [];
  lines.forEach(({ kind }, index) => {
    if (kind === ' ') return;
    const last = found.at(-1);
    const to = Math.min(lines.length, index + context + 1);
    if (last !== undefined && index - context <= last.to) last.to = to;
    else found.push({ from: Math.max(0, index - context), to });
  });
  return found;
};

const header = (lines: readonly Line[], { from, to }: Hunk): string => {
  const span = (skipped: Line['kind']): string => {
    const count = (part: readonly Line[]): number =>
      part.filter((one) => one.kind !== skipped).length;
    const length = count(lines.slice(from, to));
    const start = count(lines.slice(0, from)) + (length === 0 ? 0 : 1);
    return length === 1 ? `${start}` : `${start},${length}`;
  };
  return `@@ -${span('+')} +${span('-')} @@`;
};

const shown = (lines: readonly Line[], { from, to }: Hunk): readonly string[] =>
  lines.slice(from, to).map(({ kind, text }) => `${kind}${text}`);
