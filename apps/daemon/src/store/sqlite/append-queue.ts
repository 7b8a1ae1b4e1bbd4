import type { WireAppend, WireResult } from './wire.ts';

/** How many groups may be with the writer: one being committed, one ready to follow. */
const groupsInFlight = 2;
/** Bounds the time that one transaction takes. */
const eventsPerGroup = 512;

interface Waiting {
  readonly append: WireAppend;
  readonly resolve: (result: WireResult) => void;
}

/** Gathers appends that arrive while the writer is busy into groups. */
export interface AppendQueue {
  add(append: WireAppend): Promise<WireResult>;
  /** Resolves when nothing waits and nothing is with the writer. */
  idle(): Promise<void>;
}

/** `send` commits one group and answers one result per append, in order. It must not reject. */
export const appendQueue = (
  send: (appends: readonly WireAppend[]) => Promise<readonly WireResult[]>,
): AppendQueue => {
  const waiting: Waiting[] = [];
  let inFlight = 0;
  let scheduled = false;
  const idleWaiters: (() => void)[] = [];

  const group = (): readonly Waiting[] => {
    let events = 0;
    let count = 0;
    for (const { append } of waiting) {
      if (count > 0 && events + append.events.length > eventsPerGroup) break;
      events += append.events.length;
      count += 1;
    }
    return waiting.splice(0, count);
  };

  const flush = async (): Promise<void> => {
    scheduled = false;
    if (waiting.length === 0 || inFlight >= groupsInFlight) return;
    inFlight += 1;
    const members = group();
    const results = await send(members.map(({ append }) => append));
    inFlight -= 1;
    for (const [i, { resolve }] of members.entries())
      resolve(results[i] ?? { kind: 'unavailable', code: 'WRITER_GONE' });
    if (waiting.length > 0) schedule();
    else if (inFlight === 0) for (const wake of idleWaiters.splice(0)) wake();
  };

  /** After the present turn of the event loop's microtasks, so that appends made together go together. */
  const schedule = (): void => {
    if (scheduled || inFlight >= groupsInFlight) return;
    scheduled = true;
    queueMicrotask(() => void flush());
  };

  return {
    add: (append) =>
      new Promise((resolve) => {
        waiting.push({ append, resolve });
        schedule();
      }),
    idle: async () => {
      if (waiting.length === 0 && inFlight === 0) return;
      await new Promise<void>((resolve) => idleWaiters.push(resolve));
    },
  };
};
