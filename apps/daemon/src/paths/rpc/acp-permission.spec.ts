import { describe, expect, it } from 'vitest';
import type { Asked } from '../shared/asked.ts';
import { decisionIn, longestView, permissionRequest } from './acp-permission.ts';

type Approval = Extract<Asked, { readonly kind: 'approval' }>;

const approval: Approval = {
  kind: 'approval',
  id: 'ap-1',
  turn: 't-1',
  agent: 'alpha',
  call: 'c-1',
  tool: 'builtin:file_write',
  why: 'supervised',
  view: 'write note.txt',
  shown: 'a'.repeat(64),
  revision: 7,
  deadline: 'never',
  choices: ['once', 'always', 'deny'],
};
const choices = (given: Approval): string[] =>
  permissionRequest('s', given).options.map(({ optionId }) => optionId);
const selected = (optionId: string) => ({ outcome: { outcome: 'selected' as const, optionId } });

describe('given an approval', () => {
  it('offers what the policy lets be granted', () => {
    expect(choices(approval)).toEqual(['once', 'always', 'deny']);
    expect(choices({ ...approval, choices: ['once', 'deny'] })).toEqual(['once', 'deny']);
  });

  it('can only be denied where it is not shown whole', () => {
    const whole = { ...approval, view: 'x'.repeat(longestView) };
    const cut = { ...approval, view: 'x'.repeat(longestView + 1) };
    expect(choices(whole)).toEqual(['once', 'always', 'deny']);
    expect(choices(cut)).toEqual(['deny']);
    expect(JSON.stringify(permissionRequest('s', cut))).toContain('lockstep approvals show ap-1');
  });
});

describe('given the answer of a client', () => {
  const asked = permissionRequest('s', approval);

  it('decides what was chosen, about what was shown', () => {
    const brought = { revision: 7, shown: approval.shown };
    expect(decisionIn(selected('once'), asked, approval)).toEqual({ choice: 'once', ...brought });
    expect(decisionIn(selected('deny'), asked, approval)).toEqual({ choice: 'deny', ...brought });
    expect(decisionIn(selected('always'), asked, approval)).toEqual({
      choice: 'always',
      scope: { kind: 'session', arguments: 'exact', anyone: false },
      ...brought,
    });
  });

  it('decides nothing by cancelling, or by an option that was not offered', () => {
    const narrow = permissionRequest('s', { ...approval, choices: ['once', 'deny'] });
    expect(decisionIn({ outcome: { outcome: 'cancelled' } }, asked, approval)).toBeNull();
    expect(decisionIn(selected('always'), narrow, approval)).toBeNull();
    expect(decisionIn(selected('sudo'), asked, approval)).toBeNull();
  });
});
