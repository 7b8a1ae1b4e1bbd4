import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSqliteLog } from '@lockstep/daemon';
import { fixedClock, memoryStore } from '@lockstep/engine/testing';
import { afterAll } from 'vitest';
import { eventStoreContract } from './event-store.contract.ts';

const root = mkdtempSync(join(tmpdir(), 'lockstep-contract-'));
afterAll(() => {
  rmSync(root, { recursive: true, force: true });
});

eventStoreContract('memory', () => {
  const clock = fixedClock();
  const { store, ledger } = memoryStore({ clock, daemon: 'd1' });
  return Promise.resolve({ store, ledger, clock });
});

let opened = 0;
eventStoreContract('SQLite', async () => {
  opened += 1;
  const clock = fixedClock();
  const { store, ledger } = await openSqliteLog({ folder: join(root, String(opened)), clock });
  return { store, ledger, clock };
});
