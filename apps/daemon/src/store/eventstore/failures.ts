import { ErrorType, isCommandError } from '@eventstore/db-client';

/** What a failed call means for what comes next. */
export type Failure =
  /** The stream is at another revision. */
  | { readonly kind: 'conflict' }
  /** It may succeed later, and it may have succeeded: not-leader, maintenance, a broken connection, no answer in time. */
  | { readonly kind: 'again'; readonly why: string }
  /** It will not succeed by repeating it. */
  | { readonly kind: 'never'; readonly why: string };

/** The other side said nothing for too long. */
export class NoAnswerError extends Error {}

const late: Failure = { kind: 'again', why: 'no answer came in time' };
const broke: Failure = { kind: 'again', why: 'the connection broke' };

const known: ReadonlyMap<string, Failure> = new Map<string, Failure>([
  [ErrorType.WRONG_EXPECTED_VERSION, { kind: 'conflict' }],
  [ErrorType.NOT_LEADER, { kind: 'again', why: 'another node leads' }],
  [ErrorType.UNAVAILABLE, { kind: 'again', why: 'a node is not ready or cannot be reached' }],
  [ErrorType.TIMEOUT, late],
  [ErrorType.DEADLINE_EXCEEDED, late],
  [ErrorType.CANCELLED, broke],
  [ErrorType.UNKNOWN, broke],
  [ErrorType.ACCESS_DENIED, { kind: 'never', why: 'the credentials are not accepted' }],
  [ErrorType.STREAM_DELETED, { kind: 'never', why: 'a stream of the log was deleted' }],
  [
    ErrorType.MAXIMUM_APPEND_SIZE_EXCEEDED,
    { kind: 'never', why: 'its largest append is below 1 MiB' },
  ],
]);

/** Converts what the client throws, in one place. Its own texts are not passed on: they may hold what was sent. */
export const failureOf = (error: unknown): Failure => {
  if (error instanceof NoAnswerError) return late;
  // Discovery that found no node, a socket that broke: the client has no class for them.
  if (!(error instanceof Error) || !isCommandError(error))
    return { kind: 'again', why: 'no node can be reached' };
  return known.get(error.type) ?? { kind: 'never', why: `it answers \`${error.type}\`` };
};
