import type { EventOf } from '../events/event.ts';
import { dropRow, setRow, type LedgerState } from './ledger-state.ts';

/** Jobs: those that tools made, and how far the times of every job were taken. */
export const jobFolds = {
  JobAdded: (state: LedgerState, { data }: EventOf<'JobAdded'>): void => {
    setRow(state, 'jobs', data.name, data);
  },
  JobRemoved: (state: LedgerState, { data }: EventOf<'JobRemoved'>): void => {
    dropRow(state, 'jobs', data.name);
  },
  JobDue: (state: LedgerState, { data }: EventOf<'JobDue'>): void => {
    const { name, due, turn, sop, by } = data;
    const known = state.rows.jobTimes.get(name)?.until ?? 0;
    // A run that a person started takes no time of the schedule.
    const until = by === 'person' ? known : Math.max(known, due);
    setRow(state, 'jobTimes', name, { name, until, open: { due, turn, sop } });
  },
  JobSkipped: (state: LedgerState, { data, time }: EventOf<'JobSkipped'>): void => {
    const known = state.rows.jobTimes.get(data.name);
    const last = data.more > 0 ? Math.max(data.due, time) : data.due;
    const until = Math.max(known?.until ?? 0, last);
    setRow(state, 'jobTimes', data.name, { name: data.name, until, open: known?.open ?? null });
  },
  JobRun: (state: LedgerState, { data }: EventOf<'JobRun'>): void => {
    const known = state.rows.jobTimes.get(data.name);
    if (known?.open?.turn !== data.turn) return;
    setRow(state, 'jobTimes', data.name, { ...known, open: null });
  },
};

const step = (
  state: LedgerState,
  event: { readonly revision: number; readonly data: { readonly run: string } },
): void => {
  const run = state.rows.sopRuns.get(event.data.run);
  if (run !== undefined) setRow(state, 'sopRuns', run.id, { ...run, revision: event.revision });
};

const endRun = (state: LedgerState, event: { readonly data: { readonly run: string } }): void => {
  dropRow(state, 'sopRuns', event.data.run);
};

/** Runs of procedures that have not ended. */
export const sopFolds = {
  SopRunStarted: (state: LedgerState, event: EventOf<'SopRunStarted'>): void => {
    const { run, sop, parent, narrowings, depth, by } = event.data;
    const { agent } = event.meta;
    const { revision } = event;
    setRow(state, 'sopRuns', run, { id: run, sop, agent, parent, narrowings, depth, by, revision });
  },
  SopGateOpened: step,
  SopGateVoted: step,
  SopGateDecided: step,
  SopStepStarted: step,
  SopStepCompleted: step,
  SopRunCompleted: endRun,
  SopRunFailed: endRun,
};
