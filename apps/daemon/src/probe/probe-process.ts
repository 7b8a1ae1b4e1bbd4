import { runHere, type ProbeMessage, type ProbeOrder, type ProbeReply } from './run-apart.ts';

/** The process that probes are run in: one order, then it ends. */

const gone = new AbortController();
process.on('disconnect', () => {
  gone.abort(new Error('nobody listens any more'));
});

const say = (message: ProbeMessage): void => {
  if (process.connected) process.send?.(message);
};

let recorded: (() => void) | null = null;

const listener = {
  onProgress: (progress: Extract<ProbeMessage, { kind: 'progress' }>['progress']): void => {
    say({ kind: 'progress', progress });
  },
  onTrial: (trial: Extract<ProbeMessage, { kind: 'trial' }>['trial']): Promise<void> =>
    new Promise((done, failed) => {
      gone.signal.addEventListener('abort', () => {
        failed(new Error('nobody listens any more'));
      });
      recorded = done;
      say({ kind: 'trial', trial });
    }),
};

const run = async (order: ProbeOrder): Promise<void> => {
  try {
    const outcome = await runHere(order, listener, gone.signal);
    say({ kind: 'done', outcome });
  } catch (thrown) {
    const message = thrown instanceof Error ? thrown.message : String(thrown);
    say({ kind: 'failed', message });
  }
};

process.on('message', (reply: ProbeReply) => {
  if (reply === 'recorded') recorded?.();
  else void run(reply.order);
});
say({ kind: 'ready' });
