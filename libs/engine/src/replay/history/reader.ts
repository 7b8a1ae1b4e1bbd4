import { parseEvent, type LockstepEvent } from '../../events/event.ts';
import type { HistoryProblem } from '../report.ts';
import { depthOf } from './depth.ts';
import { hashedHeader, historyFormat, historyHeaderSchema, type HistoryHeader } from './header.ts';

/** What a history may be at most: a file comes from elsewhere. */
export interface HistoryBounds {
  /** Characters of one line. */
  readonly line: number;
  /** How deep lists and tables may lie in each other. */
  readonly depth: number;
  readonly events: number;
  /** Problems that are told; more are counted. */
  readonly problems: number;
}

/** Far above what this build writes: an event holds 256 KiB at most. */
export const historyBounds: HistoryBounds = {
  line: 2 * 1024 * 1024,
  depth: 100,
  events: 5_000_000,
  problems: 100,
};

/** A SHA-256 that is fed piece by piece; `hex` ends it. */
export interface RunningDigest {
  add(text: string): void;
  hex(): string;
}

/** What a line is. */
export type TakenLine =
  | { readonly kind: 'event'; readonly event: LockstepEvent }
  | { readonly kind: 'header'; readonly header: HistoryHeader }
  | { readonly kind: 'blank' }
  | { readonly kind: 'problem'; readonly problems: readonly HistoryProblem[] };

/** Reads a history line by line, in memory that does not grow with it. */
export interface HistoryReader {
  readonly header: HistoryHeader | null;
  /** The next line, without its end. */
  take(line: string): TakenLine;
  /** What is wrong with the whole, once the last line was taken. */
  end(): readonly HistoryProblem[];
}

/** A reader at the first line. */
export const historyReader = (
  digest: RunningDigest,
  bounds: HistoryBounds = historyBounds,
): HistoryReader => {
  let header: HistoryHeader | null = null;
  let number = 0;
  let taken = 0;
  let events = 0;
  const wrong = (message: string, where = `line ${number}`): TakenLine => ({
    kind: 'problem',
    problems: [{ where, message }],
  });
  const first = (value: unknown): TakenLine => {
    const read = historyHeaderSchema.safeParse(value);
    if (!read.success) {
      const [issue] = read.error.issues;
      return wrong(whyNoHeader(value, `${issue?.path.join('.') ?? ''}: ${issue?.message ?? ''}`));
    }
    if (read.data.format > historyFormat) return wrong(newerFormat(read.data.format));
    header = read.data;
    digest.add(`${hashedHeader(header)}\n`);
    return { kind: 'header', header };
  };
  const take = (line: string): TakenLine => {
    number += 1;
    if (line.length > bounds.line)
      return wrong(`this line has more than ${bounds.line} characters`);
    const text = line.endsWith('\r') ? line.slice(0, -1) : line;
    if (text.trim() === '') return { kind: 'blank' };
    taken += 1;
    if (depthOf(text, bounds.depth) > bounds.depth)
      return wrong(`this line is nested deeper than ${bounds.depth} levels`);
    const value = parsed(text);
    if (value === undefined) return wrong('this line is no JSON');
    if (taken === 1 && isHeader(value)) return first(value);
    if (header !== null) digest.add(`${text}\n`);
    events += 1;
    if (events > bounds.events) return wrong(`the history holds more than ${bounds.events} events`);
    const read = parseEvent(value);
    if (read.ok)
      return isPlain(read.event)
        ? { kind: 'event', event: read.event }
        : wrong('the name of a turn holds a control character or a line separator');
    return {
      kind: 'problem',
      problems: read.problems.map((problem) => ({
        where: `line ${number}`,
        message: `${problem.where}: ${problem.message}`,
      })),
    };
  };
  return {
    get header() {
      return header;
    },
    take,
    end: () => (header === null ? noEvent(events) : wholeProblems(header, events, digest)),
  };
};

/** Ids of turns are of our own making and are said in every report: one that moves a cursor or ends a line was made to forge one. */
const isPlain = ({ stream, meta: { turn, root, parent, chain } }: LockstepEvent): boolean =>
  [stream.startsWith('turn-') ? stream : '', turn, root, parent, ...chain].every(
    (id) => id === null || !/[\u0000-\u001f\u007f-\u009f\u2028\u2029]/.test(id),
  );

const noEvent = (events: number): readonly HistoryProblem[] =>
  events === 0 ? [{ where: 'line 1', message: 'the history holds no event' }] : [];

const wholeProblems = (
  header: HistoryHeader,
  events: number,
  digest: RunningDigest,
): readonly HistoryProblem[] => {
  if (events !== header.events)
    return [
      {
        where: 'line 1',
        message: `the header says ${header.events} events and ${events} follow: the history was ${events < header.events ? 'cut' : 'added to'}`,
      },
    ];
  const actual = digest.hex();
  return actual === header.sha256
    ? noEvent(events)
    : [
        {
          where: 'line 1',
          message: `the header and its lines have digest \`${actual}\` and not \`${header.sha256}\`: something was edited or changed places`,
        },
      ];
};

const isHeader = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && 'lockstep' in value;

const whyNoHeader = (value: unknown, otherwise: string): string => {
  const format = (value as { readonly format?: unknown }).format;
  return typeof format === 'number' && format > historyFormat
    ? newerFormat(format)
    : `the header is not one: ${otherwise}`;
};

const newerFormat = (format: number): string =>
  `the history has format ${format} and this build reads up to ${historyFormat}: update lockstep`;

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
};
