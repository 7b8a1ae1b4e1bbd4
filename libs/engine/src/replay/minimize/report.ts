import type { VerdictSeen } from '../counterfactual/report.ts';
import type { LockstepEvent } from '../../events/event.ts';

/** The smallest history that still diverges. */
export type MinimizeReport =
  | {
      readonly outcome: 'minimized';
      readonly turn: string;
      /** A history by itself, with the smallest config. */
      readonly events: readonly LockstepEvent[];
      readonly before: { readonly events: number; readonly configLines: number };
      readonly after: { readonly events: number; readonly configLines: number };
      /** What a mended build or config gives. Null = the divergence is in no verdict. */
      readonly expected: (VerdictSeen & { readonly call: string; readonly tool: string }) | null;
      readonly tried: number;
    }
  | { readonly outcome: 'does_not_diverge'; readonly turn: string }
  | { readonly outcome: 'stopped'; readonly turn: string; readonly missing: string };
