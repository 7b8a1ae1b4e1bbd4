import { describe, expect, it } from 'vitest';
import { jsonText, safe, safeLine, show, table } from './print.ts';

const hostile = 'a\u001b[2J\nb\tc\u009b\u202e\u200e\u200f\u061c\u2028\u2029';
const shown = 'a⟨U+001B⟩[2J';
const rest = '⟨U+009B⟩⟨U+202E⟩⟨U+200E⟩⟨U+200F⟩⟨U+061C⟩⟨U+2028⟩⟨U+2029⟩';

describe('text of a stranger on a terminal', () => {
  it('names every character that is not seen, and keeps its lines where it may have some', () => {
    expect(safe(hostile)).toBe(`${shown}\nb\tc${rest}`);
    expect(safeLine(hostile)).toBe(`${shown}⟨U+000A⟩b⟨U+0009⟩c${rest}`);
  });

  it('makes no row of its own in a table', () => {
    const lines = table(['turn'], [[hostile]]).split('\n');
    expect([lines.length, lines[1]?.trim()]).toEqual([2, safeLine(hostile)]);
  });

  it('is named in the text of a command that forgot to, whose own colours stay', () => {
    let said = '';
    const out = { write: (text: string) => (said += text), json: false, columns: null };
    show(out, {}, () => `\u001b[31mred\u001b[39m \u001b[2J\u001b]0;title\u0007\u001b[8m`);
    expect(said).toBe('\u001b[31mred\u001b[39m ⟨U+001B⟩[2J⟨U+001B⟩]0;title⟨U+0007⟩⟨U+001B⟩[8m\n');
  });

  it('stands escaped in JSON that says the same', () => {
    const text = jsonText({ turn: hostile });
    expect(text).toBe(
      String.raw`{"turn":"a\u001b[2J\nb\tc\u009b\u202e\u200e\u200f\u061c\u2028\u2029"}`,
    );
    expect(JSON.parse(text)).toEqual({ turn: hostile });
  });
});
