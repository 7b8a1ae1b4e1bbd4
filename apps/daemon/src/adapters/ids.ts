import { randomFillSync } from 'node:crypto';
import type { Clock, Ids } from '@lockstep/engine';

/** Random bytes are drawn for so many ids at once. */
const poolSize = 256;
/** Random hex digits of an id: 16, the variant's among them. */
const idBytes = 8;
const counterLimit = 0x1000;

/** UUIDv7 whose order is the order of making: within one millisecond a 12-bit counter stands before the random part, and a
 * clock that goes back does not take the ids with it. */
export const uuidV7Ids = (clock: Clock): Ids => {
  const pool = Buffer.alloc(poolSize * idBytes);
  let drawn = poolSize;
  let time = 0;
  let counter = 0;
  return {
    next: () => {
      const now = clock.now();
      if (now > time) {
        time = now;
        counter = 0;
      } else if (++counter === counterLimit) {
        time += 1;
        counter = 0;
      }
      if (drawn === poolSize) {
        randomFillSync(pool);
        drawn = 0;
      }
      const random = pool.toString('hex', drawn * idBytes, (drawn + 1) * idBytes);
      drawn += 1;
      const variant = (8 + (parseInt(random.charAt(0), 16) & 3)).toString(16);
      const stamp = time.toString(16).padStart(12, '0');
      const count = counter.toString(16).padStart(3, '0');
      return `${stamp.slice(0, 8)}-${stamp.slice(8)}-7${count}-${variant}${random.slice(1, 4)}-${random.slice(4)}`;
    },
  };
};
