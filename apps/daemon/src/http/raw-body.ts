import { Transform, type TransformCallback } from 'node:stream';
import type { FastifyInstance, FastifyRequest } from 'fastify';

const bodies = new WeakMap<object, Buffer[]>();

/** Where a signature is over the bytes of the body. */
const signed = /^\/v1\/channels\/[^/]+\/webhook(?:\?|$)/;

/** Passes the bytes on and keeps them. Fastify counts them by `receivedEncodedLength`, which holds the limit of a body. */
class Kept extends Transform {
  receivedEncodedLength = 0;
  readonly #chunks: Buffer[];

  constructor(chunks: Buffer[]) {
    super();
    this.#chunks = chunks;
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    this.receivedEncodedLength += chunk.length;
    this.#chunks.push(chunk);
    done(null, chunk);
  }
}

/** Keeps the bytes of bodies that are signed. */
export const keepRawBodies = (server: FastifyInstance): void => {
  server.addHook('preParsing', (request, _reply, payload, done) => {
    if (!signed.test(request.url)) {
      done(null, payload);
      return;
    }
    const chunks: Buffer[] = [];
    bodies.set(request.raw, chunks);
    const kept = new Kept(chunks);
    payload.on('error', (error) => kept.destroy(error));
    done(null, payload.pipe(kept));
  });
};

/** The bytes of a signed request's body, as they came. */
export const rawBody = (request: FastifyRequest): Buffer =>
  Buffer.concat(bodies.get(request.raw) ?? []);
