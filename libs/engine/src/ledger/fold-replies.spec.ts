import { describe, expect, it } from 'vitest';
import type { Fact, LockstepEvent } from '../events/event.ts';
import { positionOf } from '../log/stamp.ts';
import { foldLedger } from './fold-ledger.ts';
import { ledgerOf } from './ledger-of.ts';
import { emptyLedger, freezeLedger, thawLedger } from './ledger-state.ts';

const session = 'session-ana-telegram-1';
const principal = { kind: 'peer', id: 'telegram.main/7', person: null } as const;
const to = { binding: 'telegram.main', conversation: '55', thread: null, message: '9' };

let position = 0;
const event = (stream: string, fact: Fact, time = 1_000): LockstepEvent => {
  position += 1;
  const meta = {
    agent: 'ana',
    path: 'channel' as const,
    trigger: 'telegram' as const,
    principal,
    session,
    turn: stream.startsWith('turn-') ? stream.slice(5) : null,
    root: null,
    parent: null,
    chain: [],
    correlation: 'c',
    causation: null,
    attempt: 1,
    daemon: 'd1',
    build: 'b',
    epoch: 0,
    agentSeq: position,
  };
  const envelope = { id: 'i', stream, revision: position, position: positionOf(position), time };
  return { ...envelope, schema: 1, meta, ...fact };
};

const opened = event(session, { type: 'SessionOpened', data: { agent: 'ana', owner: principal } });
const accepted = (turn: string, replies: boolean): LockstepEvent =>
  event(session, {
    type: 'MessageAccepted',
    data: {
      message: `m-${turn}`,
      turn,
      text: { inline: 'hello' },
      idempotency: null,
      ...(replies ? { replyTo: to } : {}),
    },
  });
const cancelled = (turn: string): LockstepEvent =>
  event(`turn-${turn}`, { type: 'TurnCancelled', data: { by: 'x', why: 'y', activeMs: 0 } });
const started = (turn: string, attempt: number, time: number): LockstepEvent =>
  event(
    `turn-${turn}`,
    { type: 'ReplyDeliveryStarted', data: { delivery: 'd', to: 'x', attempt } },
    time,
  );
const failed = (turn: string, retryAt: number | null): LockstepEvent =>
  event(`turn-${turn}`, {
    type: 'ReplyDeliveryFailed',
    data: { delivery: 'd', to: 'x', why: 'no', retryAt },
  });

const ledger = (...events: readonly LockstepEvent[]) => {
  const state = events.reduce(foldLedger, emptyLedger());
  // What a restart reads is what was folded.
  return ledgerOf(thawLedger(freezeLedger(state)));
};

describe('given a message that came by a channel', () => {
  it('owes a reply from its acceptance on, and one that came otherwise owes none', () => {
    const owed = ledger(opened, accepted('t1', true), accepted('t2', false)).owedReplies();
    expect(owed).toEqual([
      { turn: 't1', session, to, ended: false, sending: null, attempts: 0, retryAt: null },
    ]);
  });

  it('keeps each try: on its way, failed until its time, and settled', () => {
    const begun = [opened, accepted('t1', true), cancelled('t1'), started('t1', 1, 5_000)];
    expect(ledger(...begun).owedReply('t1')).toMatchObject({
      ended: true,
      sending: { delivery: 'd', attempt: 1, since: 5_000 },
      attempts: 1,
    });
    expect(ledger(...begun, failed('t1', 9_000)).owedReply('t1')).toMatchObject({
      sending: null,
      attempts: 1,
      retryAt: 9_000,
    });
    expect(ledger(...begun, failed('t1', null)).owedReply('t1')).toBeNull();
    const delivered = event('turn-t1', {
      type: 'ReplyDelivered',
      data: { delivery: 'd', to: 'x', receipt: null },
    });
    expect(ledger(...begun, delivered).owedReply('t1')).toBeNull();
  });

  it('owes nothing when it was taken back before its turn began', () => {
    const dropped = event(session, {
      type: 'MessageDropped',
      data: { message: 'm-t1', why: 'cancelled' },
    });
    expect(ledger(opened, accepted('t1', true), dropped).owedReplies()).toEqual([]);
  });
});
