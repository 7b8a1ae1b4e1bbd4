import { ErrorType, isCommandError } from '@eventstore/db-client';

/** What a failed call means for what comes next. */
export type Failure =
  /** The stream is at another revision. */
  | { readonly kind: 'conflict' }
  /** It may succeed later, and it may have succeeded: not-leader, maintenance, a broken connection, no answer in time. */
  | { readonly kind: 'again'; readonly why: string }
  /** It will not succeed by repeating it. */
  | { readonly kind: 'never'; readonly why: string };

/** Converts what the client throws, in one place. Its own texts are not passed on: they may hold what was sent. */
export const failureOf = (error: unknown): Failure => {
  if (!(error instanceof Error) || !isCommandError(error))
    // Discovery that found no node, a socket that broke: the client has no class for them.
    return { kind: 'again', why: 'no node can be reached' };
  switch (error.type) {
    case ErrorType.WRONG_EXPECTED_VERSION:
      return { kind: 'conflict' };
    case ErrorType.NOT_LEADER:
      return { kind: 'again', why: 'another node leads' };
    case ErrorType.UNAVAILABLE:
      return { kind: 'again', why: 'a node is not ready or cannot be reached' };
    case ErrorType.TIMEOUT:
    case ErrorType.DEADLINE_EXCEEDED:
      return { kind: 'again', why: 'no answer came in time' };
    case ErrorType.CANCELLED:
    case ErrorType.UNKNOWN:
      return { kind: 'again', why: 'the connection broke' };
    case ErrorType.ACCESS_DENIED:
      return { kind: 'never', why: 'the credentials are not accepted' };
    case ErrorType.STREAM_DELETED:
      return { kind: 'never', why: 'a stream of the log was deleted' };
    case ErrorType.MAXIMUM_APPEND_SIZE_EXCEEDED:
      return { kind: 'never', why: 'its largest append is below 1 MiB' };
    default:
      return { kind: 'never', why: `it answers \`${error.type}\`` };
  }
};
