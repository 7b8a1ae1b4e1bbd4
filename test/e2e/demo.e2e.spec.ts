import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { enforcedKeys } from '@lockstep/policy';
import { rebuildLog } from '../support/log-folder.ts';
import { processFolder, type ProcessFolder } from '../support/lockstep-process.ts';

vi.setConfig({ testTimeout: 180_000, hookTimeout: 90_000 });

let place: ProcessFolder;
beforeAll(async () => {
  place = await processFolder('', '');
});
afterAll(() => place.remove());

// The words of the readme: one command, and every rule is seen at work on every path.
it('`lockstep demo --once` ends with 0 when every enforced setting has acted on every path', async () => {
  const words = ['--json', 'demo', '--no-console', '--once', '--port', '0'];
  const { code, stdout, stderr } = await place.lockstep(words);
  const report = JSON.parse(stdout) as {
    bites: Record<string, Record<string, number>>;
    quiet: unknown[];
    turns: number;
  };
  expect([report.quiet, code], stderr).toEqual([[], 0]);
  expect(Object.keys(report.bites)).toEqual(['gateway', 'loop']);
  for (const bites of Object.values(report.bites))
    expect(enforcedKeys.filter((key) => !((bites[key] ?? 0) > 0))).toEqual([]);
  const built = await rebuildLog(join(`${place.data}-demo`, 'data'));
  expect(built.turns).toBe(report.turns);
});
