import { parentPort, workerData } from 'node:worker_threads';
import { sqliteCode, StoreError, storeError } from '../store-error.ts';
import { openLogForWriting, readInfo } from './log-schema.ts';
import { LogWriter } from './log-writer.ts';
import { packResults, unpackAppends } from './wire-pack.ts';
import type { WriterReply, WriterRequest } from './wire.ts';

// INVARIANT: this thread loads no schemas and no framework, so that it costs little memory.
const port = parentPort;
if (port === null) throw new Error('the log writer runs in a worker thread');
const { path } = workerData as { readonly path: string };

const reply = (message: WriterReply): void => {
  port.postMessage(message);
};

const answer = (writer: LogWriter, request: WriterRequest): void => {
  switch (request.kind) {
    case 'appends':
      reply({
        kind: 'appended',
        results: packResults(writer.commit(unpackAppends(request.appends))),
      });
      return;
    case 'checkpoint':
      reply({ kind: 'checkpointed', ok: writer.checkpoint(request.checkpoint) });
      return;
    case 'close':
      writer.close();
      reply({ kind: 'closed' });
      port.close();
      return;
  }
};

try {
  const db = openLogForWriting(path);
  const writer = new LogWriter(db);
  const generation = readInfo(db, 'generation') ?? '';
  port.on('message', (request: WriterRequest) => {
    answer(writer, request);
  });
  reply({ kind: 'opened', position: writer.position, generation });
} catch (error) {
  const told = storeError(error, path);
  reply({
    kind: 'refused',
    name: told instanceof Error ? told.name : 'Error',
    code: told instanceof StoreError ? told.code : sqliteCode(error),
    message: told instanceof Error ? told.message : String(told),
  });
  port.close();
}
