import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { StoreError, type StoreErrorCode } from '../store-error.ts';
import type { WriterReply, WriterRequest } from './wire.ts';

/** The writer's thread as the main thread sees it: one reply per request, in order. */
export interface WriterThread {
  readonly position: number;
  readonly generation: string;
  /** Null when the thread is gone. */
  request(request: WriterRequest): Promise<WriterReply | null>;
  close(): Promise<void>;
}

/** Starts the thread and opens the log in it.
 * @throws StoreError when the log cannot be opened */
export const startWriter = async (path: string): Promise<WriterThread> => {
  const worker = await newWorker(path);
  const waiting: ((reply: WriterReply | null) => void)[] = [];
  let gone = false;
  let failure: unknown = null;
  const opening = new Promise<WriterReply | null>((resolve) => waiting.push(resolve));
  worker.on('message', (reply: WriterReply) => {
    waiting.shift()?.(reply);
  });
  const lose = (): void => {
    gone = true;
    for (const resolve of waiting.splice(0)) resolve(null);
  };
  worker.on('error', (error) => {
    failure = error;
    lose();
  });
  worker.on('exit', lose);
  const request = (message: WriterRequest): Promise<WriterReply | null> =>
    new Promise((resolve) => {
      if (gone) {
        resolve(null);
        return;
      }
      waiting.push(resolve);
      worker.postMessage(message);
    });
  const opened = await opening;
  if (opened?.kind !== 'opened') throw refusal(opened, path, failure);
  return {
    position: opened.position,
    generation: opened.generation,
    request,
    close: async () => {
      await request({ kind: 'close' });
      await worker.terminate();
    },
  };
};

const refusal = (reply: WriterReply | null, path: string, cause: unknown): Error => {
  if (reply?.kind !== 'refused')
    return new StoreError('store_unavailable', `the writer of \`${path}\` did not start`, {
      cause,
    });
  if (reply.code === null) return new Error(reply.message);
  return new StoreError(reply.code as StoreErrorCode, reply.message);
};

/** The build runs as it is. Sources (specs, tsx) cannot: a worker inherits no loader, so they are bundled once a process. */
const newWorker = async (path: string): Promise<Worker> => {
  const workerData = { path };
  if (!import.meta.url.endsWith('.ts'))
    return new Worker(new URL('./writer.worker.js', import.meta.url), { workerData, execArgv: [] });
  bundled ??= bundle(new URL('./writer.worker.ts', import.meta.url));
  return new Worker(await bundled, { eval: true, workerData, execArgv: [] });
};

let bundled: Promise<string> | null = null;

const bundle = async (entry: URL): Promise<string> => {
  const { build } = await import('esbuild');
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(entry)],
    bundle: true,
    write: false,
    platform: 'node',
    format: 'cjs',
    external: ['better-sqlite3'],
    banner: {
      js: `require = require('node:module').createRequire(${JSON.stringify(entry.href)});`,
    },
  });
  return outputFiles[0]?.text ?? '';
};
