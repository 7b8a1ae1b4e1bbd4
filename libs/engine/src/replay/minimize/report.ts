import type { ExpectedVerdict } from '../history/header.ts';
import type { LockstepEvent } from '../../events/event.ts';
import type { HistoryProblem } from '../report.ts';

/** The smallest history that still diverges. */
export type MinimizeReport =
  | {
      readonly outcome: 'minimized';
      readonly turn: string;
      /** A history by itself, with the smallest config. */
      readonly events: readonly LockstepEvent[];
      readonly before: { readonly events: number; readonly configLines: number };
      readonly after: { readonly events: number; readonly configLines: number };
      /** What a mended build or config gives. Null = the divergence is in no verdict: the whole turn has to come out as recorded. */
      readonly expected: ExpectedVerdict | null;
      readonly tried: number;
    }
  | { readonly outcome: 'does_not_diverge'; readonly turn: string }
  | { readonly outcome: 'stopped'; readonly turn: string; readonly missing: string }
  | {
      readonly outcome: 'refused';
      readonly turn: string;
      readonly problems: readonly HistoryProblem[];
    };
