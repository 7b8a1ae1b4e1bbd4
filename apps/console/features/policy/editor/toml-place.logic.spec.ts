import { describe, expect, it } from 'vitest';
import { pathsIn, placeAt } from './toml-place.logic.ts';

/** The place of the `|` in a text. */
const at = (marked: string) => {
  const cursor = marked.indexOf('|');
  const place = placeAt(marked.replace('|', ''), cursor);
  return place === null ? null : [place.kind, place.path.join('/'), place.word];
};

describe('given a cursor in a TOML text', () => {
  it.each([
    ['|', ['key', '', '']],
    ['ag|', ['key', '', 'ag']],
    ['[ri|', ['header', '', 'ri']],
    ['[risk_profiles.careful.to|]', ['header', 'risk_profiles/careful', 'to']],
    ['[[sops.release.|', ['header', 'sops/release', '']],
    ['[a.b]\nc|', ['key', 'a/b', 'c']],
    ['[a.b]\nc.d|', ['key', 'a/b/c', 'd']],
    ['[a.b]\nc = |', ['value', 'a/b/c', '']],
    ['[a.b]\nc = "x|y"', ['value', 'a/b/c', 'xy']],
    ['[a.b]\nc = "x|', ['value', 'a/b/c', 'x']],
    ['[a]\nc = ["x", |', ['value', 'a/c', '']],
    ['[a]\nc = [\n  "x",\n  "|"]', ['value', 'a/c', '']],
    ['[a]\nc = [\n "x"]\nd|', ['key', 'a', 'd']],
    ['[a]\nroute = { on|', ['key', 'a/route', 'on']],
    ['[a]\nroute = { x = 1, y = |', ['value', 'a/route/y', '']],
    ['[a]\nroute = { x = [1], y|', ['key', 'a/route', 'y']],
    ['[a]\nlist = [{ agent = "h|" }]', ['value', 'a/list/agent', 'h']],
    ["['a.b'.c]\nd|", ['key', 'a.b/c', 'd']],
    ['[a]\nt = """\n[no]\n"""\nd|', ['key', 'a', 'd']],
    ['[a]\r\nb|', ['key', 'a', 'b']],
  ])('reads %j', (marked, place) => {
    expect(at(marked)).toEqual(place);
  });

  it.each(['# a|', '[a] |', '[a]\nroute = { x = 1 }|'])('has nothing to say at %j', (marked) => {
    expect(at(marked)).toBe(null);
  });

  it('bounds the word with its quotes, past the cursor too', () => {
    expect(placeAt('c = "xyz" # note', 6)).toEqual({
      kind: 'value',
      path: ['c'],
      from: 4,
      to: 9,
      word: 'xyz',
    });
  });
});

it('lists every table and key that a text has', () => {
  const text = '[a.b]\nc = 1 # [x]\nd.e = { f = ["[y]"] }\n[[g]]\nh = 2';
  expect(pathsIn(text).map((path) => path.join('/'))).toEqual([
    'a/b',
    'a/b/c',
    'a/b/d/e',
    'a/b/d/e/f',
    'g',
    'g/h',
  ]);
});
