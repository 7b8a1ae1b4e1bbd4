import type { LockstepEvent, Position, Subscription } from '@lockstep/engine';
import type { ChannelParts } from './channel-parts.ts';

interface Hooks {
  asked(event: LockstepEvent): Promise<void>;
  ended(turn: string): void;
}

const types = [
  'ApprovalRequested',
  'QuestionAsked',
  'TurnCompleted',
  'TurnFailed',
  'TurnCancelled',
  'TurnRefused',
] as const;

/** Follows the log for what a conversation should hear of. */
export class TurnWatch {
  readonly #parts: ChannelParts;
  readonly #hooks: Hooks;
  #subscription: Subscription | null = null;
  #done: Promise<void> = Promise.resolve();

  constructor(parts: ChannelParts, hooks: Hooks) {
    this.#parts = parts;
    this.#hooks = hooks;
  }

  async start(): Promise<void> {
    this.#follow(await this.#parts.store.head());
  }

  async stop(): Promise<void> {
    await this.#subscription?.return?.();
    await this.#done;
  }

  #follow(after: Position | 'start'): void {
    const subscription = this.#parts.store.subscribe({ after, filter: { types } });
    this.#subscription = subscription;
    this.#done = this.#read(subscription).catch((thrown: unknown) => {
      this.#parts.log.error({ err: thrown }, 'the channels no longer follow the log');
    });
  }

  async #read(subscription: Subscription): Promise<void> {
    for await (const message of subscription) {
      if (message.kind !== 'event') continue;
      const { event } = message;
      if (event.type === 'ApprovalRequested' || event.type === 'QuestionAsked') this.#ask(event);
      else if (event.meta.turn !== null) this.#hooks.ended(event.meta.turn);
    }
  }

  #ask(event: LockstepEvent): void {
    this.#hooks.asked(event).catch((thrown: unknown) => {
      this.#parts.log.error({ err: thrown }, 'a question could not be shown');
    });
  }
}
