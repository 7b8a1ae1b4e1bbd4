/** One line of a connection, or that it is longer than it may be. */
export type Line =
  { readonly kind: 'line'; readonly bytes: Buffer } | { readonly kind: 'too_long' };

/** Splits bytes into lines. A line that grows beyond the limit is the last one: what comes after it is not read.
 * @param maxBytes without the line break */
export async function* linesOf(
  chunks: AsyncIterable<Buffer>,
  maxBytes: number,
): AsyncGenerator<Line, void, void> {
  let held: Buffer[] = [];
  let size = 0;
  for await (const chunk of chunks) {
    let from = 0;
    for (let at = chunk.indexOf(newline); at !== -1; at = chunk.indexOf(newline, from)) {
      const line = Buffer.concat([...held, chunk.subarray(from, at)]);
      held = [];
      size = 0;
      from = at + 1;
      if (line.length > maxBytes) {
        yield { kind: 'too_long' };
        return;
      }
      yield { kind: 'line', bytes: line };
    }
    const rest = chunk.subarray(from);
    size += rest.length;
    if (size > maxBytes) {
      yield { kind: 'too_long' };
      return;
    }
    if (rest.length > 0) held.push(rest);
  }
  // A last line without its break counts: the sender has said all that it will say.
  if (size > 0) yield { kind: 'line', bytes: Buffer.concat(held) };
}

const newline = 0x0a;
