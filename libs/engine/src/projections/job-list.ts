import type { LockstepEvent } from '../events/event.ts';
import type { JobRow, JobRunRow } from './job-list.view.ts';
import type { KeyedProjection } from './projection.ts';

/** How many times of each job are kept. */
const keptRuns = 20;

/** Jobs and their last times, by name: what the schedule itself says stands in config and in the ledger. */
export const jobList: KeyedProjection<JobRow> = {
  name: 'jobs',
  version: 1,
  types: ['JobAdded', 'JobRemoved', 'JobDue', 'JobSkipped', 'JobRun'],
  keyOf: (event) => (event.stream.startsWith('job-') ? event.stream.slice('job-'.length) : null),
  fold: (known, event) => {
    const row = known ?? newRow(event);
    return row === null ? null : { ...row, ...change(row, event), lastAt: event.time };
  },
  columns: (row) => ({ agent: row.agent, last: row.lastAt }),
};

const newRow = (event: LockstepEvent): JobRow | null => {
  const agent = 'agent' in event.data ? event.data.agent : event.meta.agent;
  if (typeof agent !== 'string') return null;
  return {
    name: event.stream.slice('job-'.length),
    agent,
    madeBy: null,
    madeAt: null,
    removedAt: null,
    runs: [],
    counts: { completed: 0, failed: 0, skipped: 0 },
    lastAt: event.time,
  };
};

const change = (row: JobRow, event: LockstepEvent): Partial<JobRow> => {
  if (event.type === 'JobAdded')
    return {
      agent: event.data.agent,
      madeBy: event.data.person ?? event.data.by,
      madeAt: event.time,
      removedAt: null,
    };
  if (event.type === 'JobRemoved') return { removedAt: event.time };
  if (event.type === 'JobDue') {
    const { due, turn, sop, late, by, agent } = event.data;
    const run = { due, state: 'running', turn, sop, late, by, more: 0 } as const;
    return { agent, runs: kept(row, { ...run, at: event.time, endedAt: null }) };
  }
  if (event.type === 'JobSkipped') {
    const { due, more, why, agent } = event.data;
    const run = { due, state: why, turn: null, sop: null, late: false, more } as const;
    return {
      agent,
      runs: kept(row, { ...run, by: 'schedule', at: event.time, endedAt: event.time }),
      counts: { ...row.counts, skipped: row.counts.skipped + 1 + more },
    };
  }
  if (event.type !== 'JobRun') return {};
  const { turn, outcome } = event.data;
  const good = outcome === 'completed';
  return {
    runs: row.runs.map((run) =>
      run.turn === turn ? { ...run, state: outcome, endedAt: event.time } : run,
    ),
    counts: {
      ...row.counts,
      completed: row.counts.completed + (good ? 1 : 0),
      failed: row.counts.failed + (good ? 0 : 1),
    },
  };
};

const kept = (row: JobRow, run: JobRunRow): readonly JobRunRow[] =>
  [run, ...row.runs].slice(0, keptRuns);
