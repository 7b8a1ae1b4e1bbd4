import { enforcedKeys } from '@lockstep/policy';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { configWith } from './config.ts';
import { drivenDaemon, type DrivenDaemon } from './daemon-driver.ts';
import type { Row } from './rows/row.ts';
import { rows } from './rows/rows.ts';
import { valueOf } from './value-of.ts';

const cases = enforcedKeys.flatMap((key) =>
  rows[key].map((row: Row) => ({ key, row, name: `${key}: ${row.title}` })),
);

let driven: DrivenDaemon | null = null;
beforeAll(async () => {
  driven = await drivenDaemon(configWith({}));
});
afterAll(() => driven?.close());

describe.each(['rest', 'run'] as const)('a turn of a daemon, started over %s', (trigger) => {
  it.each(cases)('has recorded for $name', async ({ key, row }) => {
    if (driven === null) throw new Error('no daemon runs');
    const drive = driven.drivers[trigger](configWith(row.agent, row.rest), 'ada');
    if (row.refused !== undefined) {
      await expect(drive).rejects.toThrow(row.refused);
      return;
    }
    const snapshot = await drive;
    expect(valueOf(snapshot, key)).toEqual(row.expected);
  });
});
