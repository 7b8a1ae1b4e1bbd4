import { describe, expect, it } from 'vitest';
import { replayText } from '../replay/replay-text.ts';
import { checkLine } from './check-text.ts';

const forged = 'x\n\u001b[32msame\u001b[39m good.jsonl';
const named = 'x⟨U+000A⟩⟨U+001B⟩[32msame⟨U+001B⟩[39m good.jsonl';
const plain = (text: string): string => text.replace(/\u001b\[\d+m/g, '');

describe('a report over a history whose names forge lines', () => {
  it('has the lines of its own alone, in a replay', () => {
    const text = replayText(
      {
        outcome: 'diverged',
        turn: forged,
        events: 3,
        at: null,
        recorded: null,
        replayed: null,
        fields: [{ path: forged, recorded: forged, replayed: null }],
        why: forged,
      },
      null,
    );
    expect(plain(text)).toBe(
      [
        `diverged turn ${named} after its last event, after 3 equal events: ${named}`,
        `  ${named}`,
        `    recorded  ${named}`,
        '    replayed  not there',
      ].join('\n'),
    );
  });

  it('has the lines of its own alone, in a check', () => {
    const text = checkLine({
      file: forged,
      events: 1,
      state: 'not_as_expected',
      expected: {
        turn: forged,
        call: forged,
        tool: forged,
        verdict: 'refuse',
        rule: forged,
        key: null,
        why: forged,
      },
      seen: null,
      why: forged,
    });
    expect(plain(text)).toBe(
      [
        `not as expected ${named}: refuse \`${named}\` (call \`${named}\`) by ${named}`,
        `  ${named}`,
      ].join('\n'),
    );
  });
});
