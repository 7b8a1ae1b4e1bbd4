import { describe, expect, it } from 'vitest';
import type { InboxRow, LockstepEvent } from '@lockstep/engine';
import {
  arm,
  countdown,
  deciderText,
  decisionBody,
  foldRequests,
  isArmedFor,
  mergeRequests,
  neighbour,
  narrowestScope,
  routeText,
  selectedOf,
  viewLines,
  votesText,
  whyNotMe,
  type Request,
} from './approvals.logic.ts';
import { foldWaiting, waitingOf } from './waiting.logic.ts';

const by = { principal: 'local', person: 'ana', surface: 'console' } as const;
const digest = 'a'.repeat(64);

const request = (id: string, change: Partial<Request> = {}): Request => ({
  id,
  kind: 'approval',
  turn: 't1',
  agent: 'researcher',
  path: 'loop',
  trigger: 'run',
  session: 's1',
  principal: 'local:local',
  person: null,
  call: 'c1',
  tool: 'builtin:file_edit',
  operands: [],
  rule: 'approval.always_ask',
  pattern: 'builtin:file_edit',
  why: 'it is always asked for',
  view: 'tool: builtin:file_edit',
  shown: digest,
  choices: ['once', 'always', 'deny'],
  binding: digest,
  grantable: true,
  revision: 4,
  askedAt: 100,
  deadline: 1000,
  state: 'pending',
  decidedAt: null,
  decidedBy: null,
  reason: null,
  route: 'inbox',
  notBy: null,
  votes: null,
  cut: false,
  ...change,
});

const inInbox = (row: Request): InboxRow => ({ ...row, view: { inline: row.view ?? '' } });

const event = (fact: Pick<LockstepEvent, 'type' | 'data'>, revision: number): LockstepEvent =>
  ({
    id: '00000000-0000-7000-8000-000000000001',
    stream: 'turn-t1',
    revision,
    position: String(revision).padStart(20, '0'),
    schema: 1,
    time: 500,
    meta: {
      agent: 'researcher',
      path: 'loop',
      trigger: 'run',
      principal: { kind: 'local', id: 'local', person: null },
      session: 's1',
      turn: 't1',
      root: 't1',
      parent: null,
      chain: [],
      correlation: 't1',
      causation: null,
      attempt: 1,
      epoch: 0,
      agentSeq: 1,
      daemon: 'd1',
      build: 'test',
    },
    ...fact,
  }) as LockstepEvent;

const granted = event(
  {
    type: 'ApprovalGranted',
    data: {
      approval: 'r1',
      call: 'c1',
      by,
      choice: 'once',
      binding: digest,
      shown: digest,
      grant: null,
    },
  },
  5,
);
const asked = event(
  {
    type: 'QuestionAsked',
    data: {
      question: 'r9',
      call: 'c2',
      text: { inline: 'Which one?' },
      choices: ['a', 'b'],
      deadline: 'never',
    },
  },
  6,
);

