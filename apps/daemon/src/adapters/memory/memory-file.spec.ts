import fc from 'fast-check';
import { expect, it } from 'vitest';
import { encodeRow, parseRow } from './memory-file.ts';

it('reads from a file what was written into it', () => {
  fc.assert(
    fc.property(
      fc.record({
        text: fc.oneof(
          fc.string({ unit: 'binary' }),
          fc.string().map((rest) => `---\ntags: [${rest}]\n---\n`),
        ),
        tags: fc.array(fc.string({ unit: 'binary' })),
      }),
      (row) => {
        expect(parseRow(encodeRow(row))).toEqual(row);
      },
    ),
  );
});

it('takes a head that is none as text', () => {
  expect(parseRow('---\ntags: 1\n---\nx')).toEqual({ text: '---\ntags: 1\n---\nx', tags: [] });
});
