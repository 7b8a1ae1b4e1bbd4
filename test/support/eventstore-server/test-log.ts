import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openEventStoreLog, readConnection, type EventStoreLog } from '@lockstep/daemon';
import { fixedClock, type FixedClock } from '@lockstep/engine/testing';
import { startEventStoreServer, type EventStoreServer } from './start.ts';

/** Waiting times that suit a server in the same process. */
export const quickTimings = {
  call: 2_000,
  total: 20_000,
  append: 20_000,
  show: 150,
  firstPause: 5,
  longestPause: 50,
  renew: 200,
} as const;

/** Connection of a real server, where one is given. */
const real = process.env['LOCKSTEP_TEST_EVENTSTORE'];

/** Logs on one server, the real one if there is one; each has a name of its own and begins empty. */
export interface LogBench {
  /** Null when the server is a real one. */
  readonly server: EventStoreServer | null;
  open(name: string, folder?: string): Promise<EventStoreLog & { readonly clock: FixedClock }>;
  /** A new data folder. */
  folder(): string;
  close(): void;
}

export const startLogBench = async (
  options: Parameters<typeof startEventStoreServer>[0] = {},
): Promise<LogBench> => {
  const server = real === undefined ? await startEventStoreServer(options) : null;
  const text = real ?? server?.connection ?? '';
  const root = mkdtempSync(join(tmpdir(), 'lockstep-eventstore-'));
  const run = `${Date.now()}`;
  let folders = 0;
  const folder = (): string => {
    folders += 1;
    return join(root, String(folders));
  };
  return {
    server,
    folder,
    open: async (name, at = folder()) => {
      const clock = fixedClock();
      const opened = await openEventStoreLog({
        folder: at,
        connection: readConnection(text, 'the connection'),
        clock,
        name: `${name}-${run}`,
        timings: quickTimings,
      });
      return { ...opened, clock };
    },
    close: () => {
      server?.close();
      rmSync(root, { recursive: true, force: true });
    },
  };
};