describe('given an inbox with two requests', () => {
  const page = { items: [request('r1'), request('r2')], next: null };

  it('keeps a decided request in its place, with its end', () => {
    expect(foldRequests(page, granted)).toEqual({
      items: [
        request('r1', { state: 'granted', decidedBy: by, decidedAt: 500, reason: 'once' }),
        request('r2'),
      ],
      next: null,
    });
  });

  it('adds a new request last, with its text', () => {
    const after = foldRequests(page, asked);
    expect(after === 'read again' ? after : after.items.map(({ id, view }) => [id, view])).toEqual([
      ['r1', 'tool: builtin:file_edit'],
      ['r2', 'tool: builtin:file_edit'],
      ['r9', 'Which one?'],
    ]);
  });

  it('asks the daemon for a text that stands outside the event', () => {
    const outside = event(
      {
        type: 'QuestionAsked',
        data: {
          question: 'r8',
          call: 'c2',
          text: { artifact: digest, bytes: 90_000 },
          choices: [],
          deadline: 'never',
        },
      },
      7,
    );
    expect(foldRequests(page, outside)).toBe('read again');
  });

  it('keeps what was decided through a new reading, and drops what it no longer knows to wait', () => {
    const decided = { items: [request('r1', { state: 'denied' }), request('r2')], next: null };
    const read = { items: [request('r3')], next: null };
    expect(mergeRequests(decided, read).items.map(({ id }) => id)).toEqual(['r1', 'r3']);
  });

  it('counts what waits, and from when', () => {
    const rows = [request('r1', { askedAt: 300 }), request('r2', { askedAt: 200 })].map(inInbox);
    expect(waitingOf(rows)).toEqual({ count: 2, oldest: 200 });
    expect(waitingOf([])).toEqual({ count: 0, oldest: null });
  });

  it('no longer counts what is decided', () => {
    const inbox = page.items.map(inInbox);
    expect(foldWaiting(inbox, granted).map(({ id }) => id)).toEqual(['r2']);
  });

  it('looks at the request that is named, and else at the first that waits', () => {
    const rows = [request('r1', { state: 'denied' }), request('r2'), request('r3')];
    expect([
      selectedOf(rows, 'r1')?.id,
      selectedOf(rows, null)?.id,
      selectedOf(rows, 'gone'),
    ]).toEqual(['r1', 'r2', null]);
  });

  it('moves by one and stops at the ends', () => {
    expect([
      neighbour(page.items, 'r1', 1),
      neighbour(page.items, 'r2', 1),
      neighbour(page.items, 'r1', -1),
    ]).toEqual(['r2', 'r2', 'r1']);
  });
});

describe('given a choice that waits to be confirmed', () => {
  const armed = arm(request('r1'), 'once');

  it('stands for the very request that was on the screen', () => {
    expect(isArmedFor(armed, request('r1'))).toBe(true);
  });

  it('falls when another request, another revision or another text is looked at, or it was decided', () => {
    expect([
      isArmedFor(armed, request('r2')),
      isArmedFor(armed, request('r1', { revision: 5 })),
      isArmedFor(armed, request('r1', { shown: 'b'.repeat(64) })),
      isArmedFor(armed, request('r1', { state: 'denied' })),
      isArmedFor(armed, null),
    ]).toEqual([false, false, false, false, false]);
  });

  it('cannot be made where the request does not offer it', () => {
    expect([
      arm(request('r1', { choices: ['once', 'deny'] }), 'always'),
      arm(request('r1', { state: 'expired' }), 'once'),
      arm(request('r1', { kind: 'question', choices: ['once'] }), 'once'),
    ]).toEqual([null, null, null]);
  });

  it('can be made for a gate, and an edit for what is too long to be shown but not for what several decide on', () => {
    const votes = { required: 2, by: [] };
    expect([
      arm(request('r1', { kind: 'gate', choices: ['once', 'deny'] }), 'once')?.choice,
      arm(request('r1', { cut: true, choices: ['deny'] }), 'edit')?.choice,
      arm(request('r1', { kind: 'gate', choices: ['once', 'deny'] }), 'edit'),
      arm(request('r1', { votes }), 'edit'),
      arm(request('r1', { cut: true, choices: ['deny'] }), 'once'),
    ]).toEqual(['once', 'edit', null, null, null]);
  });

  it('sends scope with always alone, guidance with deny alone, and arguments with an edit alone', () => {
    const fields = [{ at: '/path', below: 'notes' }];
    const scope = { ...narrowestScope, kind: 'agent', arguments: 'fields', fields } as const;
    const more = { scope, guidance: ' use a copy ', edited: { path: 'b' } } as const;
    const any = { ...scope, arguments: 'any', anyone: true } as const;
    const base = { id: 'r1', revision: 4, shown: digest };
    expect([
      decisionBody({ ...base, choice: 'once' }, more),
      decisionBody({ ...base, choice: 'always' }, more),
      decisionBody({ ...base, choice: 'always' }, { ...more, scope: any }),
      decisionBody({ ...base, choice: 'deny' }, more),
      decisionBody({ ...base, choice: 'edit' }, more),
    ]).toEqual([
      { choice: 'once', revision: 4, shown: digest },
      {
        ...{ choice: 'always', revision: 4, shown: digest },
        scope: { kind: 'agent', arguments: 'fields', fields, anyone: false },
      },
      {
        ...{ choice: 'always', revision: 4, shown: digest },
        scope: { kind: 'agent', arguments: 'any', anyone: true },
      },
      { choice: 'deny', revision: 4, shown: digest, guidance: 'use a copy' },
      { choice: 'once', revision: 4, shown: digest, arguments: { path: 'b' } },
    ]);
  });
});

