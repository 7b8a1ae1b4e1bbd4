import { canonicalJson, digestOfText } from '../canonical.ts';
import { byText } from '../orders/order.ts';
import type { Config } from './config.schema.ts';
import { isTable } from './document.ts';
import { formatPath, type ConfigPath } from './problem.ts';

/** One key that differs between two configs, as canonical JSON text; null where it is absent. A text longer than 2,000 characters
 * is its digest and length instead. */
export interface ConfigChange {
  readonly path: string;
  readonly before: string | null;
  readonly after: string | null;
}

/** Longest value that is shown, and most characters of a whole diff: it has to fit an event beside other fields. */
const maxText = 2000;
const maxTotal = 64_000;
const depths = [Infinity, 3, 2, 1] as const;

/** What changed from one config to the next, by key: tables are compared key by key, lists as a whole. A first config is all new.
 * When so much changed that the list would be too long, whole tables stand for their keys. */
export const diffConfigs = (before: Config | null, after: Config): ConfigChange[] => {
  let changes: ConfigChange[] = [];
  for (const depth of depths) {
    changes = changesOf(before ?? {}, after, [], depth);
    if (JSON.stringify(changes).length <= maxTotal) break;
  }
  return changes;
};

const changesOf = (
  before: unknown,
  after: unknown,
  path: ConfigPath,
  depth: number,
): ConfigChange[] => {
  const [from, to] = [textOf(before), textOf(after)];
  if (from === to) return [];
  if (path.length >= depth || !isTable(before) || !isTable(after))
    return [{ path: formatPath(path), before: shortened(from), after: shortened(to) }];
  const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort(byText);
  return keys.flatMap((key) => {
    const [old, now] = [ownEntry(before, key), ownEntry(after, key)];
    // A table that is new or gone is one change, and an empty one that the reader filled in is none.
    if (old === undefined && isEmpty(now)) return [];
    return changesOf(old, now, [...path, key], depth);
  });
};

const ownEntry = (table: Record<string, unknown>, key: string): unknown =>
  Object.hasOwn(table, key) ? table[key] : undefined;

const isEmpty = (value: unknown): boolean => isTable(value) && Object.keys(value).length === 0;

const textOf = (value: unknown): string | null =>
  value === undefined ? null : canonicalJson(value);

const shortened = (text: string | null): string | null =>
  text === null || text.length <= maxText
    ? text
    : canonicalJson({ chars: text.length, digest: digestOfText(text) });
