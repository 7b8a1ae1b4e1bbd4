import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { linesOf } from './line-reader.ts';

const read = async (chunks: readonly Buffer[], most: number): Promise<string[]> => {
  async function* given(): AsyncGenerator<Buffer, void, void> {
    yield* await Promise.resolve(chunks);
  }
  const lines: string[] = [];
  for await (const line of linesOf(given(), most))
    lines.push(line.kind === 'too_long' ? '<too long>' : line.bytes.toString('latin1'));
  return lines;
};

describe('given bytes in any pieces', () => {
  it('reads the same lines', async () => {
    const line = fc
      .string({ maxLength: 20, unit: 'binary-ascii' })
      .map((s) => s.replaceAll('\n', ''));
    await fc.assert(
      fc.asyncProperty(fc.array(line), fc.array(fc.nat(40)), async (lines, cuts) => {
        const bytes = Buffer.from(lines.map((l) => `${l}\n`).join(''), 'latin1');
        const chunks: Buffer[] = [];
        let at = 0;
        for (const size of cuts) {
          chunks.push(bytes.subarray(at, at + size));
          at += size;
        }
        chunks.push(bytes.subarray(at));
        expect(await read(chunks, 20)).toEqual(lines);
      }),
    );
  });

  it('reads a last line without its break', async () => {
    expect(await read([Buffer.from('a\nb')], 9)).toEqual(['a', 'b']);
  });

  it.each([
    ['in one piece', [Buffer.from('ok\n123456\nlater\n')]],
    ['in several, before its break has come', [Buffer.from('ok\n123'), Buffer.from('456')]],
  ])('stops at a line that is too long, %s', async (_, chunks) => {
    expect(await read(chunks, 5)).toEqual(['ok', '<too long>']);
  });
});
