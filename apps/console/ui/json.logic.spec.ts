import { expect, it } from 'vitest';
import { jsonLines, linesWith } from './json.logic.ts';

it('colours keys, strings, numbers and words apart', () => {
  expect(jsonLines({ a: 'x: "1"', b: [-2.5, true] })).toEqual([
    [{ kind: 'plain', text: '{' }],
    [
      { kind: 'plain', text: '  ' },
      { kind: 'key', text: '"a"' },
      { kind: 'plain', text: ':' },
      { kind: 'plain', text: ' ' },
      { kind: 'string', text: String.raw`"x: \"1\""` },
      { kind: 'plain', text: ',' },
    ],
    [
      { kind: 'plain', text: '  ' },
      { kind: 'key', text: '"b"' },
      { kind: 'plain', text: ':' },
      { kind: 'plain', text: ' [' },
    ],
    [
      { kind: 'plain', text: '    ' },
      { kind: 'number', text: '-2.5' },
      { kind: 'plain', text: ',' },
    ],
    [
      { kind: 'plain', text: '    ' },
      { kind: 'word', text: 'true' },
    ],
    [{ kind: 'plain', text: '  ]' }],
    [{ kind: 'plain', text: '}' }],
  ]);
});

it('names characters that would turn the reading direction', () => {
  expect(jsonLines('a\u202Eb')).toEqual([[{ kind: 'string', text: '"a⟨U+202E⟩b"' }]]);
});

it('finds lines by words in any case, and none for no words', () => {
  const lines = jsonLines({ tool: 'Read', other: 1 });
  expect([linesWith(lines, 'read'), linesWith(lines, ' ')]).toEqual([[1], []]);
});
