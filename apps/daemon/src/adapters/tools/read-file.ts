import { contentOf, holdFileAt, textOf } from './file-content.ts';
import type { FileCall } from './file-call.ts';
import type { ToolDone } from './tool-failure.ts';

const mostCharacters = 2_000_000;

/** `file_read`: the text of a file, or the lines from `offset` on, at most `limit` of them. */
export const readFileTool = async ({
  args,
  operand,
  real,
  touched,
}: FileCall): Promise<ToolDone> => {
  const file = holdFileAt(real);
  try {
    touched.push({ kind: 'opened', path: file.path, access: 'read' });
    const text = textOf(await contentOf(file), operand.given);
    return { text: cut(linesOf(text, numberAt(args, 'offset'), numberAt(args, 'limit'))) };
  } finally {
    file.close();
  }
};

const linesOf = (text: string, offset: number | null, limit: number | null): string => {
  if (offset === null && limit === null) return text;
  const lines = text.split(/(?<=\n)/);
  const from = (offset ?? 1) - 1;
  return lines.slice(from, limit === null ? lines.length : from + limit).join('');
};

const cut = (text: string): string =>
  text.length <= mostCharacters
    ? text
    : `${text.slice(0, mostCharacters).toWellFormed()}\n[cut after ${mostCharacters} characters; read on with \`offset\`]`;

const numberAt = (args: Readonly<Record<string, unknown>>, key: string): number | null => {
  const value = args[key];
  return typeof value === 'number' && Number.isInteger(value) && value >= 1 ? value : null;
};