it('presses in the last two minutes before a deadline', () => {
  expect([
    countdown('never', 0),
    countdown(300_000, 0),
    countdown(100_000, 0),
    countdown(100_000, 100_000),
  ]).toEqual([
    { leftMs: null, urgency: 'calm' },
    { leftMs: 300_000, urgency: 'calm' },
    { leftMs: 100_000, urgency: 'soon' },
    { leftMs: 0, urgency: 'over' },
  ]);
});

it('says who decided and where', () => {
  const token = { ...by, person: null, principal: '01a22d97-f348-7000-bf62-e62664593a15' };
  expect([deciderText(by), deciderText(token), deciderText(null)]).toEqual([
    'ana (console)',
    'token …64593a15 (console)',
    'nobody',
  ]);
});

it('takes for a diff only what stands under its own line', () => {
  expect(viewLines('tool: x\n-not\nchange:\n-old\n+new')).toEqual([
    { kind: 'same', text: 'tool: x' },
    { kind: 'same', text: '-not' },
    { kind: 'same', text: 'change:' },
    { kind: 'del', text: '-old' },
    { kind: 'add', text: '+new' },
  ]);
});

it('says whom a request asks', () => {
  expect(
    [null, 'inbox', 'people:ana', 'role:operator', 'channel:slack.team/C1'].map(routeText),
  ).toEqual([
    'any approver',
    'any approver',
    'ana, and nobody else',
    'whoever holds the role operator',
    'whoever may approve in the conversation slack.team/C1',
  ]);
});

it('counts votes and names who gave them', () => {
  expect([votesText({ required: 2, by: [] }), votesText({ required: 2, by: [by] })]).toEqual([
    '0 of 2',
    '1 of 2: ana (console)',
  ]);
});

describe('who looks at a request', () => {
  const ana = { principal: '01a22d97', person: 'ana' };
  const script = { principal: '01a22d98', person: null };
  const votes = { required: 2, by: [by, { ...by, ...script }] };

  it('is told when it may not decide', () => {
    expect([
      whyNotMe(request('r1', { notBy: 'ana' }), ana),
      whyNotMe(request('r1', { notBy: 'token:01a22d98' }), script),
      whyNotMe(request('r1', { votes }), ana),
      whyNotMe(request('r1', { votes }), script),
      whyNotMe(request('r1', { route: 'people:ben' }), ana),
      whyNotMe(request('r1', { route: 'channel:slack.team/C1' }), ana),
    ]).toEqual([
      'You asked for this work, so you may not decide on it: four eyes are wanted.',
      'You asked for this work, so you may not decide on it: four eyes are wanted.',
      'You said yes already. Others are still wanted.',
      'You said yes already. Others are still wanted.',
      'This is for ben to decide.',
      'This is decided in its conversation, not here.',
    ]);
  });

  it('is told nothing when the request says nothing against it', () => {
    expect([
      whyNotMe(request('r1', { notBy: 'ben' }), ana),
      whyNotMe(request('r1', { votes }), { ...ana, person: 'ben' }),
      whyNotMe(request('r1', { route: 'people:ana' }), ana),
    ]).toEqual([null, null, null]);
  });
});
