import { isWithin } from '../paths.ts';
import { sameValue, type Order } from './order.ts';

/** A value of the acting agent's own that nobody else's replaces: a narrowing may only name the bottom. Two different values
 * have nothing in common but that. */
export const own = <T>(bottom: T): Order<T> => ({
  name: "own: the acting agent's, a narrowing may only name the narrowest",
  bottom,
  own: true,
  normal: (value) => value,
  meet: (a, b) => (sameValue(a, b) ? a : bottom),
  within: (asked, held) => sameValue(asked, held) || sameValue(asked, bottom),
});

/** Below a file that is no folder, so nothing can ever be here: the root of a turn whose folder is no longer its agent's. */
export const nowhere = '/dev/null/nowhere';

/** The workspace root: a narrowing may only name a folder inside it. Two folders apart have nothing in common. */
export const ownRoot: Order<string> = {
  name: "own: the acting agent's, a narrowing may only name a folder inside it",
  bottom: nowhere,
  own: true,
  normal: (value) => value,
  meet: (a, b) => {
    if (a === nowhere || b === nowhere) return nowhere;
    if (isWithin(a, b)) return b;
    return isWithin(b, a) ? a : nowhere;
  },
  within: (asked, held) => asked === nowhere || (held !== nowhere && isWithin(held, asked)),
};
