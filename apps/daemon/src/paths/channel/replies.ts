import { digestOf } from '@lockstep/policy';
import type { DataOf, NewEvent, OwedReply } from '@lockstep/engine';
import { metaAgain } from '../../turns/turn-meta.ts';
import type { ChannelParts } from './channel-parts.ts';
import type { Channel, Sent } from './channel.port.ts';
import type { Outbox } from './outbox.ts';
import { headOf, splitText } from './split-text.ts';

/** Tries of one reply, and the pauses between them. */
const mostTries = 8;
const firstPauseMs = 1_000;
const longestPauseMs = 300_000;
const stopBoundMs = 5_000;

type Told = 'ReplyDeliveryStarted' | 'ReplyDelivered' | 'ReplyDeliveryFailed';
type Fact = { readonly [T in Told]: { readonly type: T; readonly data: DataOf<T> } }[Told];

type RepliesOutbox = Pick<Outbox, 'channel' | 'isKnown' | 'send'>;
type RepliesParts = Pick<
  ChannelParts,
  'ledger' | 'store' | 'ids' | 'identity' | 'clock' | 'alarms' | 'masker'
> & {
  readonly turns: Pick<ChannelParts['turns'], 'answer'>;
  readonly log: Pick<ChannelParts['log'], 'warn' | 'error'>;
};

/** Brings the replies of channel turns to their conversations. Each try is recorded before it begins, and what became of it after. */
export class Replies {
  readonly #parts: RepliesParts;
  readonly #outbox: RepliesOutbox;
  readonly #busy = new Map<string, Promise<void>>();
  /** Pieces of a reply that arrived, by turn: a later try goes on behind them. */
  readonly #receipts = new Map<string, string[]>();
  /** Tries that this run of the daemon began. */
  readonly #ours = new Set<string>();
  #stopping = false;

  constructor(parts: RepliesParts, outbox: RepliesOutbox) {
    this.#parts = parts;
    this.#outbox = outbox;
  }

