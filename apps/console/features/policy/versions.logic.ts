import { unifiedDiff, visibleText, type LockstepEvent } from '@lockstep/engine';
import { diffLines, type DiffLine } from '../../ui/diff.logic.ts';

/** One version of the config that was in force. */
export interface VersionRow {
  readonly version: number;
  readonly digest: string;
  readonly time: number;
  readonly by: string;
  readonly widens: readonly string[];
}
export interface VersionPage {
  readonly items: readonly VersionRow[];
}
export type ConfigVersion = VersionRow & { readonly config: Readonly<Record<string, unknown>> };

/** The config in force and its file. `text` may hold an edit that was rejected; null when the file cannot be read. */
export interface ConfigNow {
  readonly version: number;
  readonly digest: string;
  readonly file: string;
  readonly text: string | null;
}

export const changesConfig = ({ stream }: LockstepEvent): boolean => stream === 'config';

/** Who brought a version, in words. */
export const broughtBy = (by: string): string => {
  if (by === 'start') return 'the start of the daemon';
  return by === 'file' ? 'an edit of the file' : by;
};

/** The two versions that are compared: as the address names them, else the newest and the one before it. 0 = nothing was in force. */
export const comparedVersions = (
  rows: readonly VersionRow[],
  from: string | null,
  to: string | null,
): { readonly from: number; readonly to: number } | null => {
  const known = new Set([0, ...rows.map(({ version }) => version)]);
  const named = (word: string | null): number | null => {
    const value = word === null || !/^\d+$/.test(word) ? null : Number(word);
    return value !== null && known.has(value) ? value : null;
  };
  const newest = rows[0];
  if (newest === undefined) return null;
  const end = named(to) ?? newest.version;
  const before = rows.find(({ version }) => version < end)?.version ?? 0;
  return { from: named(from) ?? before, to: end };
};

/** A config as lines, one value each, in the order of their keys: two of them can be compared line by line. */
export const configLines = (config: unknown): readonly string[] => leaves(config, '');

const leaves = (value: unknown, path: string): readonly string[] => {
  if (typeof value !== 'object' || value === null || isPlainList(value))
    return [`${path} = ${visibleText(JSON.stringify(value ?? null))}`];
  const entries: readonly (readonly [string, unknown])[] = Array.isArray(value)
    ? value.map((item, index) => [`[${index}]`, item] as const)
    : Object.entries(value)
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([key, item]) => [path === '' ? keyText(key) : `.${keyText(key)}`, item] as const);
  if (entries.length === 0) return path === '' ? [] : [`${path} = {}`];
  return entries.flatMap(([name, item]) => leaves(item, path + name));
};

const isPlainList = (value: object): boolean =>
  Array.isArray(value) && value.every((item) => typeof item !== 'object' || item === null);

const keyText = (key: string): string =>
  /^[\w-]+$/.test(key) ? key : visibleText(JSON.stringify(key));

/** What changed from one config to another; null = none was in force. */
export const configDiff = (before: unknown, after: unknown): readonly DiffLine[] => {
  const textOf = (config: unknown): string =>
    config === null
      ? ''
      : configLines(config)
          .map((line) => `${line}\n`)
          .join('');
  const diff = unifiedDiff(textOf(before), textOf(after));
  return diff === '' ? [] : diffLines(diff);
};
