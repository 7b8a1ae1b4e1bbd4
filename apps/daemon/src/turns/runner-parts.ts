import type { Deltas } from './deltas.ts';
import type { PastTurns } from './past-turns.ts';
import type { Records } from './records-of.ts';
import type { SeenDigests } from './seen-digests.ts';
import type { Spending } from './spending.ts';
import type { ToolCatalogs } from './tool-catalog.ts';
import type { TurnParts } from './turn-parts.ts';

/** What runners share beside the ports. */
export interface RunnerParts extends TurnParts {
  readonly catalogs: ToolCatalogs;
  readonly past: PastTurns;
  readonly deltas: Deltas;
  readonly records: Records;
  readonly spending: Spending;
  readonly recorded: SeenDigests;
  /** When this daemon started, in ms since the epoch. */
  readonly startedAt: number;
}

/** What became of a command that somebody sent to a running turn. */
export type Posted =
  | { readonly kind: 'recorded'; readonly position: string }
  | { readonly kind: 'nothing' }
  | { readonly kind: 'refused'; readonly code: string; readonly message: string }
  /** The turn's work has stopped here; the next start takes it up. */
  | { readonly kind: 'halted' };
