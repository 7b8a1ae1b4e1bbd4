import { openSqliteLog } from '@lockstep/daemon';
import type { ExpectedRevision } from '@lockstep/engine';
import { sequentialIds } from '@lockstep/engine/testing';
import { steered } from './sample-events.ts';

// Appends without end and prints the id of every acknowledged event, until somebody kills this process.
const folder = process.argv[2] ?? '';
const { store } = await openSqliteLog({ folder, clock: { now: () => 1_767_225_600_000 } });
const ids = sequentialIds('6');

const writer = async (stream: string): Promise<void> => {
  for (let expected: ExpectedRevision = 'no-stream'; ;) {
    const batch = [
      steered(ids, 'ana', 'x'.repeat(200)),
      steered(ids, 'bob', 'y'),
      steered(ids, 'bob', 'z'),
    ] as const;
    const result = await store.append(stream, batch, expected);
    if (!result.ok) throw new Error(result.reason);
    process.stdout.write(result.events.map(({ id }) => `${id}\n`).join(''));
    expected = result.revision;
  }
};
await Promise.all(Array.from({ length: 16 }, (_, i) => writer(`turn-${i}`)));
