import { APICallError } from '@ai-sdk/provider';
import type { ModelOutcome } from '@lockstep/engine';

type Failure = Extract<ModelOutcome, { ok: false }>;

const longestMessage = 500;

/** The one place where foreign errors of model calls become ours. `mask` removes secrets from the provider's words. */
export const modelFailure = (error: unknown, mask: (text: string) => string): Failure => {
  const call = APICallError.isInstance(error) ? error : null;
  const status = call?.statusCode ?? null;
  const kind = kindOf(error, status);
  return {
    ok: false,
    kind,
    status: kind === 'cut' || kind === 'malformed' ? null : status,
    message: mask(wordsOf(error)).slice(0, longestMessage).toWellFormed(),
    retryable: kind !== 'rejected' && kind !== 'unauthorized' && kind !== 'cancelled',
    retryAfterMs: retryAfter(call?.responseHeaders ?? {}),
  };
};

/** A failure that was seen in the stream itself. */
export const malformed = (message: string): Failure => ({
  ok: false,
  kind: 'malformed',
  status: null,
  message,
  retryable: true,
  retryAfterMs: null,
});

const kindOf = (error: unknown, status: number | null): Failure['kind'] => {
  const name = error instanceof Error ? error.name : '';
  if (name === 'AbortError') return 'cancelled';
  if (name === 'TimeoutError') return 'timeout';
  if (status === null) return isCut(error) ? 'cut' : isReach(error) ? 'unavailable' : 'malformed';
  if (status === 429) return 'rate_limited';
  if (status === 401 || status === 403) return 'unauthorized';
  if (status === 408) return 'timeout';
  if (status >= 500) return 'unavailable';
  if (status >= 400) return 'rejected';
  return isCut(error) ? 'cut' : 'malformed';
};

const causesOf = (error: unknown): readonly { code: string; message: string }[] => {
  const found: { code: string; message: string }[] = [];
  for (let at = error, n = 0; at instanceof Error && n < 6; at = at.cause, n += 1) {
    const code = 'code' in at && typeof at.code === 'string' ? at.code : '';
    found.push({ code, message: at.message });
  }
  return found;
};

const isCut = (error: unknown): boolean =>
  causesOf(error).some(
    (c) =>
      c.code === 'UND_ERR_SOCKET' ||
      c.code === 'ECONNRESET' ||
      c.message === 'terminated' ||
      c.message.includes('other side closed'),
  );

const isReach = (error: unknown): boolean =>
  causesOf(error).some(
    (c) => c.code.startsWith('E') || c.code.startsWith('UND_ERR') || c.message === 'fetch failed',
  ) ||
  (APICallError.isInstance(error) && error.isRetryable);

const wordsOf = (error: unknown): string => {
  const messages = [...new Set(causesOf(error).map((c) => c.message))].filter((m) => m !== '');
  if (messages.length > 0) return messages.join(': ');
  return typeof error === 'string' ? error : JSON.stringify(error);
};

const longestWait = 24 * 3_600_000;

const retryAfter = (headers: Readonly<Record<string, string>>): number | null => {
  const ms = Number(headers['retry-after-ms'] ?? Number.NaN);
  if (Number.isFinite(ms) && ms >= 0) return Math.min(Math.ceil(ms), longestWait);
  const text = headers['retry-after'];
  if (text === undefined) return null;
  const seconds = Number(text);
  if (Number.isFinite(seconds) && seconds >= 0)
    return Math.min(Math.ceil(seconds * 1000), longestWait);
  const at = Date.parse(text);
  const sent = Date.parse(headers['date'] ?? '');
  return Number.isFinite(at) && Number.isFinite(sent)
    ? Math.min(Math.max(0, at - sent), longestWait)
    : null;
};
