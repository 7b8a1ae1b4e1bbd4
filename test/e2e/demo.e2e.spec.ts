import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { pathNames, settingKeys } from '@lockstep/policy';
import { rebuildLog } from '../support/log-folder.ts';
import { processFolder, type ProcessFolder } from '../support/lockstep-process.ts';

vi.setConfig({ testTimeout: 180_000, hookTimeout: 90_000 });

let place: ProcessFolder;
beforeAll(async () => {
  place = await processFolder('', '');
});
afterAll(() => place.remove());

// The words of the readme: one command, and every rule is seen at work on every path.
it('`lockstep demo --once` ends with 0 when every setting has acted on every path on which it can', async () => {
  const words = ['--json', 'demo', '--no-console', '--once', '--port', '0'];
  const { code, stdout, stderr } = await place.lockstep(words);
  const report = JSON.parse(stdout) as {
    cells: { setting: string; path: string; state: string; reason: string | null }[];
    problems: string[];
    turns: number;
  };
  expect([report.problems, code], stderr).toEqual([[], 0]);
  expect(report.cells.length).toBe(settingKeys.length * pathNames.length);
  const others = report.cells.filter(({ state }) => state !== 'acted');
  expect(
    others.map(({ setting, path, state }) => `${setting} on ${path}: ${state}`).sort(),
  ).toEqual(cannot);
  const built = await rebuildLog(join(`${place.data}-demo`, 'data'));
  expect(built.turns).toBe(report.turns);
});

/** A turn of these paths begins a conversation of its own, nobody listens to it while it works, or nothing came in on a channel. */
const cannot = [
  'channels.bindings on delegate: n/a',
  'channels.bindings on gateway: n/a',
  'channels.bindings on loop: n/a',
  'channels.bindings on rpc: n/a',
  'channels.bindings on sop: n/a',
  'context.keep_tool_results_turns on delegate: n/a',
  'context.keep_tool_results_turns on sop: n/a',
  'context.max_history_messages on delegate: n/a',
  'context.max_history_messages on sop: n/a',
  'output.stream on delegate: n/a',
];
