import type { Clock } from '@lockstep/engine';

/** The machine's clock. */
export const systemClock: Clock = { now: () => Date.now() };
