import { describe, expect, it } from 'vitest';
import type { Fact, LockstepEvent, NewEvent, TurnAnswer } from '@lockstep/engine';
import { fixedClock, memoryStore, plainMasker, sequentialIds } from '@lockstep/engine/testing';
import type { Channel, Outgoing, Sent } from './channel.port.ts';
import { Replies } from './replies.ts';

const session = 'session-alpha-telegram-1';
const principal = { kind: 'peer', id: 'telegram.main/7', person: null } as const;
const origin = { kind: 'channel', binding: 'telegram.main' } as const;
const to = { binding: 'telegram.main', conversation: '55', thread: null, message: '9' };
const request = { agent: 'alpha', principal, session, origin, client: 'none' } as const;

const meta = (turn: string | null): NewEvent['meta'] => ({
  agent: 'alpha',
  path: 'channel',
  trigger: 'telegram',
  principal,
  session,
  turn,
  root: turn,
  parent: null,
  chain: [],
  correlation: 'm1',
  causation: null,
  attempt: 1,
  daemon: 'd1',
  build: 'test',
});

/** A turn that was refused, so that a reply is owed; and further facts of its stream. */
const owed = async (...more: readonly Fact[]) => {
  const clock = fixedClock();
  const memory = memoryStore({ clock, daemon: 'd1' });
  const ids = sequentialIds('e');
  const event = (fact: Fact, turn: string | null): NewEvent => ({
    ...fact,
    id: ids.next(),
    schema: 1,
    meta: meta(turn),
  });
  await memory.store.append(
    session,
    [
      event({ type: 'SessionOpened', data: { agent: 'alpha', owner: principal } }, null),
      event(
        {
          type: 'MessageAccepted',
          data: {
            message: 'm1',
            turn: 't1',
            text: { inline: 'hello' },
            idempotency: null,
            replyTo: to,
          },
        },
        null,
      ),
    ],
    'no-stream',
  );
  const refused: readonly [Fact, ...Fact[]] = [
    {
      type: 'TurnRequested',
      data: {
        request,
        records: {},
        config: { version: 1, digest: 'a'.repeat(64) },
        path: 'channel',
        trigger: 'telegram',
        input: { inline: 'hello' },
        message: 'm1',
        history: [],
      },
    },
    { type: 'TurnRefused', data: { code: 'stopped', problems: [], shown: 'work is stopped' } },
    ...more,
  ];
  const [first, ...rest] = refused.map((fact) => event(fact, 't1'));
  if (first === undefined) throw new Error('there is a first event');
  await memory.store.append('turn-t1', [first, ...rest], 'no-stream');
  return { ...memory, clock, ids };
};

const answer: TurnAnswer = {
  id: 't1',
  status: 'refused',
  session,
  agent: 'alpha',
  path: 'channel',
  reply: null,
  reason: 'work is stopped',
  usage: { inputTokens: 0, outputTokens: 0, tokens: 0, cost: 0, modelCalls: 0, toolCalls: 0 },
  approvals: [],
  position: '0'.repeat(20),
};

/** Takes up what is owed on a channel that sends as told, and answers what came to the log once nothing more happens. */
const taken = async (
  given: Awaited<ReturnType<typeof owed>>,
  channel: { readonly knowsRepeats: Channel['knowsRepeats']; readonly sends?: readonly Sent[] },
) => {
  const before = given.events().length;
  const sent: Outgoing[] = [];
  const outcomes = [...(channel.sends ?? [])];
  const alarms: number[] = [];
  const send = (message: Outgoing): Promise<Sent> => {
    sent.push(message);
    return Promise.resolve(outcomes.shift() ?? { ok: true, receipt: 'r1' });
  };
  const running: Channel = {
    start: () => Promise.resolve(),
    stop: () => Promise.resolve(),
    send,
    limit: 100,
    knowsRepeats: channel.knowsRepeats,
  };
  const replies = new Replies(
    {
      ...given,
      identity: { id: 'd2', build: 'test' },
      masker: plainMasker(),
      alarms: {
        at: (time) => {
          alarms.push(time);
          return () => undefined;
        },
      },
      turns: { answer: () => Promise.resolve(answer) },
      log: { warn: () => undefined, error: () => undefined },
    },
    { channel: () => running, isKnown: () => true, send: (_binding, message) => send(message) },
  );
  replies.takeUp(null);
  await replies.stop();
  const told = given
    .events()
    .slice(before)
    .map(({ type, data }: LockstepEvent) => [type, data]);
  return { sent, told, alarms };
};

const begun: Fact = {
  type: 'ReplyDeliveryStarted',
  data: { delivery: 'x', to: 'telegram.main/55', attempt: 1 },
};

describe('given a reply whose sending an earlier run began and did not see the end of', () => {
  it('is shown as unknown, and not sent again, where the platform knows no repeats', async () => {
    const { sent, told } = await taken(await owed(begun), { knowsRepeats: 'never' });
    expect(sent).toEqual([]);
    expect(told).toEqual([
      [
        'ReplyDeliveryFailed',
        {
          delivery: expect.any(String),
          to: 'telegram.main/55',
          why: 'the daemon ended while the reply was on its way: whether it arrived is unknown',
          retryAt: null,
        },
      ],
    ]);
  });

  it('is sent again under the same id where the platform drops repeats, within the time that it knows them', async () => {
    const first = await taken(await owed(), { knowsRepeats: 'always' });
    const again = await taken(await owed(begun), { knowsRepeats: 'always' });
    expect(again.sent.map(({ id }) => id)).toEqual(first.sent.map(({ id }) => id));
    expect(again.told).toMatchObject([
      ['ReplyDeliveryStarted', { attempt: 2 }],
      ['ReplyDelivered', { receipt: 'r1' }],
    ]);
    const late = await owed(begun);
    late.clock.advance(60_000);
    expect((await taken(late, { knowsRepeats: 60_000 })).sent).toEqual([]);
    const early = await owed(begun);
    early.clock.advance(59_999);
    expect((await taken(early, { knowsRepeats: 60_000 })).sent).toHaveLength(1);
  });
});

describe('given a reply', () => {
  it('says no more of a refusal than what is for the sender', async () => {
    const { sent } = await taken(await owed(), { knowsRepeats: 'never' });
    expect(sent).toMatchObject([{ kind: 'reply', to, turn: 't1', text: 'work is stopped' }]);
    expect(sent[0]?.id.length).toBeLessThanOrEqual(25);
  });

  it('is tried again when the platform wants it, not before', async () => {
    const given = await owed();
    const limit: Sent = { ok: false, why: 'limit', final: false, retryAfterMs: 30_000 };
    const { told, alarms } = await taken(given, { knowsRepeats: 'never', sends: [limit] });
    const retryAt = given.clock.now() + 30_000;
    expect(told[1]).toMatchObject(['ReplyDeliveryFailed', { why: 'limit', retryAt }]);
    expect(alarms).toEqual([retryAt]);
    expect(given.ledger.owedReplies()).toMatchObject([{ turn: 't1', attempts: 1, retryAt }]);
  });

  it('is owed no more once it was delivered, or refused for good', async () => {
    const delivered = await owed();
    await taken(delivered, { knowsRepeats: 'never' });
    const refused = await owed();
    const no: Sent = { ok: false, why: 'no', final: true, retryAfterMs: null };
    await taken(refused, { knowsRepeats: 'never', sends: [no] });
    expect([delivered.ledger.owedReplies(), refused.ledger.owedReplies()]).toEqual([[], []]);
  });
});
