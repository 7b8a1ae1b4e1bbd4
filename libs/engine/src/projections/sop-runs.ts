import type { EventOf, LockstepEvent } from '../events/event.ts';
import { sopPayloads } from '../events/sop-events.ts';
import type { KeyedProjection } from './projection.ts';
import type { SopRunRow, SopStepRow } from './sop-runs.view.ts';
import { lineOf } from './titles/said.ts';

type SopEventType = keyof typeof sopPayloads;
const types = Object.keys(sopPayloads) as readonly SopEventType[];

/** Runs of procedures, by id. */
export const sopRuns: KeyedProjection<SopRunRow> = {
  name: 'sop-runs',
  version: 1,
  types,
  keyOf: (event) => (event.stream.startsWith('sop-') ? event.stream.slice('sop-'.length) : null),
  fold: (row, event) => {
    if (event.type === 'SopRunStarted') return row ?? newRow(event);
    return row === null ? null : { ...row, ...change(row, event) };
  },
  columns: (row) => ({
    agent: row.agent,
    sop: row.sop,
    status: row.status,
    trigger: row.trigger,
    started: row.startedAt,
  }),
};

const newRow = (event: EventOf<'SopRunStarted'>): SopRunRow => {
  const { run, sop, trigger, parent, by, config, input, scopes } = event.data;
  return {
    id: run,
    sop,
    agent: event.meta.agent ?? scopes[0]?.agent ?? '',
    status: 'running',
    trigger,
    live: parent !== null,
    by: by.person ?? `${by.kind}:${by.id}`,
    parent,
    configVersion: config.version,
    steps: scopes.map(({ step, agent }) => ({
      name: step,
      agent,
      state: 'waiting',
      gate: null,
      turns: [],
      startedAt: null,
      endedAt: null,
      why: null,
    })),
    startedAt: event.time,
    endedAt: null,
    input: lineOf(input),
    output: null,
    failure: null,
  };
};

const change = (row: SopRunRow, event: LockstepEvent): Partial<SopRunRow> => {
  if (event.type === 'SopGateOpened') {
    const { step, gate } = event.data;
    return { status: 'waiting', steps: withStep(row, step, { state: 'gate', gate }) };
  }
  if (event.type === 'SopGateDecided') {
    const { step, outcome, why } = event.data;
    return { status: 'running', steps: withStep(row, step, { state: outcome, why }) };
  }
  if (event.type === 'SopStepStarted') {
    const { step, turn } = event.data;
    const known = row.steps.find(({ name }) => name === step);
    const turns = [...(known?.turns ?? []), turn];
    const startedAt = known?.startedAt ?? event.time;
    return { steps: withStep(row, step, { state: 'running', turns, startedAt, why: null }) };
  }
  if (event.type === 'SopStepCompleted') {
    const { step, outcome, why } = event.data;
    return { steps: withStep(row, step, { state: outcome, why, endedAt: event.time }) };
  }
  if (event.type === 'SopRunCompleted')
    return { status: 'completed', endedAt: event.time, output: lineOf(event.data.output) };
  if (event.type !== 'SopRunFailed') return {};
  const { code, message } = event.data;
  return { status: 'failed', endedAt: event.time, failure: { code, message } };
};

const withStep = (
  row: SopRunRow,
  name: string,
  changed: Partial<SopStepRow>,
): readonly SopStepRow[] =>
  row.steps.map((step) => (step.name === name ? { ...step, ...changed } : step));
