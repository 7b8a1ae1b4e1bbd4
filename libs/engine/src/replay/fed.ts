import type { HistoryProblem } from './report.ts';

/** What the recording gives in place of the world: a value, or why there is none. */
export type Fed<T> =
  | { readonly ok: true; readonly value: T }
  /** Nothing of the kind was recorded. */
  | { readonly ok: false; readonly missing: string }
  /** Something was recorded, and it is not what was written then. */
  | { readonly ok: false; readonly damaged: HistoryProblem };

export type Unfed = Extract<Fed<never>, { ok: false }>;

/** A value that the recording holds. */
export const fed = <T>(value: T): Fed<T> => ({ ok: true, value });

/** The recording holds nothing of this kind. */
export const missing = (what: string): Unfed => ({ ok: false, missing: what });

/** The recording was changed after it was written. */
export const damaged = (where: string, message: string): Unfed => ({
  ok: false,
  damaged: { where, message },
});
