import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseCommand } from './commands.ts';
import type { Question } from './questions.ts';
import { codeOf } from './questions.ts';
import { showQuestion } from './show-question.ts';
import { splitText } from './split-text.ts';

describe('given a long text', () => {
  it('is cut into whole characters that together are the text', () => {
    const texts = fc.string({ unit: 'grapheme', maxLength: 400 });
    fc.assert(
      fc.property(texts, fc.integer({ min: 2, max: 50 }), (text, limit) => {
        const pieces = splitText(text, limit);
        expect(pieces.join('')).toBe(text);
        expect(pieces.every((piece) => piece.length <= limit && piece.isWellFormed())).toBe(true);
      }),
    );
  });

  it('is cut at a line end where there is one late enough', () => {
    expect(splitText('one two\nthree four', 12)).toEqual(['one two\n', 'three four']);
  });
});

describe('given what a person types', () => {
  it('is a command only in its full form', () => {
    expect(
      [
        '/stop',
        '!STOP',
        '/status@team_bot',
        '/approve abcd1234',
        '/deny ABCD1234 use\npears',
        '/answer ABCD1234 two words',
        '/choose ABCD1234 2',
      ].map(parseCommand),
    ).toEqual([
      { kind: 'stop' },
      { kind: 'stop' },
      { kind: 'status' },
      { kind: 'approve', code: 'ABCD1234' },
      { kind: 'deny', code: 'ABCD1234', guidance: 'use\npears' },
      { kind: 'answer', code: 'ABCD1234', text: 'two words' },
      { kind: 'choose', code: 'ABCD1234', choice: 2 },
    ]);
    const plain = [
      'stop',
      '/stop now',
      '/approve',
      '/answer X',
      '/choose X 0',
      '/other',
      'a /stop',
    ];
    expect(plain.map(parseCommand)).toEqual(plain.map(() => null));
  });
});

describe('given an approval', () => {
  const asked = (text: string): Question => ({
    id: 'approval-1',
    kind: 'approval',
    code: codeOf('approval-1'),
    to: { binding: 'telegram.main', conversation: 'c', thread: null, message: null },
    turn: 't',
    agent: 'alpha',
    tool: 'builtin:shell',
    text,
    why: 'asked because the autonomy is supervised',
    choices: [],
    shown: 'd',
    revision: 1,
  });

  it('is shown whole with both buttons where it fits, and within the limit in any case', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 6000 }), (text) => {
        const shown = showQuestion(asked(text), 2000);
        expect(shown.text.length).toBeLessThanOrEqual(2000);
        expect(shown.cut).toBe(!shown.text.includes(text));
        expect(shown.buttons.map(({ label }) => label)).toEqual(
          shown.cut ? ['Deny'] : ['Approve', 'Deny'],
        );
      }),
    );
  });

  it('has commands that fit into the 64 bytes of a button', () => {
    for (const { command } of showQuestion(asked('x'), 4096).buttons)
      expect(Buffer.byteLength(`chat:${JSON.stringify({ a: 'do', v: command })}`)).toBeLessThan(64);
  });
});
