import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { root, sourcesIn } from '../support/sources.ts';

const folder = join(root, 'docs/invariants');
const pages = readdirSync(folder)
  .filter((name) => name !== 'README.md')
  .map((name) => ({ name, text: readFileSync(join(folder, name), 'utf8') }));
const paths = sourcesIn(['libs', 'apps', 'test']).map(({ path }) => path);

/** Files that a page names, by path or by name alone. */
const named = (text: string): readonly string[] =>
  [...text.matchAll(/`([\w./-]+\.tsx?)`/g)].map(([, file = '']) => file);

describe.each(pages)('the invariant in $name', ({ text }) => {
  it('says its rule, what holds it and what shows a breach', () => {
    const heads = [...text.matchAll(/^\*\*(.+?)\*\*/gm)].map(([, head]) => head);
    expect(heads).toEqual(['Rule.', 'What holds it.', 'What shows a breach.']);
  });

  it('names files that are there, a spec among them', () => {
    const files = named(text);
    const known = (file: string): boolean =>
      paths.some((path) => path === file || (!file.includes('/') && basename(path) === file));
    expect(files.filter((file) => !known(file))).toEqual([]);
    expect(files.some((file) => file.endsWith('.spec.ts'))).toBe(true);
  });
});
