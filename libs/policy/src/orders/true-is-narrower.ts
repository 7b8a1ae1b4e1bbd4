import type { Order } from './order.ts';

/** A switch that protects: on when either side has it on. */
export const trueIsNarrower: Order<boolean> = {
  name: 'true is narrower',
  bottom: true,
  normal: (value) => value,
  meet: (a, b) => a || b,
  within: (asked, held) => asked || !held,
};
