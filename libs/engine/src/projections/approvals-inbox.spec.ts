import { digestOfText } from '@lockstep/policy';
import { describe, expect, it } from 'vitest';
import type { LockstepEvent, TurnFact } from '../events/event.ts';
import { asked, granted, opening } from '../monitors/fixture/facts.ts';
import { begun, streamOf } from '../monitors/fixture/stream.ts';
import { calls } from '../monitors/fixture/turn.ts';
import { approvalsInbox } from './approvals-inbox.ts';
import type { InboxRow } from './approvals-inbox.view.ts';

/** All rows after the events, by key. */
const inboxAfter = (facts: readonly TurnFact[]): Readonly<Record<string, InboxRow>> => {
  const rows: Record<string, InboxRow> = {};
  for (const event of streamOf(facts) as readonly LockstepEvent[]) {
    const key = approvalsInbox.keyOf(event);
    const row = key === null ? null : approvalsInbox.fold(rows[key] ?? null, event);
    if (key !== null && row !== null) rows[key] = row;
  }
  return rows;
};

const request = [...opening(), ...asked(calls.fetch, 'approval.autonomy')];
const by = { principal: 'token:tok-2', person: 'ben', surface: 'console' } as const;
const question: TurnFact = {
  type: 'QuestionAsked',
  data: {
    question: 'q-1',
    call: 'c9',
    text: { inline: 'Which one?' },
    choices: ['a', 'b'],
    deadline: begun + 900_000,
  },
};

describe('the inbox', () => {
  it('shows a request as the approver needs it', () => {
    expect(inboxAfter(request)).toEqual({
      'ap-c4': {
        id: 'ap-c4',
        kind: 'approval',
        turn: 't-1',
        agent: 'researcher',
        path: 'gateway',
        trigger: 'rest',
        session: 's-1',
        principal: 'token:tok-1',
        person: 'ana',
        call: 'c4',
        tool: 'builtin:http_fetch',
        operands: calls.fetch.facts.operands,
        rule: 'approval.autonomy',
        pattern: null,
        why: 'as the policy says',
        view: { inline: 'builtin:http_fetch' },
        shown: digestOfText('builtin:http_fetch'),
        choices: ['once', 'always', 'deny'],
        binding: expect.stringMatching(/^[0-9a-f]{64}$/),
        grantable: true,
        revision: 2,
        askedAt: begun + 2_000,
        deadline: begun + 900_000,
        state: 'pending',
        decidedAt: null,
        decidedBy: null,
        reason: null,
        route: 'inbox',
        notBy: null,
        votes: null,
        cut: false,
      },
    });
  });

  it('offers no standing grant where the policy always asks', () => {
    const rows = inboxAfter([...opening(), ...asked(calls.edit, 'approval.always_ask')]);
    expect(rows['ap-c5']).toMatchObject({ choices: ['once', 'deny'], grantable: false });
  });

  it.each<[string, TurnFact, Partial<InboxRow>]>([
    ['granted', granted(calls.fetch, true), { state: 'granted', decidedBy: by, reason: 'always' }],
    [
      'denied',
      {
        type: 'ApprovalDenied',
        data: {
          approval: 'ap-c4',
          call: 'c4',
          by,
          guidance: { inline: 'use the cache' },
          shown: digestOfText('x'),
        },
      },
      { state: 'denied', decidedBy: by, reason: 'use the cache' },
    ],
    [
      'expired',
      { type: 'ApprovalExpired', data: { approval: 'ap-c4', call: 'c4', deadline: 1, now: 2 } },
      { state: 'expired', decidedBy: null, reason: 'nobody answered in time' },
    ],
    [
      'closed with its turn',
      {
        type: 'ApprovalClosed',
        data: { approval: 'ap-c4', call: 'c4', reason: 'turn_cancelled', why: 'cancelled by ana' },
      },
      { state: 'closed', decidedBy: null, reason: 'cancelled by ana' },
    ],
  ])('ends a request that is %s, and the first end stands', (_, end, expected) => {
    const later: TurnFact = {
      type: 'ApprovalClosed',
      data: { approval: 'ap-c4', call: 'c4', reason: 'turn_ended', why: 'later' },
    };
    const rows = inboxAfter([...request, end, later]);
    expect(rows['ap-c4']).toMatchObject({ ...expected, decidedAt: begun + 3_000 });
  });

  it('keeps a question beside approvals', () => {
    const answered: TurnFact = {
      type: 'QuestionAnswered',
      data: { question: 'q-1', call: 'c9', by, text: { inline: 'a' } },
    };
    expect(inboxAfter([...opening(), question])['q-1']).toMatchObject({
      kind: 'question',
      state: 'pending',
      choices: ['a', 'b'],
      shown: digestOfText('Which one?'),
    });
    expect(inboxAfter([...opening(), question, answered])['q-1']).toMatchObject({
      state: 'answered',
      reason: 'a',
      decidedBy: by,
    });
  });

  it('counts the votes of a gate that takes several, and says who may not decide on it', () => {
    const gate: LockstepEvent['data'] = {
      run: 'r-1',
      step: 'ship',
      gate: 'g-1',
      agent: 'researcher',
      view: { inline: 'ship it?' },
      shown: digestOfText('ship it?'),
      route: 'role:operator',
      deadline: 'never',
      required: 2,
      notBy: 'ana',
    };
    const vote = { run: 'r-1', gate: 'g-1', by, choice: 'once' };
    const event = (type: string, data: unknown): LockstepEvent =>
      ({ ...streamOf(opening())[0], stream: 'sop-r-1', type, data }) as LockstepEvent;
    const opened = approvalsInbox.fold(null, event('SopGateOpened', gate));
    const row = approvalsInbox.fold(opened, event('SopGateVoted', vote));
    expect(row).toMatchObject({
      id: 'g-1',
      kind: 'gate',
      state: 'pending',
      route: 'role:operator',
      notBy: 'ana',
      votes: { required: 2, by: [by] },
    });
  });

  it('makes no row from a decision about a request that it never saw', () => {
    expect(inboxAfter([...opening(), granted(calls.fetch, false)])).toEqual({});
  });
});
