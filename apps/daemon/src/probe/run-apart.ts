import { fork, type ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { AppliedConfig } from '@lockstep/policy';
import { runProbes } from './run-probes.ts';
import type { ProbeProgress, ProbesAsked } from './probes.port.ts';
import type { TrialRecord } from './trial-record.ts';

/** What probes are run on. */
export interface ProbeOrder extends ProbesAsked {
  readonly applied: AppliedConfig;
}

export interface ProbeListener {
  readonly onProgress: (progress: ProbeProgress) => void;
  /** The next trial waits until this resolves. */
  readonly onTrial: (trial: TrialRecord) => Promise<void>;
}

export interface ProbeOutcome {
  readonly turns: number;
  readonly problems: readonly string[];
}

/** Runs probes. Rejects when they cannot be run, when what listens throws, and when the signal aborts. */
export type RunApart = (
  order: ProbeOrder,
  listener: ProbeListener,
  signal: AbortSignal,
) => Promise<ProbeOutcome>;

/** What the process of the probes says. */
export type ProbeMessage =
  | { readonly kind: 'ready' }
  | { readonly kind: 'progress'; readonly progress: ProbeProgress }
  | { readonly kind: 'trial'; readonly trial: TrialRecord }
  | { readonly kind: 'done'; readonly outcome: ProbeOutcome }
  | { readonly kind: 'failed'; readonly message: string };

/** What it is told: what to do, and that a trial is recorded. */
export type ProbeReply = { readonly order: ProbeOrder } | 'recorded';

/** Here, in the caller's own process. */
export const runHere: RunApart = async (order, { onProgress, onTrial }, signal) => {
  const { applied, agent, path, setting } = order;
  const { turns, problems } = await runProbes({
    config: applied,
    agent: agent ?? undefined,
    path: path ?? undefined,
    onProgress: (done, of, what) => {
      signal.throwIfAborted();
      onProgress({ done, of, what });
    },
    record: { setting, onTrial },
  });
  return { turns, problems };
};

/** In a process of its own: nothing of the daemon's is in its reach, no secret is in its environment, and its work holds nobody up. */
export const runInProcess: RunApart = (order, listener, signal) =>
  new Promise((done, failed) => {
    const { PATH, HOME, TMPDIR } = process.env;
    const child = fork(fileURLToPath(new URL('./probe-process.js', import.meta.url)), {
      serialization: 'advanced',
      execArgv: [],
      env: { PATH, HOME, TMPDIR },
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    const end = (settle: () => void): void => {
      signal.removeEventListener('abort', stop);
      leave(child);
      settle();
    };
    const stop = (): void => {
      end(() => {
        failed(signal.reason as Error);
      });
    };
    signal.addEventListener('abort', stop);
    if (signal.aborted) stop();
    child.once('error', (error) => {
      end(() => {
        failed(error);
      });
    });
    child.once('exit', (code) => {
      end(() => {
        failed(new Error(`the process of the probes ended with ${code ?? 'a signal'}`));
      });
    });
    child.on('message', (message: ProbeMessage) => {
      answer(child, message, order, listener).then(
        (outcome) => {
          if (outcome !== null)
            end(() => {
              done(outcome);
            });
        },
        (error: unknown) => {
          end(() => {
            failed(error instanceof Error ? error : new Error(String(error), { cause: error }));
          });
        },
      );
    });
  });

/** The outcome, once it is there. */
const answer = async (
  child: ChildProcess,
  message: ProbeMessage,
  order: ProbeOrder,
  listener: ProbeListener,
): Promise<ProbeOutcome | null> => {
  switch (message.kind) {
    case 'ready':
      tell(child, { order });
      return null;
    case 'progress':
      listener.onProgress(message.progress);
      return null;
    case 'trial':
      await listener.onTrial(message.trial);
      tell(child, 'recorded');
      return null;
    case 'done':
      return message.outcome;
    case 'failed':
      throw new Error(message.message);
  }
};

const tell = (child: ChildProcess, reply: ProbeReply): void => {
  if (child.connected) child.send(reply);
};

const graceMs = 10_000;

/** It ends by itself when nobody listens any more, and removes what it made; not for ever. */
const leave = (child: ChildProcess): void => {
  if (child.connected) child.disconnect();
  if (child.exitCode !== null) return;
  const timer = setTimeout(() => child.kill('SIGKILL'), graceMs).unref();
  child.once('exit', () => {
    clearTimeout(timer);
  });
};

/** A process loads the build; sources (specs, tsx) run here. */
export const runApart: RunApart = import.meta.url.endsWith('.ts') ? runHere : runInProcess;
