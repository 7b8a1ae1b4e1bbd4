import {
  sopRuns,
  type JobRunRow,
  type LockstepEvent,
  type SopRunRow,
  type SopStepRow,
  type StepTone,
} from '@lockstep/engine';

export interface ChannelRow {
  readonly binding: string;
  readonly kind: string;
  readonly owner: string | null;
  readonly state: 'starting' | 'running' | 'reconnecting' | 'failed' | 'stopped';
  readonly since: number;
  readonly error: string | null;
}

export const channelTone: Readonly<Record<ChannelRow['state'], StepTone>> = {
  starting: 'neutral',
  running: 'good',
  reconnecting: 'waiting',
  failed: 'bad',
  stopped: 'neutral',
};

interface OpenRun {
  readonly due: number;
  readonly turn: string;
  readonly sop: string | null;
}

export interface JobShown {
  readonly name: string;
  readonly kind: 'config' | 'tool' | 'heartbeat';
  readonly agent: string;
  readonly schedule: string;
  readonly timezone: string;
  readonly enabled: boolean;
  readonly next: readonly number[];
  readonly open: OpenRun | null;
  readonly queued: OpenRun | null;
  readonly madeBy: string | null;
  readonly runs: readonly JobRunRow[];
}

/** Who made a job. */
export const makerOf = ({ kind, madeBy }: JobShown): string => {
  switch (kind) {
    case 'config':
      return 'config';
    case 'heartbeat':
      return 'heartbeat';
    case 'tool':
      return madeBy === null ? 'a tool' : `a tool of ${madeBy}`;
  }
};

export const runTone = (state: JobRunRow['state']): StepTone => {
  switch (state) {
    case 'running':
      return 'neutral';
    case 'completed':
      return 'good';
    case 'failed':
      return 'bad';
    case 'cancelled':
    case 'refused':
    case 'missed':
    case 'overlap':
    case 'stopped':
    case 'adopted':
      return 'refused';
  }
};

/** Where a run of a job can be looked at; null for a time that was skipped. */
export const placeOfRun = ({ turn, sop }: Pick<JobRunRow, 'turn' | 'sop'>): string | null => {
  if (turn === null) return null;
  return sop === null ? `/turns/${turn}` : `/work?tab=procedures&run=${turn}`;
};

/** A run whose texts the reader's role may not show. */
export type ShownRun = Omit<SopRunRow, 'input'> & { readonly input: string | null };

export interface RunPage {
  readonly items: readonly ShownRun[];
  readonly next: string | null;
}

/** Runs after one more event: a new one stands first, a known one changes where it stands. */
export const foldRuns = (page: RunPage, event: LockstepEvent): RunPage => {
  const id = sopRuns.keyOf(event);
  if (id === null) return page;
  const known = page.items.find((row) => row.id === id) ?? null;
  if (known !== null && event.type === 'SopRunStarted') return page;
  const before = known === null ? null : { ...known, input: known.input ?? '' };
  const after = sopRuns.fold(before, event);
  if (after === null) return page;
  if (known === null) return { ...page, items: [after, ...page.items] };
  const next: ShownRun = { ...after, input: known.input };
  return { ...page, items: page.items.map((row) => (row === known ? next : row)) };
};

export const sopTone: Readonly<Record<SopRunRow['status'], StepTone>> = {
  running: 'neutral',
  waiting: 'waiting',
  completed: 'good',
  failed: 'bad',
};

export const stepTone = (state: SopStepRow['state']): StepTone => {
  if (state === 'gate') return 'waiting';
  if (state === 'completed' || state === 'granted') return 'good';
  if (state === 'waiting' || state === 'running') return 'neutral';
  return state === 'failed' || state === 'invalid_output' ? 'bad' : 'refused';
};

/** A step's state in words. */
export const stepText = (state: SopStepRow['state']): string =>
  state === 'gate'
    ? 'waits for a person'
    : state === 'waiting'
      ? 'not begun'
      : state.replaceAll('_', ' ');

/** How far a run is: steps done, of how many. */
export const progressText = ({ steps }: Pick<SopRunRow, 'steps'>): string =>
  `${steps.filter(({ state }) => state === 'completed').length} of ${steps.length} steps`;
