import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';

const run = promisify(execFile);
const program = fileURLToPath(new URL('replay-bare.mjs', import.meta.url));

// What is replayed was dangerous once: nothing of it may reach the world again.
describe('a replay, and one under another config', () => {
  it('touches no network, no file, no process, no timer and no clock', async () => {
    const { stdout } = await run(process.execPath, [
      '--conditions=lockstep-source',
      '--import=tsx',
      program,
    ]);
    expect(JSON.parse(stdout)).toEqual({
      touched: [],
      outcomes: ['same'],
      compared: ['beyond_horizon', 'newly_refused', 'unchanged'],
      turns: 22,
    });
  });
});
