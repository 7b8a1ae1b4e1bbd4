import { spawn } from 'node:child_process';
import { expect, it } from 'vitest';

const preload = new URL('../../bin/end-with-parent.mjs', import.meta.url).href;
const server = "require('node:http').createServer().listen(0, () => process.stdout.write('up'))";

it('given a server whose parent goes away, the preload of the console ends it', async () => {
  const child = spawn(process.execPath, ['--import', preload, '-e', server], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  await new Promise((up) => child.stdout.once('data', up));
  expect([child.exitCode, child.signalCode]).toEqual([null, null]);
  // What the system does for a parent that was killed.
  child.stdin.destroy();
  expect(await new Promise((end) => child.once('exit', end))).toBe(0);
});
