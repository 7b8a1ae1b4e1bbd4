import { describe, expect, it } from 'vitest';
import { waitsBelow, waitText } from './waits.logic.ts';

const asked = (id: string, turn: string, kind: 'approval' | 'gate' = 'approval', at = 1) => ({
  id,
  kind,
  agent: 'helper',
  turn,
  askedAt: at,
  state: 'pending' as const,
});
const open = [
  { id: 'top', parent: null },
  { id: 'child', parent: 'top' },
  { id: 'grandchild', parent: 'child' },
  { id: 'other', parent: null },
];
const runs = [{ id: 'run', parent: { turn: 'child', call: 'c' } }];
const none: ReadonlySet<string> = new Set();

const requests = (id: string, inbox: ReturnType<typeof asked>[], apart = none) =>
  waitsBelow(id, { inbox, open, runs, apart }).map(({ request }) => request);

describe('given turns below a turn', () => {
  it('names the requests of all of them, the oldest first', () => {
    const inbox = [asked('late', 'grandchild', 'approval', 9), asked('early', 'child')];
    expect(requests('top', inbox)).toEqual(['early', 'late']);
  });

  it('leaves its own requests to itself, and those of others alone', () => {
    expect(requests('top', [asked('own', 'top'), asked('else', 'other')])).toEqual([]);
  });

  it('names the gate of a procedure that was started below', () => {
    expect(requests('top', [asked('gate', 'run', 'gate')])).toEqual(['gate']);
    expect(requests('other', [asked('gate', 'run', 'gate')])).toEqual([]);
  });

  it('does not wait for a child that works in the background, nor for what is below it', () => {
    expect(requests('top', [asked('x', 'grandchild')], new Set(['child']))).toEqual([]);
  });

  it('ends where parents go round in a circle', () => {
    const circle = [
      { id: 'a', parent: 'b' },
      { id: 'b', parent: 'a' },
    ];
    expect(
      waitsBelow('top', { inbox: [asked('x', 'a')], open: circle, runs: [], apart: none }),
    ).toEqual([]);
  });

  it('leaves out what was decided', () => {
    const decided = { ...asked('x', 'child'), state: 'granted' as const };
    expect(waitsBelow('top', { inbox: [decided], open, runs, apart: none })).toEqual([]);
  });
});

it('says what is waited for', () => {
  const wait = { request: 'r', agent: 'helper', by: 't', since: 0 };
  expect(
    (['approval', 'question', 'gate'] as const).map((kind) => waitText({ ...wait, kind })),
  ).toEqual([
    'helper asks for approval',
    'helper asks a question',
    'a procedure stands at a gate before a step of helper',
  ]);
});
