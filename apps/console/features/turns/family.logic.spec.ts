import { describe, expect, it } from 'vitest';
import type { LockstepEvent } from '@lockstep/engine';
import { causeOf, eventPlace, foldChildren } from './family.logic.ts';

describe('what started a turn', () => {
  it.each([
    [{ kind: 'cron', job: 'nightly' }, 'job nightly', '/work?tab=jobs&job=nightly'],
    [
      { kind: 'sop', run: 'r-1', step: 'check', parent: 'none' },
      'step check of a procedure',
      '/work?tab=procedures&run=r-1',
    ],
    [{ kind: 'subagent', parent: 't-1' }, 'the same agent, by spawn', '/turns/t-1'],
    [{ kind: 'channel', binding: 'webhook.crm' }, 'channel webhook.crm', '/work?tab=channels'],
    [{ kind: 'rest', token: 'tok' }, 'a caller of REST', null],
    [{ kind: 'run' }, 'lockstep run', null],
  ] as const)('reads $kind with the way there', (origin, text, href) => {
    expect(causeOf(origin)).toEqual({ text, href });
  });
});

describe('the turns below a turn', () => {
  const event = (id: string, parent: string | null): LockstepEvent =>
    ({
      id: 'e-1',
      stream: `turn-${id}`,
      revision: 0,
      position: '00000000000000000009',
      type: 'CancelRequested',
      schema: 1,
      time: 5,
      data: { by: 'ana', why: 'enough' },
      meta: { agent: 'reviewer', path: 'delegate', trigger: 'bounded', session: 's', parent },
    }) as LockstepEvent;
  const empty = { items: [], next: null };

  it('leave turns of others alone', () => {
    expect(foldChildren('t-1')(empty, event('t-9', 't-8'))).toBe(empty);
    expect(foldChildren('t-1')(empty, event('t-9', null))).toBe(empty);
  });
});

it('names the turn of an event only where it is not the page', () => {
  expect([eventPlace('e', 't-1', 't-1'), eventPlace('e', 't-2', 't-1')]).toEqual([
    { event: 'e', of: null },
    { event: 'e', of: 't-2' },
  ]);
});
