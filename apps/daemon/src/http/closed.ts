import { diskMessage, type DiskState } from '../store/disk-state.ts';
import type { ForeignLog } from '../store/log-mark.ts';
import { readOnlyMessage } from '../store/read-only-store.ts';
import { ProblemError } from './problem.ts';

/** What may keep requests that change something out. */
export interface Closing {
  /** The log was restored or copied, and nobody has taken it over. */
  readonly foreign?: ForeignLog | null;
  readonly disk?: DiskState;
}

interface Asked {
  readonly method: string;
  readonly path: string;
}

/** Refuses what would write where nothing is to be written now: everything over a read-only log but signing in and taking it over, and
 * on a full disk everything but signing in, stops, decisions, and cancelling and settling calls.
 * @throws ProblemError */
export const refuseClosed = ({ foreign, disk }: Closing, asked: Asked): void => {
  if (asked.method === 'GET' || asked.method === 'HEAD' || opens(asked.path)) return;
  if (foreign !== undefined && foreign !== null) {
    if (asked.path !== '/v1/adopt') throw new ProblemError('read_only', readOnlyMessage);
    return;
  }
  const use = disk?.current();
  if (use?.level === 'full' && !isUrgent(asked.path))
    throw new ProblemError('disk_full', diskMessage(use));
};

/** Signing in and out, and what only computes. */
const opens = (path: string): boolean =>
  /^\/v1\/(?:session|session\/links|replays|bisects|config\/check|agents\/[^/]+\/explain)$/.test(
    path,
  );

const isUrgent = (path: string): boolean =>
  path === '/v1/stop' ||
  /^\/v1\/(?:approvals|questions)\/[^/]+\/(?:decision|answer)$/.test(path) ||
  /^\/v1\/turns\/[^/]+\/(?:cancel|calls\/[^/]+\/settle)$/.test(path) ||
  /^\/v1\/grants\/[^/]+$/.test(path) ||
  /^\/v1\/agents\/[^/]+\/(?:pause|resume)$/.test(path) ||
  // People decide and stop in conversations too; a new turn is refused where it would begin.
  /^\/v1\/channels\/[^/]+\/webhook$/.test(path);
