import { parseHostPattern } from '../host-patterns.ts';
import type { Covers } from '../orders/clauses.ts';
import { matchesPattern } from '../patterns.ts';

/** Whether one tool pattern admits all that another does. A star of the narrow one is a character that only a star admits. */
export const coversTools: Covers = (wide, narrow) => matchesPattern(wide, narrow);

/** Whether one host pattern admits all that another does. */
export const coversHosts: Covers = (wide, narrow) => {
  if (wide === '*' || wide === narrow) return true;
  const outer = parseHostPattern(wide);
  const inner = parseHostPattern(narrow);
  if (outer === null || inner === null || narrow === '*') return false;
  if (outer.scheme !== inner.scheme || outer.port !== inner.port) return false;
  if (outer.host === '*' || outer.host === inner.host) return true;
  const tail = outer.host.slice(1);
  return (
    outer.host.startsWith('*.') && inner.host.endsWith(tail) && inner.host.length > tail.length
  );
};

/** Whether one word prefix of a command admits all that another does. */
export const coversCommands: Covers = (wide, narrow) =>
  wide === '*' || wide === narrow || narrow.startsWith(`${wide} `);
