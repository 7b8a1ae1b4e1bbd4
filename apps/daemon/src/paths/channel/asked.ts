import { randomUUID } from 'node:crypto';
import type { LockstepEvent } from '@lockstep/engine';
import type { ChannelMessage } from './channel-message.ts';
import type { ChannelParts } from './channel-parts.ts';
import type { Outbox } from './outbox.ts';
import { isAsking, placesOf, questionOf, type Question } from './questions.ts';
import { showQuestion } from './show-question.ts';

/** Kept after they were settled, so that a late answer hears who was first. */
const mostKept = 2_000;
const retryMs = 10_000;

/** What is asked in conversations: shown there, and found again by its code. */
export class Asked {
  readonly #parts: ChannelParts;
  readonly #outbox: Outbox;
  /** By binding and code. */
  readonly #questions = new Map<string, Question>();
  /** Shown in no conversation yet, as their channel did not run. */
  readonly #unshown = new Set<Question>();

  constructor(parts: ChannelParts, outbox: Outbox) {
    this.#parts = parts;
    this.#outbox = outbox;
  }

  /** The request of this code in the conversation where the message was written. */
  find(at: ChannelMessage, code: string): Question | null {
    return this.#questions.get(keyOf(at.binding, at.conversation, code)) ?? null;
  }

  /** Open requests of a conversation. */
  in({
    binding,
    conversation,
  }: Pick<ChannelMessage, 'binding' | 'conversation'>): readonly Question[] {
    return [...this.#questions.values()].filter(
      ({ id, to }) =>
        to.binding === binding &&
        to.conversation === conversation &&
        this.#parts.ledger.approval(id)?.state === 'pending',
    );
  }

  /** Whether the conversation could not show all of it. */
  isCut(question: Question): boolean {
    const channel = this.#outbox.channel(question.to.binding);
    return channel === null || showQuestion(question, channel.limit).cut;
  }

  /** Shows what an event asks. */
  async take(event: LockstepEvent): Promise<void> {
    if (!isAsking(event)) return;
    for (const to of placesOf(event, this.#parts.ledger)) {
      const question = await questionOf(event, to, this.#parts.artifacts);
      if (question !== null) await this.#show(question);
    }
  }

  /** Shows again what an earlier run of the daemon asked and nobody answered: whether it was seen is not known. */
  async takeUp(): Promise<void> {
    const { ledger, store } = this.#parts;
    for (const pending of ledger.pending()) {
      const events = await store.readStream(`turn-${pending.turn}`, {
        from: pending.revision,
        limit: 1,
      });
      const [event] = events;
      if (event !== undefined) await this.take(event);
    }
  }

  /** A channel runs now: what waited for it is shown. */
  async ready(binding: string): Promise<void> {
    for (const question of [...this.#unshown])
      if (question.to.binding === binding) await this.#show(question);
  }

  async #show(question: Question): Promise<void> {
    const { binding, conversation } = question.to;
    this.#keep(keyOf(binding, conversation, question.code), question);
    this.#unshown.delete(question);
    const channel = this.#outbox.channel(binding);
    if (channel === null) {
      this.#unshown.add(question);
      return;
    }
    if (this.#parts.ledger.approval(question.id)?.state !== 'pending') return;
    const { text, buttons } = showQuestion(question, channel.limit);
    const sent = await this.#outbox.send(binding, {
      id: randomUUID().replaceAll('-', '').slice(0, 25),
      kind: 'question',
      to: question.to,
      turn: question.turn,
      text,
      buttons,
    });
    if (sent.ok) return;
    this.#parts.log.warn(
      { binding, approval: question.id, why: sent.why },
      'a question could not be shown in its conversation',
    );
    if (!sent.final) this.#later(question, sent.retryAfterMs ?? retryMs);
  }

  /** Ends when it was shown, or when nobody need see it any more. */
  #later(question: Question, afterMs: number): void {
    this.#unshown.add(question);
    const { alarms, clock } = this.#parts;
    alarms.at(clock.now() + afterMs, () => {
      if (!this.#unshown.has(question)) return;
      this.#show(question).catch((thrown: unknown) => {
        this.#parts.log.error({ err: thrown }, 'a question could not be shown');
      });
    });
  }

  #keep(key: string, question: Question): void {
    this.#questions.delete(key);
    this.#questions.set(key, question);
    if (this.#questions.size <= mostKept) return;
    for (const [known, { id }] of this.#questions) {
      if (this.#parts.ledger.approval(id)?.state === 'pending') continue;
      this.#questions.delete(known);
      return;
    }
  }
}

const keyOf = (binding: string, conversation: string, code: string): string =>
  JSON.stringify([binding, conversation, code]);
