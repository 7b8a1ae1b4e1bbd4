import type { Ledger } from '@lockstep/engine';
import { skipAdopted } from './work/skip-adopted.ts';
import type { Core } from './open-core.ts';
import type { ForeignLog } from './store/log-mark.ts';

/** What is open in a log, and goes on once it is taken over. */
export interface OpenItems {
  readonly turns: number;
  readonly messages: number;
  readonly waiting: number;
  readonly replies: number;
  readonly procedures: number;
}

export const openItems = (ledger: Ledger): OpenItems => ({
  turns: ledger.openTurns().length,
  messages: ledger.waitingMessages().length,
  waiting: ledger.pending().length,
  replies: ledger.owedReplies().length,
  procedures: ledger.sopRuns().length,
});

/** Takes a log over: times of jobs that passed elsewhere are skipped, then the take-over is recorded. Its open items are for recovery,
 * which knows no difference between a crash and another machine. */
export const adoptLog = async (
  parts: Pick<Core, 'store' | 'ledger' | 'config' | 'clock' | 'ids' | 'identity' | 'recorder'>,
  { host, incarnation }: ForeignLog,
  by: string,
): Promise<void> => {
  const jobs = await skipAdopted(parts);
  const turns = parts.ledger.openTurns().length;
  const data = { by, fromHost: host, fromIncarnation: incarnation, turns, jobs };
  await parts.recorder.record('daemon', [{ type: 'LogAdopted', data }], { principal: null });
};
