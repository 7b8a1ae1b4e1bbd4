import { Chat, type Adapter, type Logger } from 'chat';
import type { ChannelLog, Sent } from './channel.port.ts';
import { SdkState } from './sdk-state.ts';

/** A logger of the SDK that prints nothing itself: what it tells goes to the daemon's log, secrets masked. */
export const sdkLogger = (log: ChannelLog): Logger => {
  const debug = (text: string): void => {
    log.debug(text);
  };
  const warn = (text: string, ...more: unknown[]): void => {
    log.warn([text, ...more.map(detail)].join(' '));
  };
  const logger: Logger = { debug, info: debug, warn, error: warn, child: () => logger };
  return logger;
};

const detail = (part: unknown): string => {
  if (part instanceof Error) return part.message;
  if (typeof part !== 'object' || part === null) return String(part);
  return 'error' in part ? detail(part.error) : '';
};

/** The SDK around one adapter, which takes its own frames: order and repeats are the session's affair and the log's. */
export const chatOf = (name: string, adapter: Adapter, logger: Logger): Chat =>
  new Chat({
    userName: 'lockstep',
    adapters: { [name]: adapter },
    state: new SdkState(),
    concurrency: 'concurrent',
    logger,
  });

/** What a failed send means. */
export const sendFailure = (thrown: unknown): Sent & { readonly ok: false } => {
  const error = thrown instanceof Error ? thrown : new Error(String(thrown));
  const seconds = 'retryAfter' in error ? Number(error.retryAfter) : Number.NaN;
  const retryAfterMs = Number.isFinite(seconds) && seconds > 0 ? seconds * 1000 : null;
  const why = error.message;
  return { ok: false, why, final: isFinal(error), retryAfterMs };
};

/** Errors that say whose turn it is: a limit, a server's own failure, or a connection that never came about can be tried again. What
 * broke off on the way may have arrived, and no platform here knows a repeat. */
const isFinal = (error: Error): boolean => {
  if ('retryAfter' in error || /rate.?limit/i.test(error.name)) return false;
  // A gateway in front answers in a form of its own.
  if (/failed to parse/i.test(error.message)) return false;
  const status = /\bstatus (\d{3})\b/i.exec(error.message)?.[1];
  const code = 'statusCode' in error ? Number(error.statusCode) : Number(status);
  if (code >= 500 || code === 429) return false;
  return !neverSent(error);
};

/** Looks through what wraps the error of the connection. */
const neverSent = (error: unknown): boolean => {
  let inner = error;
  for (let depth = 0; depth < 5; depth += 1) {
    if (typeof inner !== 'object' || inner === null) return false;
    if ('code' in inner && unreached.test(String(inner.code))) return true;
    if ('originalError' in inner) inner = inner.originalError;
    else if ('original' in inner) inner = inner.original;
    else inner = 'cause' in inner ? inner.cause : null;
  }
  return false;
};

const unreached = /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH)$/;
