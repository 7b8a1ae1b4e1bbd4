import { describe, expect, it } from 'vitest';
import type { LockstepEvent, SopRunRow } from '@lockstep/engine';
import {
  foldRuns,
  makerOf,
  placeOfRun,
  progressText,
  stepText,
  stepTone,
  type JobShown,
  type RunPage,
} from './work.logic.ts';

const step = (name: string, state: SopRunRow['steps'][number]['state'] = 'waiting') => ({
  ...{ name, agent: 'writer', state, gate: null, turns: [] },
  ...{ startedAt: null, endedAt: null, why: null },
});

const run = (id: string): RunPage['items'][number] => ({
  id,
  sop: 'release',
  agent: 'writer',
  status: 'running',
  trigger: 'manual',
  live: false,
  by: 'ana',
  parent: null,
  configVersion: 1,
  steps: [step('draft'), step('check')],
  startedAt: 100,
  endedAt: null,
  input: null,
  output: null,
  failure: null,
});

const event = (id: string, type: string, data: object): LockstepEvent =>
  ({
    id: 'e-1',
    stream: `sop-${id}`,
    type,
    time: 200,
    data,
    meta: { agent: 'writer' },
  }) as LockstepEvent;

const started = (id: string): LockstepEvent =>
  event(id, 'SopRunStarted', {
    ...{ run: id, sop: 'release', config: { version: 2 }, input: { inline: 'go' } },
    ...{ by: { kind: 'local', id: 'local', person: 'ana' }, trigger: 'manual', parent: null },
    scopes: [{ step: 'draft', agent: 'writer', tools: null }],
  });

describe('given runs of procedures', () => {
  const page: RunPage = { items: [run('r-1')], next: null };

  it('puts a new one first, once', () => {
    const after = [started('r-2'), started('r-2')].reduce(foldRuns, page);
    expect(after.items.map(({ id }) => id)).toEqual(['r-2', 'r-1']);
  });

  it('changes a known one where it stands, and keeps hidden what was hidden', () => {
    const opened = foldRuns(page, event('r-1', 'SopGateOpened', { step: 'check', gate: 'g-1' }));
    expect(opened.items[0]).toMatchObject({
      status: 'waiting',
      input: null,
      steps: [{ state: 'waiting' }, { state: 'gate', gate: 'g-1' }],
    });
  });

  it('leaves the list alone for other streams', () => {
    const other = { ...event('r-1', 'SopGateOpened', {}), stream: 'turn-t-1' } as LockstepEvent;
    expect(foldRuns(page, other)).toBe(page);
  });

  it('counts the steps that are done', () => {
    expect(progressText({ steps: [step('a', 'completed'), step('b', 'running')] })).toBe(
      '1 of 2 steps',
    );
  });
});

it('puts the state of a step into words and a tone', () => {
  expect(
    (['gate', 'waiting', 'invalid_output', 'denied', 'completed'] as const).map((state) => [
      stepText(state),
      stepTone(state),
    ]),
  ).toEqual([
    ['waits for a person', 'waiting'],
    ['not begun', 'neutral'],
    ['invalid output', 'bad'],
    ['denied', 'refused'],
    ['completed', 'good'],
  ]);
});

it('leads from a run of a job to its turn, or to the run of its procedure', () => {
  expect([
    placeOfRun({ turn: 't-1', sop: null }),
    placeOfRun({ turn: 'r-1', sop: 'release' }),
    placeOfRun({ turn: null, sop: null }),
  ]).toEqual(['/turns/t-1', '/work?tab=procedures&run=r-1', null]);
});

it('says who made a job', () => {
  const job = { madeBy: null } as JobShown;
  expect([
    makerOf({ ...job, kind: 'config' }),
    makerOf({ ...job, kind: 'heartbeat' }),
    makerOf({ ...job, kind: 'tool', madeBy: 'writer' }),
  ]).toEqual(['config', 'heartbeat', 'a tool of writer']);
});
