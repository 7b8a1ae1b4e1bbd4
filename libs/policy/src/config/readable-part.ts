import { isTable, type ConfigDocument } from './document.ts';
import { copyOf } from './copy-of.ts';
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
  const rest = copyOf(value);
  let left = misses;
  for (let round = 0; round < maxRounds; round += 1) {
    for (const { path } of left) leaveOut(rest, path);
    const checked = checkSchema(document, rest);
    if (checked.ok) return checked.config;
    left = checked.misses;
  }
  return null;
};

/** Deletes the entry at a path. A list goes whole, so that the places of its items stay true. */
const leaveOut = (value: Record<string, unknown>, path: ConfigPath): void => {
  const [key, ...rest] = path;
  if (key === undefined || !Object.hasOwn(value, key)) return;
  const inner = value[key];
  if (rest.length > 0 && isTable(inner)) leaveOut(inner, rest);
  else Reflect.deleteProperty(value, key);
};
