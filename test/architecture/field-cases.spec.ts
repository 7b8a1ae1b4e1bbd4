import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { isSpec, root } from '../support/sources.ts';

const page = readFileSync(join(root, 'docs/field-cases.md'), 'utf8');

interface FieldCase {
  readonly said: string;
  readonly tests: readonly { readonly file: string; readonly title: string }[];
}

/** Cases of the page, section by section. A case is a list item; its tests are the items below it. */
const sections = page
  .split(/^## /m)
  .slice(1)
  .map((section) => ({
    name: section.slice(0, section.indexOf('\n')),
    cases: section
      .split(/^- /m)
      .slice(1)
      .map((text): FieldCase => {
        const [said = '', ...tests] = text.trim().split(/\n\s+- /);
        return {
          said,
          tests: tests.map((test) => {
            const [, file = '', title = ''] = /^`([^`]+)`: "(.+)"$/s.exec(test.trim()) ?? [];
            return { file, title };
          }),
        };
      }),
  }));
const cases = sections.flatMap((section) => section.cases);
const tests = cases.flatMap((one) => one.tests);

/** Every text that stands in a file as a string: titles, and rows of tables of tests. */
const stringsOf = (file: string): ReadonlySet<string> => {
  const found = new Set<string>();
  const source = ts.createSourceFile(
    file,
    readFileSync(join(root, file), 'utf8'),
    ts.ScriptTarget.Latest,
  );
  const walk = (node: ts.Node): void => {
    if (ts.isStringLiteralLike(node)) found.add(node.text);
    ts.forEachChild(node, walk);
  };
  walk(source);
  return found;
};

describe('the page of field cases', () => {
  it('has a section for each of eighteen kinds, with cases in each', () => {
    expect(sections).toHaveLength(18);
    expect(sections.filter((section) => section.cases.length === 0)).toEqual([]);
  });

  it('names a test for each case, or says why it does not apply', () => {
    const without = cases.filter((one) => one.tests.length === 0);
    expect(without.filter(({ said }) => !said.includes('Does not apply: '))).toEqual([]);
    expect(tests.filter(({ file, title }) => file === '' || title === '')).toEqual([]);
  });

  it('names tests that are there', () => {
    const files = [...new Set(tests.map(({ file }) => file))];
    expect(files.filter((file) => !isSpec(file) || !existsSync(join(root, file)))).toEqual([]);
    const known = new Map(files.map((file) => [file, stringsOf(file)]));
    expect(tests.filter(({ file, title }) => known.get(file)?.has(title) !== true)).toEqual([]);
  });
});
