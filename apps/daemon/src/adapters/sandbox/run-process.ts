import { spawn } from 'node:child_process';
import { ToolFailure } from '../tools/tool-failure.ts';
import type { Spawn } from './bubblewrap.ts';
import type { KeptOutput } from './kept-output.ts';

export interface ProcessEnd {
  readonly code: number | null;
  /** Name of the signal that ended it. */
  readonly signal: string | null;
}

/** Runs a process in a group of its own to its end. All that is left of the group is killed with it, and when the signal says so.
 * @throws ToolFailure when it cannot be started */
export const runProcess = (
  { command, args, env }: Spawn,
  work: {
    readonly cwd: string;
    readonly stdin: string | null;
    readonly output: KeptOutput;
    readonly signal: AbortSignal;
  },
): Promise<ProcessEnd> =>
  new Promise((done, failed) => {
    const { cwd, stdin, output, signal } = work;
    if (signal.aborted) {
      failed(new ToolFailure('unavailable', 'the call was cancelled'));
      return;
    }
    const child = spawn(command, args, {
      cwd,
      env: { ...env },
      detached: true,
      stdio: [stdin === null ? 'ignore' : 'pipe', 'pipe', 'pipe'],
    });
    const kill = (): void => {
      if (child.pid !== undefined) killGroup(child.pid);
    };
    signal.addEventListener('abort', kill, { once: true });
    child.stdout?.on('data', (chunk: Buffer) => {
      output.push(chunk);
    });
    child.stderr?.on('data', (chunk: Buffer) => {
      output.push(chunk);
    });
    // A process may end without reading what it is given.
    child.stdin?.on('error', () => undefined);
    child.stdin?.end(stdin ?? '');
    child.once('error', (error) => {
      signal.removeEventListener('abort', kill);
      failed(new ToolFailure('unavailable', `the process cannot be started: ${error.message}`));
    });
    // What it left behind would hold its output open.
    child.once('exit', kill);
    child.once('close', (code, ended) => {
      signal.removeEventListener('abort', kill);
      done({ code, signal: ended });
    });
  });

const killGroup = (pid: number): void => {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // The group is gone.
  }
};
