import { canonicalJson } from '../canonical.ts';
import type { Clauses } from '../snapshot.ts';
import { byText, sortedSet, type Order } from './order.ts';

/** Whether every name that fits `narrow` fits `wide` too. May answer no where it cannot tell, never yes. */
export type Covers = (wide: string, narrow: string) => boolean;

/** *All of* the clauses, each *any of* its patterns. Patterns and clauses are sorted and stand once; a clause with `*` is `["*"]`
 * and disappears beside another; an empty clause makes the whole none. */
export const clauses = (covers: Covers): Order<Clauses> => ({
  name: 'allow patterns: all of the clauses, each any of its patterns',
  bottom: [[]],
  normal: normalClauses,
  meet: (a, b) => normalClauses([...a, ...b]),
  within: (asked, held) =>
    normalClauses(held).every((limit) =>
      normalClauses(asked).some((clause) =>
        clause.every((pattern) => limit.some((wide) => covers(wide, pattern))),
      ),
    ),
});

/** The one spelling of equal clauses. An empty outer list has no meaning and is read as none. */
export const normalClauses = (value: Clauses): Clauses => {
  const each = value.map((clause) => (clause.includes('*') ? ['*'] : sortedSet(clause)));
  if (each.length === 0 || each.some((clause) => clause.length === 0)) return [[]];
  const limits = each.filter((clause) => clause[0] !== '*');
  if (limits.length === 0) return [['*']];
  const byBytes = new Map(limits.map((clause) => [canonicalJson(clause), clause]));
  return [...byBytes].sort(([a], [b]) => byText(a, b)).map(([, clause]) => clause);
};

/** Adds patterns to every clause: what either the clauses or the patterns admit. */
export const widenClauses = (value: Clauses, patterns: readonly string[]): Clauses =>
  normalClauses(value.map((clause) => [...clause, ...patterns]));
