import { createReadStream } from 'node:fs';
import { StringDecoder } from 'node:string_decoder';

/** One line of a file, or why no more are read. */
export type FileLine =
  | { readonly kind: 'line'; readonly text: string }
  | { readonly kind: 'stop'; readonly why: string };

export interface FileBounds {
  /** Characters of one line. */
  readonly line: number;
  /** Bytes of the whole file. */
  readonly bytes: number;
}

/** Lines of a file as a stream, without their ends. A line or a file above its bound ends it, before it is in memory.
 * @throws SystemError when the file cannot be read */
export async function* linesOfFile(path: string, bounds: FileBounds): AsyncGenerator<FileLine> {
  const decoder = new StringDecoder('utf8');
  let pending = '';
  let bytes = 0;
  for await (const chunk of createReadStream(path, { highWaterMark: 256 * 1024 })) {
    const piece = chunk as Buffer;
    bytes += piece.length;
    if (bytes > bounds.bytes) {
      yield { kind: 'stop', why: `the file has more than ${mebibytes(bounds.bytes)} MiB` };
      return;
    }
    const lines = (pending + decoder.write(piece)).split('\n');
    pending = lines.pop() ?? '';
    for (const text of lines) yield { kind: 'line', text };
    if (pending.length > bounds.line) {
      yield { kind: 'stop', why: `a line has more than ${bounds.line} characters` };
      return;
    }
  }
  const last = pending + decoder.end();
  if (last !== '') yield { kind: 'line', text: last };
}

const mebibytes = (bytes: number): number => Math.round(bytes / 1024 / 1024);
