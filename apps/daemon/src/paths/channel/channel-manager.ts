import {
  bindingsOf,
  canonicalJson,
  channelOf,
  channelOwner,
  declaresChannels,
  type AppliedConfig,
} from '@lockstep/policy';
import { randomUUID } from 'node:crypto';
import { Asked } from './asked.ts';
import type { ChannelParts } from './channel-parts.ts';
import { ChannelRunner, type ChannelHealth } from './channel-runner.ts';
import type { Channel, Outgoing, Sent } from './channel.port.ts';
import { Conversations } from './conversations.ts';
import { InboundLog } from './inbound-log.ts';
import { ChannelInbox } from './inbox.ts';
import { channelMaker } from './kinds.ts';
import type { Outbox } from './outbox.ts';

import { Replies } from './replies.ts';
import { conversationView, type ConversationView } from './conversation-view.ts';
import type { Place } from './turn-request.ts';
import { WebhookChannel } from './webhook/webhook-channel.ts';
import { TurnWatch } from './turn-watch.ts';

export const CHANNELS = Symbol('CHANNELS');

/** One channel as it stands. */
export interface ChannelRow extends ChannelHealth {
  readonly binding: string;
  readonly kind: string;
  readonly owner: string | null;
}

interface Running {
  readonly runner: ChannelRunner;
  /** Of its config: another one means another channel. */
  readonly fingerprint: string;
}

/** Runs the channels that config names, and only changes what config changed. */
export class ChannelManager implements Outbox {
  readonly inbound: InboundLog;
  readonly #parts: ChannelParts;
  readonly #inbox: ChannelInbox;
  readonly #asked: Asked;
  readonly #replies: Replies;
  readonly #watch: TurnWatch;
  readonly #channels = new Map<string, Running>();
  #work: Promise<void> = Promise.resolve();
  #unlisten: (() => void) | null = null;
  #stopped = false;

  constructor(parts: ChannelParts) {
    this.#parts = parts;
    this.inbound = new InboundLog(parts);
    this.#asked = new Asked(parts, this);
    this.#replies = new Replies(parts, this);
    this.#inbox = new ChannelInbox(parts, this.inbound, new Conversations(parts, this.#asked));
    this.#watch = new TurnWatch(parts, {
      asked: (event) => this.#asked.take(event),
      ended: (turn) => {
        this.#replies.deliver(turn);
      },
    });
  }

  /** Call once, when turns have taken up what an earlier run left. Channels go on starting behind it. */
  async start(): Promise<void> {
    await this.#watch.start();
    this.#unlisten = this.#parts.config.onApplied((applied) => {
      this.#apply(applied);
    });
    this.#apply(this.#parts.config.current());
    await this.#work;
    await this.#asked.takeUp();
    this.#replies.takeUp(null);
  }

  /** Takes in nothing more. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#unlisten?.();
    await this.#work;
    await this.#replies.stop();
    await this.#watch.stop();
    await Promise.all([...this.#channels.values()].map(({ runner }) => runner.stop()));
    await this.inbound.flush().catch(() => undefined);
  }

  list(): readonly ChannelRow[] {
    const applied = this.#parts.config.current();
    return bindingsOf(applied.config).map((binding) => ({
      binding,
      kind: binding.split('.', 1)[0] ?? '',
      owner: channelOwner(applied, binding),
      ...(this.#channels.get(binding)?.runner.health ?? {
        state: 'starting',
        since: this.#parts.clock.now(),
        error: null,
      }),
    }));
  }

  /** The webhook of an alias; null = none runs. */
  webhook(alias: string): WebhookChannel | null {
    const channel = this.channel(`webhook.${alias}`);
    return channel instanceof WebhookChannel ? channel : null;
  }

  /** What a conversation has come to, for who asks for it. */
  conversation(place: Place): Promise<ConversationView> {
    return conversationView(place, this.#parts, this.#asked);
  }

  channel(binding: string): Channel | null {
    return this.#channels.get(binding)?.runner.channel ?? null;
  }

  isKnown(binding: string): boolean {
    return channelOf(this.#parts.config.current().config, binding) !== null;
  }

  send(binding: string, message: Outgoing): Promise<Sent> {
    const runner = this.#channels.get(binding)?.runner;
    return (
      runner?.send(message) ??
      Promise.resolve({
        ok: false,
        why: 'the channel does not run',
        final: false,
        retryAfterMs: null,
      })
    );
  }

  say(to: Outgoing['to'], text: string): void {
    const id = randomUUID().replaceAll('-', '').slice(0, 25);
    const notice: Outgoing = { id, kind: 'notice', to, turn: null, text, buttons: [] };
    this.send(to.binding, notice).then(
      (sent) => {
        if (!sent.ok)
          this.#parts.log.warn({ channel: to.binding, why: sent.why }, 'a notice was not sent');
      },
      () => undefined,
    );
  }

  #apply(applied: AppliedConfig): void {
    this.#work = this.#work
      .then(() => (this.#stopped ? undefined : this.#change(applied)))
      .catch((thrown: unknown) => {
        this.#parts.log.error({ err: thrown }, 'the channels could not be changed');
      });
  }

  async #change(applied: AppliedConfig): Promise<void> {
    const wanted = new Map(
      bindingsOf(applied.config).map((binding) => [
        binding,
        canonicalJson(channelOf(applied.config, binding)),
      ]),
    );
    const gone = [...this.#channels].filter(
      ([binding, { fingerprint }]) => wanted.get(binding) !== fingerprint,
    );
    await Promise.all(
      gone.map(async ([binding, { runner }]) => {
        await runner.stop();
        this.#channels.delete(binding);
      }),
    );
    for (const [binding, fingerprint] of wanted)
      if (!this.#channels.has(binding)) this.#begin(applied, binding, fingerprint);
    await this.#recordFallback(applied);
    this.#replies.takeUp(null);
  }

  #begin(applied: AppliedConfig, binding: string, fingerprint: string): void {
    const { instead } = this.#parts;
    const make = instead?.(binding) ?? channelMaker(applied, binding, this.#parts);
    const runner = new ChannelRunner(binding, make, this.#parts, {
      inbound: this.inbound,
      receive: (message) => this.#inbox.receive(message),
      say: (message, text) => {
        const { conversation, thread, address } = message;
        if (this.channel(binding)?.answersAtOnce !== true)
          this.say({ binding, conversation, thread, message: address }, text);
      },
      ready: () => {
        this.#replies.takeUp(binding);
        this.#asked.ready(binding).catch((thrown: unknown) => {
          this.#parts.log.error({ err: thrown }, 'a question could not be shown');
        });
      },
    });
    this.#channels.set(binding, { runner, fingerprint });
    runner.start();
  }

  /** Once for each config that leaves all channels to the first agent. */
  async #recordFallback(applied: AppliedConfig): Promise<void> {
    const { config } = applied;
    const channels = bindingsOf(config);
    const [first] = channels;
    const agent = first === undefined ? null : channelOwner(applied, first);
    if (agent === null || declaresChannels(config)) return;
    const events = await this.#parts.store.readStream('config');
    const latest = events.findLastIndex(({ type }) => type === 'ConfigApplied');
    if (events.slice(latest).some(({ type }) => type === 'ChannelFallbackUsed')) return;
    const data = { agent, channels };
    await this.#parts.recorder.record('config', [{ type: 'ChannelFallbackUsed', data }], {
      principal: null,
    });
  }
}
