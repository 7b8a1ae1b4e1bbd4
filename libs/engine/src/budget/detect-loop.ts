import type { PolicySnapshot } from '@lockstep/policy';

/** What makes two calls the same one. */
export interface CallKey {
  readonly tool: string;
  readonly argsDigest: string;
}

/** How often a call would stand in the window of the last `window` calls, itself included, when that is more than `max_repeats`;
 * null = no loop. `earlier` is oldest first. */
export const detectLoop = (
  limits: PolicySnapshot['budgets']['loop_detection'],
  earlier: readonly CallKey[],
  next: CallKey,
): number | null => {
  const others = limits.window > 1 ? earlier.slice(1 - limits.window) : [];
  const repeats = 1 + others.filter((call) => isSame(call, next)).length;
  return repeats > limits.max_repeats ? repeats : null;
};

const isSame = (a: CallKey, b: CallKey): boolean =>
  a.tool === b.tool && a.argsDigest === b.argsDigest;
