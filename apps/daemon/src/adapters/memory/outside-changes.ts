import { digestOf } from '@lockstep/policy';
import type { FileRow, GoneFile } from './memory-db.ts';
import { parseRow, type FiledRow } from './memory-file.ts';
import type { FoundFile } from './memory-folder.ts';

/** Something that was done to a folder of memory past the log. */
export type OutsideChange =
  | ({
      readonly kind: 'edited';
      readonly row: string;
      readonly digest: string;
      readonly before: FileRow;
    } & FiledRow)
  | ({
      readonly kind: 'new';
      readonly row: string;
      readonly name: string;
      readonly digest: string;
    } & FiledRow)
  | { readonly kind: 'removed'; readonly row: string };

export interface OutsideFound {
  readonly changes: readonly OutsideChange[];
  /** Files that are no rows and whose content is nobody's. */
  readonly unreadable: readonly { readonly name: string; readonly why: string }[];
  /** Files that were taken in under another name and still stand there. */
  readonly leftOver: readonly { readonly name: string; readonly digest: string }[];
}

/** What the files of one agent say against its rows: known by digest, never by time. */
export const outsideChanges = (
  files: readonly FoundFile[],
  around: {
    readonly agent: string;
    readonly rows: readonly FileRow[];
    /** Files of forgotten rows that could not be removed yet. */
    readonly gone: readonly GoneFile[];
    readonly has: (row: string) => boolean;
  },
): OutsideFound => {
  const { agent, rows, gone, has } = around;
  const byId = new Map(rows.map((row) => [row.id, row]));
  const standing = new Set(files.map((file) => file.name));
  const changes: OutsideChange[] = [];
  const unreadable: { name: string; why: string }[] = [];
  const leftOver: { name: string; digest: string }[] = [];
  for (const { name, digest, text } of files) {
    const row = byId.get(name);
    if (row !== undefined && (row.file === null || row.file === digest)) continue;
    if (gone.some((one) => one.id === name && one.file === digest)) continue;
    if (text === null) {
      unreadable.push({ name, why: 'it is no UTF-8 text within the bound' });
      continue;
    }
    if (row !== undefined) {
      changes.push({ kind: 'edited', row: row.id, digest, before: row, ...parseRow(text) });
      continue;
    }
    const id = digestOf(['memory', agent, name, digest]).slice(0, 32);
    if (has(id)) leftOver.push({ name, digest });
    else changes.push({ kind: 'new', row: id, name, digest, ...parseRow(text) });
  }
  for (const row of rows)
    if (row.file !== null && !standing.has(row.id)) changes.push({ kind: 'removed', row: row.id });
  return { changes, unreadable, leftOver };
};
