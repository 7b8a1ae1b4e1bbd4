import { ndJsonStream, type Stream } from '@agentclientprotocol/sdk';
import type { Socket } from 'node:net';
import { BoundedOut } from './bounded-out.ts';

/** What a client of the socket said first: the agent that it speaks to; the rest is ACP. */
export interface AcpOpening {
  readonly first: Buffer;
  readonly rest: AsyncGenerator<Buffer, void, void>;
}

/** Reads the first line of a client. Null when it says none within the limit. */
export const readOpening = async (socket: Socket, maxBytes: number): Promise<AcpOpening | null> => {
  const chunks = socket.iterator({ destroyOnReturn: false }) as AsyncIterableIterator<Buffer>;
  let held = Buffer.alloc(0);
  for (;;) {
    const next = await chunks.next();
    if (next.done === true) return null;
    held = Buffer.concat([held, next.value]);
    const end = held.indexOf(newline);
    if (end === -1 && held.length <= maxBytes) continue;
    if (end === -1 || end > maxBytes) return null;
    return { first: held.subarray(0, end), rest: after(held.subarray(end + 1), chunks) };
  }
};

const newline = 0x0a;

async function* after(
  first: Buffer,
  chunks: AsyncIterableIterator<Buffer>,
): AsyncGenerator<Buffer, void, void> {
  if (first.length > 0) yield first;
  yield* chunks;
}

/** The rest of a connection as the SDK reads and writes it; a client that does not read is cut. */
export const acpStream = (
  socket: Socket,
  rest: AcpOpening['rest'],
  limits: { readonly line: number; readonly unread: number },
): Stream => {
  const out = new BoundedOut(socket, limits.unread);
  const readable = new ReadableStream<Uint8Array>({
    pull: async (controller) => {
      const next = await rest.next();
      if (next.done === true) controller.close();
      else controller.enqueue(next.value);
    },
    cancel: () => {
      out.end();
    },
  });
  const writable = new WritableStream<Uint8Array>({
    write: (bytes) => {
      out.send(bytes);
    },
    close: () => {
      out.end();
    },
  });
  return ndJsonStream(writable, readable, { maxMessageBytes: limits.line });
};
