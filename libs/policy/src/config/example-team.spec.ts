import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { warningsIn } from './parse-config.fixture.ts';

it('accepts the example team without a warning', () => {
  const file = new URL('../../../../examples/team/lockstep.toml', import.meta.url);
  expect(warningsIn(readFileSync(file, 'utf8'))).toEqual([]);
});
