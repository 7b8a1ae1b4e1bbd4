import type { ModelOutcome } from '../ports/model.ts';

/** First pause before another try of a model call, and the longest one, in ms. */
export const firstBackoffMs = 500;
export const longestBackoffMs = 30_000;

type Failure =
  Extract<ModelOutcome, { ok: false }> | { readonly ok: false; readonly kind: 'interrupted' };

/** When the next try of a failed model call is due, in ms since the epoch; null = there is none. Exponential, and never before the
 * provider's own word. */
export const retryAt = (
  failure: Failure,
  tries: { readonly attempt: number; readonly maxAttempts: number; readonly now: number },
): number | null => {
  // A call that a restart cut off says nothing against the provider: it is made again at once.
  if (failure.kind === 'interrupted') return tries.now;
  if (!failure.retryable || tries.attempt >= tries.maxAttempts) return null;
  const backoff = Math.min(longestBackoffMs, firstBackoffMs * 2 ** (tries.attempt - 1));
  return tries.now + Math.max(backoff, failure.retryAfterMs ?? 0);
};
