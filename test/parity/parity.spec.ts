import { enforcedKeys } from '@lockstep/policy';
import { describe, expect, it } from 'vitest';
import { configWith } from './config.ts';
import { seamDrivers, type Driver } from './driver.ts';
import { naiveValues } from './naive-config.ts';
import type { Row } from './rows/row.ts';
import { rows } from './rows/rows.ts';
import { valueOf } from './value-of.ts';

const cases = enforcedKeys.flatMap((key) =>
  rows[key].map((row: Row) => ({ key, row, name: `${key}: ${row.title}` })),
);

describe.each(Object.entries<Driver>(seamDrivers))('over %s', (_, drive) => {
  it.each(cases)('records for $name', async ({ key, row }) => {
    const snapshot = await drive(configWith(row.agent, row.rest), 'ada');
    expect(valueOf(snapshot, key)).toEqual(row.expected);
  });
});

describe('the naive reading', () => {
  it.each(cases)('says the same for $name', ({ key, row }) => {
    expect(naiveValues(configWith(row.agent, row.rest), 'ada')[key]).toEqual(row.expected);
  });
});
