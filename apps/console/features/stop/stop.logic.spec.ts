import { describe, expect, it } from 'vitest';
import type { LockstepEvent } from '@lockstep/engine';
import { foldStops, stopOf, stopWhat, type StopState } from './stop.logic.ts';

const none: StopState = { stops: [], pauses: [] };
const event = (type: string, data: object, agent: string | null = null): LockstepEvent =>
  ({ type, data, time: 500, meta: { agent } }) as LockstepEvent;
const set = (agent: string | null) =>
  event('EmergencyStopSet', { agent, by: 'ana', why: 'it runs wild' });
const flag = (agent: string | null) => ({ agent, by: 'ana', why: 'it runs wild', since: 500 });

describe('stops and pauses', () => {
  it('come and go with their events, each once', () => {
    const stopped = [set(null), set('writer'), set(null)].reduce(foldStops, none);
    expect(stopped).toEqual({ stops: [flag(null), flag('writer')], pauses: [] });
    const cleared = foldStops(stopped, event('EmergencyStopCleared', { agent: null, by: 'ben' }));
    expect(cleared.stops).toEqual([flag('writer')]);
  });

  it('hold pauses apart, by the agent of the event', () => {
    const paused = foldStops(none, event('AgentPaused', { by: 'ana', why: 'a look' }, 'writer'));
    expect(paused).toEqual({
      stops: [],
      pauses: [{ agent: 'writer', by: 'ana', why: 'a look', since: 500 }],
    });
    expect(foldStops(paused, event('AgentResumed', { by: 'ana' }, 'writer'))).toEqual(none);
  });

  it('are left alone by other events', () => {
    expect(foldStops(none, event('DaemonStopped', { why: 'x' }))).toBe(none);
  });
});

it('finds the stop that holds an agent: its own before that of all', () => {
  const both: StopState = { stops: [flag(null), flag('writer')], pauses: [] };
  expect([stopOf(both, 'writer')?.agent, stopOf(both, 'reader')?.agent, stopOf(none, 'x')]).toEqual(
    ['writer', null, null],
  );
  expect([stopWhat(flag(null)), stopWhat(flag('writer'))]).toEqual([
    'Every agent is stopped',
    'writer is stopped',
  ]);
});
