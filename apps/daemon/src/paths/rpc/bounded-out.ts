import type { Socket } from 'node:net';

/** Writes to a client. One that does not read is cut before what waits for it fills the memory. */
export class BoundedOut {
  readonly #socket: Socket;
  readonly #maxBytes: number;

  /** @param maxBytes how much may wait for the client */
  constructor(socket: Socket, maxBytes: number) {
    this.#socket = socket;
    this.#maxBytes = maxBytes;
  }

  /** The client takes nothing more now. */
  get isFull(): boolean {
    return this.#socket.writableNeedDrain;
  }

  send(text: string | Uint8Array): void {
    if (!this.#socket.writable) return;
    this.#socket.write(text);
    if (this.#socket.writableLength > this.#maxBytes) this.#socket.destroy();
  }

  /** Lets what was written go out, and ends this side. */
  end(): void {
    if (!this.#socket.destroyed) this.#socket.end();
  }
}
