import type { Clauses } from './snapshot.ts';

/** The canonical form of a tool pattern: a bare name means `builtin:`, a lone `*` every tool of every source. */
export const normalizeToolPattern = (pattern: string): string =>
  pattern === '*' || pattern.includes(':') ? pattern : `builtin:${pattern}`;

/** Whether the whole of `id` fits `pattern`, where `*` is any run of characters, the empty one included. Case counts, no other
 * character is special. Each part is looked for once from left to right, so the time never grows with the number of stars. */
export const matchesPattern = (pattern: string, id: string): boolean => {
  const parts = pattern.split('*');
  const first = parts[0] ?? '';
  if (parts.length === 1) return id === first;
  const last = parts.at(-1) ?? '';
  if (id.length < first.length + last.length) return false;
  if (!id.startsWith(first) || !id.endsWith(last)) return false;
  const end = id.length - last.length;
  let at = first.length;
  for (const part of parts.slice(1, -1)) {
    const found = id.indexOf(part, at);
    if (found === -1 || found + part.length > end) return false;
    at = found + part.length;
  }
  return at <= end;
};

/** The longest of the patterns that fits, the first of equals, or null: the rule to name in a verdict. */
export const matchingPattern = (patterns: readonly string[], id: string): string | null =>
  longest(patterns.filter((pattern) => matchesPattern(pattern, id)));

export interface ClauseMatch {
  /** Every clause holds a pattern that fits. */
  readonly ok: boolean;
  /** The longest pattern that fits when `ok`, else null. */
  readonly pattern: string | null;
}

/** *All of* the clauses, each *any of* its patterns. No clause at all fits nothing. */
export const matchesClauses = (clauses: Clauses, id: string): ClauseMatch =>
  clauseMatch(clauses.map((patterns) => matchingPattern(patterns, id)));

/** Joins what each clause found: one clause without a pattern that fits is a no. */
export const clauseMatch = (found: readonly (string | null)[]): ClauseMatch => {
  const patterns = found.filter((pattern) => pattern !== null);
  const ok = found.length > 0 && patterns.length === found.length;
  return { ok, pattern: ok ? longest(patterns) : null };
};

/** Whether a path below a root, or a folder on the way to it, fits a pattern that begins with a double star. Within a segment
 * `*` never crosses a slash; `relative` has no leading slash. */
export const matchesBelow = (pattern: string, relative: string): boolean => {
  const wanted = pattern.replace(/^\*\*\//, '').split('/');
  const segments = relative.split('/');
  return segments.some((_, start) =>
    wanted.every((glob, offset) => {
      const segment = segments[start + offset];
      return segment !== undefined && segment !== '' && matchesPattern(glob, segment);
    }),
  );
};

const longest = (patterns: readonly string[]): string | null =>
  patterns.reduce<string | null>(
    (best, pattern) => (best === null || pattern.length > best.length ? pattern : best),
    null,
  );
