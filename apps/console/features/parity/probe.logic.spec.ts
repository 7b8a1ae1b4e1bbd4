import { describe, expect, it } from 'vitest';
import { concernsCell, progressOf, type ProbeRun } from './probe.logic.ts';

const run: ProbeRun = {
  id: 'p',
  status: 'running',
  agent: null,
  path: 'loop',
  setting: null,
  started: 0,
  ended: null,
  progress: { done: 2, of: 7, what: 'a forbidden file' },
  tried: 9,
  recorded: 4,
  problems: [],
  failure: null,
  turns: [],
};
const aim = { agent: 'writer', path: 'loop', setting: 'tools.denied' };

describe('given a run of probes', () => {
  it.each([
    [run, true],
    [{ ...run, path: 'rpc' }, false],
    [{ ...run, setting: 'tools.denied' }, true],
    [{ ...run, setting: 'tools.allowed' }, false],
    [{ ...run, agent: 'reader' }, false],
  ])('says something of the cells that it was aimed at', (one, concerns) => {
    expect(concernsCell(one, aim)).toBe(concerns);
  });

  it('says something of a cell of all agents, whichever it was aimed at', () => {
    expect(concernsCell({ ...run, agent: 'reader' }, { ...aim, agent: null })).toBe(true);
  });

  it.each([
    [run, '2 of 7 attacks done: a forbidden file'],
    [{ ...run, progress: { done: 0, of: 0, what: '' } }, 'the probes are being laid out'],
    [{ ...run, status: 'completed' as const }, '9 turns tried, 4 kept as evidence'],
    [{ ...run, status: 'failed' as const, failure: 'no room' }, 'the probes failed: no room'],
  ])('says how far it is', (one, said) => {
    expect(progressOf(one)).toBe(said);
  });
});