  /** Replies that an earlier run of the daemon left, and those whose channel did not run until now. */
  takeUp(binding: string | null): void {
    for (const owed of this.#parts.ledger.owedReplies())
      if (owed.ended && (binding === null || owed.to.binding === binding)) this.deliver(owed.turn);
  }

  /** Delivers the reply of a turn that has ended, if one is owed. */
  deliver(turn: string): void {
    if (this.#busy.has(turn) || this.#stopping) return;
    const work = this.#deliver(turn)
      .catch((thrown: unknown) => {
        this.#parts.log.error({ turn, err: thrown }, 'a reply could not be delivered');
      })
      .finally(() => this.#busy.delete(turn));
    this.#busy.set(turn, work);
  }

  /** Begins nothing more. Resolves when what is on its way has an outcome, within a bound. */
  async stop(): Promise<void> {
    this.#stopping = true;
    let timer: NodeJS.Timeout | undefined;
    const bound = new Promise<void>((done) => {
      timer = setTimeout(done, stopBoundMs);
    });
    await Promise.race([Promise.all(this.#busy.values()), bound]);
    clearTimeout(timer);
  }

  async #deliver(turn: string): Promise<void> {
    const owed = this.#parts.ledger.owedReply(turn);
    if (owed?.ended !== true) return;
    const { binding } = owed.to;
    if (!this.#outbox.isKnown(binding))
      return this.#giveUp(owed, `the channel \`${binding}\` is no longer configured`);
    const channel = this.#outbox.channel(binding);
    // It is taken up when its channel runs.
    if (channel === null) return;
    if (owed.sending !== null && !this.#ours.has(turn) && !this.#isKnownThere(owed, channel))
      return this.#giveUp(
        owed,
        'the daemon ended while the reply was on its way: whether it arrived is unknown',
      );
    if (owed.retryAt !== null && owed.retryAt > this.#parts.clock.now()) {
      this.#later(turn, owed.retryAt);
      return;
    }
    await this.#try(owed, channel);
  }

  #isKnownThere({ sending }: OwedReply, { knowsRepeats }: Channel): boolean {
    if (knowsRepeats === 'always' || sending === null) return true;
    if (knowsRepeats === 'never') return false;
    return this.#parts.clock.now() - sending.since < knowsRepeats;
  }

  async #try(owed: OwedReply, channel: Channel): Promise<void> {
    const { turn } = owed;
    const delivery = deliveryOf(turn);
    const attempt = owed.attempts + 1;
    const to = addressOf(owed);
    this.#ours.add(turn);
    const text = await this.#text(turn);
    const started = { type: 'ReplyDeliveryStarted', data: { delivery, to, attempt } } as const;
    if (!(await this.#record(turn, started))) {
      this.#later(turn, this.#in(firstPauseMs));
      return;
    }
    const sent = await this.#send(owed, channel, text);
    if (sent.ok) {
      const receipt = sent.receipt === null ? null : headOf(sent.receipt, 500);
      await this.#record(turn, { type: 'ReplyDelivered', data: { delivery, to, receipt } });
      this.#forget(turn);
      return;
    }
    const why = headOf(this.#parts.masker.mask(sent.why, { formats: true }).text, 300);
    if (sent.final || attempt >= mostTries) return this.#giveUp(owed, why);
    const pause = Math.min(longestPauseMs, firstPauseMs * 2 ** (attempt - 1));
    const retryAt = this.#in(Math.max(pause, sent.retryAfterMs ?? 0));
    await this.#record(turn, { type: 'ReplyDeliveryFailed', data: { delivery, to, why, retryAt } });
    this.#later(turn, retryAt);
  }

  async #send(owed: OwedReply, channel: Channel, text: string): Promise<Sent> {
    const receipts = this.#receipts.get(owed.turn) ?? [];
    this.#receipts.set(owed.turn, receipts);
    const pieces = splitText(text, channel.limit);
    for (const [index, piece] of pieces.entries()) {
      if (index < receipts.length) continue;
      const sent = await this.#outbox.send(owed.to.binding, {
        id: `${deliveryOf(owed.turn)}.${index}`,
        kind: 'reply',
        to: owed.to,
        turn: owed.turn,
        text: piece,
        buttons: [],
      });
      if (!sent.ok) return sent;
      receipts.push(sent.receipt ?? '');
    }
    const all = receipts.filter((receipt) => receipt !== '').join(',');
    return { ok: true, receipt: all === '' ? null : all };
  }

  /** What the conversation is told: the reply, or why there is none, in the words that are for the caller. */
  async #text(turn: string): Promise<string> {
    const answer = await this.#parts.turns.answer(turn);
    const said = answer?.status === 'completed' ? answer.reply : answer?.reason;
    if (said !== undefined && said !== null && said.trim() !== '') return said;
    return answer?.status === 'completed' ? '(the agent said nothing)' : 'there is no reply';
  }

  async #giveUp(owed: OwedReply, why: string): Promise<void> {
    const { turn } = owed;
    const data = { delivery: deliveryOf(turn), to: addressOf(owed), why, retryAt: null };
    await this.#record(turn, { type: 'ReplyDeliveryFailed', data });
    this.#forget(turn);
    this.#parts.log.warn({ turn, to: data.to, why }, 'a reply was not delivered');
  }

  #forget(turn: string): void {
    this.#receipts.delete(turn);
    this.#ours.delete(turn);
  }

  #in(ms: number): number {
    return this.#parts.clock.now() + ms;
  }

  #later(turn: string, at: number): void {
    this.#parts.alarms.at(at, () => {
      this.deliver(turn);
    });
  }

  /** Appends to the turn's stream, behind whatever came there meanwhile. False when the log takes no writes now. */
  async #record(turn: string, fact: Fact): Promise<boolean> {
    const { store, ids, identity } = this.#parts;
    const stream = `turn-${turn}`;
    const id = ids.next();
    for (;;) {
      const events = await store.readStream(stream);
      const first = events[0];
      const last = events.at(-1);
      if (first === undefined || last === undefined) return false;
      const event: NewEvent = { ...fact, id, schema: 1, meta: metaAgain(identity, first) };
      const result = await store.append(stream, [event], last.revision);
      if (result.ok) return true;
      if (result.reason !== 'conflict') return false;
    }
  }
}

/** The same for each try of one turn's reply. */
const deliveryOf = (turn: string): string => digestOf(['reply', turn]).slice(0, 20);

const addressOf = ({ to }: OwedReply): string =>
  [to.binding, to.conversation, ...(to.thread === null ? [] : [to.thread])].join('/');
