import fc from 'fast-check';
import { expect, it } from 'vitest';
import { visibleText } from './visible-text.ts';

it.each([
  ['right-to-left override', 'a\u202Eb', 'a⟨U+202E⟩b'],
  ['isolate', '\u2066x\u2069', '⟨U+2066⟩x⟨U+2069⟩'],
  ['zero-width space', 'a\u200Bb', 'a⟨U+200B⟩b'],
  ['byte order mark', '\uFEFFa', '⟨U+FEFF⟩a'],
  ['escape', '\u001B[31m', '⟨U+001B⟩[31m'],
  ['carriage return', 'a\rb', 'a⟨U+000D⟩b'],
  ['line separator', 'a\u2028b', 'a⟨U+2028⟩b'],
  ['tag character', 'a\u{E0041}', 'a⟨U+E0041⟩'],
  ['variation selector', 'a\uFE0F', 'a⟨U+FE0F⟩'],
  ['Hangul filler', 'a\u3164', 'a⟨U+3164⟩'],
  ['no-break space', 'a\u00A0b', 'a⟨U+00A0⟩b'],
  ['lone surrogate', 'a\uD800', 'a⟨U+D800⟩'],
])('shows a %s', (_what, text, expected) => {
  expect(visibleText(text)).toBe(expected);
});

it.each([['plain text'], ['two\nlines\tand a tab'], ['Grüße, 你好, 😀 и привет']])(
  'leaves %j as it is',
  (text) => {
    expect(visibleText(text)).toBe(text);
  },
);

it('leaves nothing hidden in any text', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      expect(visibleText(text)).not.toMatch(
        /[\u200B-\u200F\u202A-\u202E\u2060-\u2069\uFEFF]|(?![\n\t])\p{Cc}/u,
      );
    }),
  );
});
