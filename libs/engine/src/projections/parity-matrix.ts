import type { Trigger } from '@lockstep/policy';
import { foldParity } from './parity/parity-fold.ts';
import { emptyParity, freezeParity, thawParity, type ParityState } from './parity/parity-state.ts';
import type { Projection } from './projection.ts';

/** The parity matrix: folds the log into evidence by agent, setting, path, trigger and expected value. A turn is judged when it
 * ends, and as far as it is whenever the matrix is looked at. `supportedTriggers` are those that this build can start a turn
 * with. */
export const parityMatrix = (options: {
  readonly supportedTriggers: readonly Trigger[];
}): Projection<ParityState> => ({
  name: 'parity-matrix',
  version: 3,
  // Every event of an agent is numbered: whether one is missing shows only to who sees all.
  types: 'all',
  initial: () => emptyParity(options.supportedTriggers),
  fold: foldParity,
  freeze: freezeParity,
  thaw: (json) => thawParity(json, options.supportedTriggers),
});

export { coverageOf } from './parity/coverage.ts';
export type { ParityState } from './parity/parity-state.ts';
export { parityCell, parityView, type ParityQuery } from './parity/parity-view.ts';
