import type { EventOf } from '../events/event.ts';
import type { JobTimes } from '../ports/ledger.ts';
import { dropRow, setRow, type LedgerState } from './ledger-state.ts';
import { settle } from './settle.ts';

const timesOf = (state: LedgerState, name: string): JobTimes =>
  state.rows.jobTimes.get(name) ?? { name, until: 0, open: null, queued: null };

/** Jobs: those that tools made, and how far the times of every job were taken. */
export const jobFolds = {
  JobAdded: (state: LedgerState, { data, time }: EventOf<'JobAdded'>): void => {
    setRow(state, 'jobs', data.name, data);
    // A new job has no past.
    const known = timesOf(state, data.name);
    setRow(state, 'jobTimes', data.name, { ...known, until: Math.max(known.until, time) });
  },
  JobRemoved: (state: LedgerState, { data }: EventOf<'JobRemoved'>): void => {
    dropRow(state, 'jobs', data.name);
  },
  JobDue: (state: LedgerState, { data }: EventOf<'JobDue'>): void => {
    const { name, agent, due, turn, sop, by } = data;
    const known = timesOf(state, name);
    // A run that a person started takes no time of the schedule.
    const until = by === 'person' ? known.until : Math.max(known.until, due);
    const run = { due, turn, sop, agent, by };
    const next = known.open === null ? { open: run } : { queued: run };
    setRow(state, 'jobTimes', name, { ...known, until, ...next });
  },
  JobSkipped: (state: LedgerState, { data, time }: EventOf<'JobSkipped'>): void => {
    const known = timesOf(state, data.name);
    const last = data.last ?? (data.more > 0 ? Math.max(data.due, time) : data.due);
    setRow(state, 'jobTimes', data.name, { ...known, until: Math.max(known.until, last) });
  },
  JobRun: (state: LedgerState, { data }: EventOf<'JobRun'>): void => {
    const known = state.rows.jobTimes.get(data.name);
    if (known === undefined) return;
    if (known.open?.turn === data.turn)
      setRow(state, 'jobTimes', data.name, { ...known, open: known.queued, queued: null });
    else if (known.queued?.turn === data.turn)
      setRow(state, 'jobTimes', data.name, { ...known, queued: null });
  },
};

const step = (
  state: LedgerState,
  event: { readonly revision: number; readonly data: { readonly run: string } },
): void => {
  const run = state.rows.sopRuns.get(event.data.run);
  if (run !== undefined) setRow(state, 'sopRuns', run.id, { ...run, revision: event.revision });
};

const openGate = (state: LedgerState, event: EventOf<'SopGateOpened'>): void => {
  step(state, event);
  const { gate, run, agent, step: call, deadline, route, notBy } = event.data;
  setRow(state, 'pending', gate, {
    id: gate,
    kind: 'gate',
    turn: run,
    agent,
    session: event.meta.session ?? '',
    call,
    revision: event.revision,
    deadline,
    state: 'pending',
    tool: 'builtin:sop_start',
    route,
    notBy,
  });
};

const endRun = (state: LedgerState, event: { readonly data: { readonly run: string } }): void => {
  dropRow(state, 'sopRuns', event.data.run);
};

/** Runs of procedures that have not ended, and their gates. */
export const sopFolds = {
  SopRunStarted: (state: LedgerState, event: EventOf<'SopRunStarted'>): void => {
    const { run, sop, parent, narrowings, scopes, depth, by } = event.data;
    const { agent } = event.meta;
    const { revision } = event;
    const row = { id: run, sop, agent, parent, narrowings, scopes, depth, by, revision };
    setRow(state, 'sopRuns', run, row);
  },
  SopGateOpened: openGate,
  SopGateVoted: step,
  SopGateDecided: (state: LedgerState, event: EventOf<'SopGateDecided'>): void => {
    step(state, event);
    settle(state, state.rows.pending.get(event.data.gate));
  },
  SopStepStarted: step,
  SopStepCompleted: step,
  SopRunCompleted: endRun,
  SopRunFailed: endRun,
};
