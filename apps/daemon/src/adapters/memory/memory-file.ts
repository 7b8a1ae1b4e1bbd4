import { digestOfText } from '@lockstep/policy';

/** What of a row stands in its file of the markdown backend. Whose it is, the folder and the log say, never the file. */
export interface FiledRow {
  readonly text: string;
  readonly tags: readonly string[];
}

const open = '---\ntags: ';
const close = '\n---\n';

/** The text of a row's file: with a head where there are tags, or where the text itself begins like one. */
export const encodeRow = ({ text, tags }: FiledRow): string =>
  tags.length > 0 || text.startsWith('---\n')
    ? `${open}${JSON.stringify(tags)}${close}${text}`
    : text;

/** Reads a file's text; a head that is none is text. */
export const parseRow = (file: string): FiledRow => {
  const end = file.indexOf(close, open.length);
  if (!file.startsWith(open) || end === -1) return { text: file, tags: [] };
  const tags = readTags(file.slice(open.length, end));
  return tags === null ? { text: file, tags: [] } : { text: file.slice(end + close.length), tags };
};

/** Digest of the file that a row should have. */
export const rowFileDigest = (row: FiledRow): string => digestOfText(encodeRow(row));

const readTags = (json: string): readonly string[] | null => {
  try {
    const read: unknown = JSON.parse(json);
    return Array.isArray(read) && read.every((tag) => typeof tag === 'string') ? read : null;
  } catch {
    return null;
  }
};
