import { own } from '../tools/own.ts';

/** The content that a call of `file_write` or `file_edit` would leave behind, or null when the arguments or the old content do not
 * say: for an edit the old text must occur exactly once. */
export const proposedContent = (
  tool: string,
  args: unknown,
  before: string | null,
): string | null => {
  if (tool === 'builtin:file_write') return textAt(args, 'content');
  if (tool !== 'builtin:file_edit' || before === null) return null;
  const oldText = textAt(args, 'old_text');
  const newText = textAt(args, 'new_text');
  if (oldText === null || newText === null || oldText === '') return null;
  const at = before.indexOf(oldText);
  if (at === -1 || before.includes(oldText, at + 1)) return null;
  return before.slice(0, at) + newText + before.slice(at + oldText.length);
};

const textAt = (args: unknown, key: string): string | null => {
  if (typeof args !== 'object' || args === null) return null;
  const value = own(args as Record<string, unknown>, key);
  return typeof value === 'string' ? value : null;
};
