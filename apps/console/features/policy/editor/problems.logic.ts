/** What the daemon finds wrong with a config, and where. */
export interface ConfigProblem {
  readonly path: string;
  readonly line: number | null;
  readonly column: number | null;
  readonly message: string;
}

export interface CheckAnswer {
  readonly ok: boolean;
  readonly digest: string | null;
  readonly problems: readonly ConfigProblem[];
  readonly warnings: readonly ConfigProblem[];
  readonly diff: readonly ConfigChange[];
  readonly widens: readonly string[];
}

export interface ConfigChange {
  readonly path: string;
  readonly before: string | null;
  readonly after: string | null;
}

/** A problem as a stretch of the text. */
export interface Mark {
  readonly from: number;
  readonly to: number;
  readonly severity: 'error' | 'warning';
  readonly message: string;
}

/** Where the marks stand: from the place that is named to the end of the word there; a problem without a place marks the first line. */
export const marksOf = (
  text: string,
  { problems, warnings }: Pick<CheckAnswer, 'problems' | 'warnings'>,
): readonly Mark[] => {
  const starts = lineStarts(text);
  const mark =
    (severity: Mark['severity']) =>
    (problem: ConfigProblem): Mark => {
      const from = offsetOf(text, starts, problem);
      return { from, to: wordEnd(text, from), severity, message: saidOf(problem) };
    };
  return [...problems.map(mark('error')), ...warnings.map(mark('warning'))].sort(
    (a, b) => a.from - b.from,
  );
};

/** Where a problem stands, as a person says it: `line 3, column 5`, or its path alone. */
export const placeText = ({ line, column, path }: ConfigProblem): string => {
  if (line === null) return path === '' ? 'the file' : path;
  return column === null ? `line ${line}` : `line ${line}, column ${column}`;
};

/** The offset that a problem names; never past the end of its line or of the text. */
export const offsetIn = (text: string, problem: ConfigProblem): number =>
  offsetOf(text, lineStarts(text), problem);

const saidOf = ({ path, message }: ConfigProblem): string =>
  path === '' || message.includes(path) ? message : `${path}: ${message}`;

const lineStarts = (text: string): readonly number[] => [
  0,
  ...[...text.matchAll(/\n/g)].map(({ index }) => index + 1),
];

const offsetOf = (
  text: string,
  starts: readonly number[],
  { line, column }: ConfigProblem,
): number => {
  const start = starts[Math.max((line ?? 1) - 1, 0)] ?? text.length;
  const end = text.indexOf('\n', start);
  return Math.min(start + Math.max((column ?? 1) - 1, 0), end === -1 ? text.length : end);
};

const wordEnd = (text: string, from: number): number => {
  const word = /^(?:"[^"\n]*"?|'[^'\n]*'?|[^\s=,\]}]+)/.exec(text.slice(from));
  return from + (word?.[0].length ?? 0);
};
