'use client';

import { useResource, type Snapshot } from '../../lib/use-snapshot.ts';

/** A call that may or may not have taken effect. */
export interface UnknownOutcome {
  readonly turn: string;
  readonly call: string;
  readonly agent: string;
  readonly session: string;
  readonly tool: string;
  readonly argsDigest: string;
  readonly why: string;
  readonly since: number;
}

/** Calls that nobody knows the end of, oldest first. */
export const useUnknownOutcomes = (): Snapshot<{ readonly items: readonly UnknownOutcome[] }> =>
  useResource('/v1/unknown-outcomes', ({ type }) => /^(ToolCallOutcomeUnknown|Unknown)/.test(type));
