import type { Clock, EventStore, Ids, Ledger } from '@lockstep/engine';
import type { CurrentConfig } from '../config/current-config.port.ts';
import { jobPrincipal } from '../paths/loop/cron.path.ts';
import { LogUnavailableError } from '../record-fact.ts';
import type { DaemonIdentity } from '../tokens.ts';
import { JobBook, type BookedJob } from './job-book.ts';
import { JobLog } from './job-log.ts';
import { countUpTo, lastUpTo } from './timing.ts';

interface Parts {
  readonly store: EventStore;
  readonly ledger: Ledger;
  readonly config: CurrentConfig;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly identity: DaemonIdentity;
}

const mostCounted = 1_000;

/** Skips every time that passed while the log lay elsewhere, whatever the job says of missed times. Resolves with how many jobs
 * missed one.
 * @throws LogUnavailableError when the log takes no writes */
export const skipAdopted = async (parts: Parts): Promise<number> => {
  const log = new JobLog(parts);
  let jobs = 0;
  for (const job of new JobBook(parts).all()) {
    const skipped = missedOf(job, parts);
    if (skipped === null) continue;
    const { name, agent, kind } = job;
    const trigger = kind === 'heartbeat' ? 'heartbeat' : 'cron';
    const recorded = await log.record(
      name,
      [{ type: 'JobSkipped', data: { name, agent, ...skipped, why: 'adopted' } }],
      { agent, trigger, principal: jobPrincipal(name), turn: null },
    );
    if (recorded === null) throw new LogUnavailableError('skipped times cannot be recorded now');
    jobs += 1;
  }
  return jobs;
};

const missedOf = (
  { name, timing, enabled, from }: BookedJob,
  { ledger, clock }: Parts,
): { readonly due: number; readonly more: number; readonly last: number } | null => {
  if (!enabled || timing === null) return null;
  const now = clock.now();
  const until = Math.max(ledger.jobTimes(name)?.until ?? 0, from);
  const due = timing.next(until);
  if (due === null || due > now) return null;
  const last = lastUpTo(timing, until, now) ?? due;
  const count = countUpTo(timing, { after: until, upTo: last, most: mostCounted + 1 });
  return { due, more: count - 1, last };
};
