import type { Origin, Principal } from '@lockstep/policy';
import type { LedgerState } from './ledger-state.ts';

/** Who asks where this principal begins something: the person, else the identity. Behind a job stands who made it, or who brought the
 * config in which it last changed. */
export const askerOf = (state: LedgerState, principal: Principal, origin: Origin): string => {
  const { kind, id, person } = principal;
  if (person !== null) return person;
  // A sender decides under the very name that it writes under, `<channel>/<sender>`.
  if (origin.kind === 'channel') return id;
  if (kind !== 'job') return `${kind}:${id}`;
  const job = state.rows.jobs.get(id);
  if (job !== undefined) return job.person ?? job.by;
  const changed = lastChange(state, id);
  return changed === undefined ? `job:${id}` : (changed.person ?? changed.data.by);
};

/** Name of a heartbeat's job, before its agent's. */
const heartbeat = 'heartbeat-';

/** The newest config that says something else of a job than the one before it. */
const lastChange = ({ rows }: LedgerState, job: string) => {
  const entries = [`cron.${job}`];
  if (job.startsWith(heartbeat)) entries.push(`heartbeat.${job.slice(heartbeat.length)}`);
  return [...rows.configs.values()]
    .sort((a, b) => b.data.version - a.data.version)
    .find(({ data }) =>
      data.diff.some(({ path }) => entries.some((entry) => isWithin(path, entry))),
    );
};

/** Whether a change of one key changes an entry, or may: where much changed, whole tables stand for their keys. */
const isWithin = (path: string, entry: string): boolean =>
  path === entry || path.startsWith(`${entry}.`) || entry.startsWith(`${path}.`);
