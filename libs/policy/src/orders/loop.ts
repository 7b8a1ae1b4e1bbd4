import type { PolicySnapshot } from '../snapshot.ts';
import type { Order } from './order.ts';

type Loop = PolicySnapshot['budgets']['loop_detection'];

/** A longer window and fewer repeats find more loops, so they are narrower. */
export const loop: Order<Loop> = {
  name: 'larger window and fewer repeats are narrower',
  bottom: { window: 1000, max_repeats: 1 },
  normal: (value) => value,
  meet: (a, b) => ({
    window: Math.max(a.window, b.window),
    max_repeats: Math.min(a.max_repeats, b.max_repeats),
  }),
  within: (asked, held) => asked.window >= held.window && asked.max_repeats <= held.max_repeats,
};
