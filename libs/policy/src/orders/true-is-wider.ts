import type { Order } from './order.ts';

/** A switch that permits: on only when both sides have it on. */
export const trueIsWider: Order<boolean> = {
  name: 'true is wider',
  bottom: false,
  normal: (value) => value,
  meet: (a, b) => a && b,
  within: (asked, held) => !asked || held,
};
