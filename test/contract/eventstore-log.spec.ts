import { afterAll, beforeAll } from 'vitest';
import { startLogBench, type LogBench } from '../support/eventstore-server/test-log.ts';
import { eventStoreContract } from './event-store.contract.ts';

let bench: LogBench;
beforeAll(async () => {
  bench = await startLogBench();
});
afterAll(() => {
  bench.close();
});

let opened = 0;
eventStoreContract('the protocol of EventStoreDB', () => {
  opened += 1;
  return bench.open(`contract${opened}`);
});
