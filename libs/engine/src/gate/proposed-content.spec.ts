import { expect, it } from 'vitest';
import { proposedContent } from './proposed-content.ts';

const edit = (before: string | null, old_text: string, new_text: string): string | null =>
  proposedContent('builtin:file_edit', { path: 'a', old_text, new_text }, before);

it.each<[string, string | null, string | null]>([
  ['a written file', proposedContent('builtin:file_write', { content: 'new' }, 'old'), 'new'],
  ['an edit', edit('one two three', 'two', '2'), 'one 2 three'],
  ['an edit with a dollar sign', edit('one two', 'two', '$&$1'), 'one $&$1'],
  ['an edit of what is not there', edit('one', 'two', '2'), null],
  ['an edit of what is there twice', edit('aaa', 'aa', 'b'), null],
  ['an edit of unknown content', edit(null, 'a', 'b'), null],
  ['another tool', proposedContent('mcp:files/write_file', { content: 'x' }, ''), null],
  ['arguments of another form', proposedContent('builtin:file_write', { content: 1 }, ''), null],
])('says what %s leaves behind', (_what, found, expected) => {
  expect(found).toBe(expected);
});
