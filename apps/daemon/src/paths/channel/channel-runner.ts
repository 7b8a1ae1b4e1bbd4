import type { ChannelMessage } from './channel-message.ts';
import type { ChannelParts } from './channel-parts.ts';
import type {
  Channel,
  ChannelEnd,
  ChannelState,
  Outgoing,
  Received,
  Sent,
} from './channel.port.ts';
import type { InboundLog } from './inbound-log.ts';

/** Pauses between tries to start a channel, and to make a message durable. */
const firstPauseMs = 1_000;
const longestPauseMs = 60_000;
const durablePauseMs = 500;

export interface RunnerHooks {
  receive(message: ChannelMessage): Promise<Received>;
  /** The channel runs now. */
  ready(binding: string): void;
  /** Says something of ours in the conversation of a message. */
  say(message: ChannelMessage, text: string): void;
  readonly inbound: InboundLog;
}

/** How a channel stands. */
export interface ChannelHealth {
  readonly state: ChannelState;
  readonly since: number;
  /** Masked. */
  readonly error: string | null;
}

/** Makes a channel of its config; throws when it cannot be made, as when its secret is missing. */
export type MakeChannel = (end: ChannelEnd) => Channel | Promise<Channel>;

/** Starts one channel, again and again until it runs, and stops it. What happens to it stays here: it never takes the daemon down. */
export class ChannelRunner {
  readonly #binding: string;
  readonly #make: MakeChannel;
  readonly #parts: ChannelParts;
  readonly #hooks: RunnerHooks;
  readonly #stopping = new AbortController();
  #channel: Channel | null = null;
  #health: ChannelHealth;
  #tries = 0;
  #takeBack: (() => void) | null = null;
  #starting: Promise<void> = Promise.resolve();

  constructor(binding: string, make: MakeChannel, parts: ChannelParts, hooks: RunnerHooks) {
    this.#binding = binding;
    this.#make = make;
    this.#parts = parts;
    this.#hooks = hooks;
    this.#health = { state: 'starting', since: parts.clock.now(), error: null };
  }

  get health(): ChannelHealth {
    return this.#health;
  }

  /** The channel, if messages can be handed to it. */
  get channel(): Channel | null {
    return this.#health.state === 'running' || this.#health.state === 'reconnecting'
      ? this.#channel
      : null;
  }

  start(): void {
    this.#starting = this.#start();
  }

  async #start(): Promise<void> {
    if (this.#stopping.signal.aborted) return;
    this.#tries += 1;
    try {
      const channel = await this.#make(this.#end());
      this.#channel = channel;
      await channel.start();
      if (this.#isStopping()) return;
      this.#tries = 0;
      this.#set('running');
    } catch (thrown) {
      await this.#dropped(thrown);
    }
  }

  #isStopping(): boolean {
    return this.#stopping.signal.aborted;
  }

  async #dropped(thrown: unknown): Promise<void> {
    await this.#channel?.stop().catch(() => undefined);
    this.#channel = null;
    if (this.#stopping.signal.aborted) return;
    this.#set('failed', thrown);
    const pause = Math.min(longestPauseMs, firstPauseMs * 2 ** Math.min(this.#tries - 1, 10));
    this.#takeBack = this.#parts.alarms.at(this.#parts.clock.now() + pause, () => {
      this.start();
    });
  }

  /** Resolves when nothing more comes in. */
  async stop(): Promise<void> {
    this.#takeBack?.();
    this.#stopping.abort();
    const channel = this.#channel;
    await Promise.race([this.#starting, pause(1_000, null)]);
    await channel?.stop().catch((thrown: unknown) => {
      this.#log('warn', `the channel did not stop in order: ${said(thrown)}`);
    });
    this.#set('stopped');
  }

  async send(message: Outgoing): Promise<Sent> {
    const { channel } = this;
    if (channel === null)
      return { ok: false, why: 'the channel does not run', final: false, retryAfterMs: null };
    try {
      return await channel.send(message);
    } catch (thrown) {
      return { ok: false, why: this.#masked(said(thrown)), final: false, retryAfterMs: null };
    }
  }

  #end(): ChannelEnd {
    const { signal } = this.#stopping;
    return {
      binding: this.#binding,
      stopping: signal,
      receive: (message) => this.#receive(message),
      receiveSurely: async (message) => {
        for (;;) {
          if (signal.aborted) throw new Error('the channel is stopping');
          const received = await this.#receive(message);
          if (received.kind !== 'unavailable') return received;
          await pause(durablePauseMs, signal);
        }
      },
      refused: (why) => this.#hooks.inbound.refused(this.#binding, why),
      state: (state, error) => {
        if (!signal.aborted && this.#channel !== null) this.#set(state, error);
      },
      log: {
        debug: (text) => {
          this.#log('debug', text);
        },
        warn: (text) => {
          this.#log('warn', text);
        },
      },
    };
  }

  async #receive(message: ChannelMessage): Promise<Received> {
    const received = await this.#hooks.receive(message);
    const words = received.kind === 'command' ? received.text : shownOf(received);
    if (words !== null) this.#hooks.say(message, words);
    return received;
  }

  #set(state: ChannelState, error?: unknown): void {
    const before = this.#health;
    const why = error === undefined ? null : this.#masked(said(error));
    this.#health = {
      state,
      since: before.state === state ? before.since : this.#parts.clock.now(),
      error: why ?? (state === 'running' || state === 'stopped' ? null : before.error),
    };
    if (before.state === state) return;
    if (why !== null) this.#log('warn', `${state}: ${why}`);
    if (state === 'running') this.#hooks.ready(this.#binding);
  }

  #log(level: 'debug' | 'warn', text: string): void {
    this.#parts.log[level]({ channel: this.#binding }, this.#masked(text));
  }

  #masked(text: string): string {
    return this.#parts.masker.mask(text.toWellFormed(), { formats: true }).text.slice(0, 500);
  }
}

const shownOf = (received: Received): string | null =>
  received.kind === 'refused' ? received.shown : null;

/** What an error says, with what caused it. */
export const said = (thrown: unknown): string => {
  if (!(thrown instanceof Error)) return String(thrown);
  const { cause } = thrown;
  return cause instanceof Error && cause.message !== ''
    ? `${thrown.message}: ${cause.message}`
    : thrown.message;
};

/** Resolves after a while, or when the signal aborts. */
const pause = (ms: number, signal: AbortSignal | null): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal?.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
    timer.unref();
  });
