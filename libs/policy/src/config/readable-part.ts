import { isTable, type ConfigDocument } from './document.ts';
import type { Config } from './config.schema.ts';
import type { ConfigPath } from './problem.ts';
import { checkSchema, type SchemaMiss } from './schema-problems.ts';

/** Rounds of leaving out and reading again: a table that lost a key may miss it. */
const maxRounds = 4;

/** What of a file can be read when the misses are left out, so that the other rules report on the rest at once. Null: nothing. */
export const readablePart = (
  document: ConfigDocument,
  value: Record<string, unknown>,
  misses: readonly SchemaMiss[],
): Config | null => {
  let rest: unknown = value;
  let left = misses;
  for (let round = 0; round < maxRounds; round += 1) {
    rest = left.reduce<unknown>((whole, miss) => without(whole, miss.path), rest);
    const checked = checkSchema(document, rest);
    if (checked.ok) return checked.config;
    left = checked.misses;
  }
  return null;
};

/** A copy without the entry at a path. A list goes whole, so that the places of its items stay true. */
const without = (value: unknown, path: ConfigPath): unknown => {
  const [key, ...rest] = path;
  if (!isTable(value) || key === undefined || !Object.hasOwn(value, key)) return value;
  const inner = value[key];
  const drop = rest.length === 0 || !isTable(inner);
  const others = Object.entries(value).filter(([name]) => name !== key);
  return Object.fromEntries(
    drop ? others : [...others, [String(key), without(inner, rest)] as const],
  );
};
