import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Runs the built command with a reader that closes both outputs before anything is written. */
const unread = (args: readonly string[]): Promise<number | null> =>
  new Promise((done) => {
    const child = spawn(process.execPath, ['apps/daemon/bin/lockstep.mjs', ...args], {
      cwd: root,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    child.stdout.destroy();
    child.stderr.destroy();
    child.on('exit', done);
  });

describe('given a reader that has gone before a command prints', () => {
  it.each([
    [1, ['replay', '--file', 'examples/divergence/history.jsonl']],
    [0, ['replay', '--file', 'test/replay/fixtures/demo-loop.jsonl']],
  ] as const)('still says what was found by exit code %i', async (code, args) => {
    expect(await unread(args)).toBe(code);
  });
});
