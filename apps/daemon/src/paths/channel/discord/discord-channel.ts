import { Client, GatewayIntentBits, Partials, Routes } from 'discord.js';
import { z } from 'zod';
import type { DiscordChannel as DiscordConfig } from '@lockstep/policy';
import type { Channel, ChannelEnd, Outgoing, Sent } from '../channel.port.ts';
import { interactionOf, parseDiscord, type DiscordFrame } from './discord.wire.ts';

const frameSchema = z.looseObject({ t: z.string().nullish(), d: z.unknown() });
const postedSchema = z.looseObject({ id: z.string() });

/** How long Discord is sure to know a nonce that it is told to enforce. */
const nonceMs = 60_000;
const startMs = 30_000;

/** A bot on Discord: messages come by the gateway, replies go by REST. */
export class DiscordChannel implements Channel {
  readonly limit = 2_000;
  readonly knowsRepeats = nonceMs;
  readonly #token: string;
  readonly #end: ChannelEnd;
  readonly #client: Client;
  #last: Promise<unknown> = Promise.resolve();

  constructor(config: DiscordConfig, token: string, end: ChannelEnd) {
    this.#token = token;
    this.#end = end;
    this.#client = new Client({
      intents: [
        GatewayIntentBits.Guilds,
        GatewayIntentBits.GuildMessages,
        GatewayIntentBits.DirectMessages,
        GatewayIntentBits.MessageContent,
      ],
      partials: [Partials.Channel],
      // Tries and their pauses are ours, and recorded; a limit is told and not waited out in silence.
      rest: {
        ...(config.api_url === undefined ? {} : { api: config.api_url }),
        retries: 0,
        timeout: 15_000,
        rejectOnRateLimit: () => true,
      },
    });
    this.#listen();
  }

  async start(): Promise<void> {
    const ready = new Promise<void>((done, fail) => {
      this.#client.once('clientReady', () => {
        done();
      });
      this.#client.once('error', fail);
      this.#client.once('shardDisconnect', ({ code }) => {
        fail(new Error(`the gateway closed the connection with code ${code}`));
      });
      setTimeout(() => {
        fail(new Error('the gateway did not say that it is ready in time'));
      }, startMs).unref();
    });
    ready.catch(() => undefined);
    await this.#client.login(this.#token);
    await ready;
  }

  async stop(): Promise<void> {
    await this.#client.destroy();
  }

  async send({ id, to, text, buttons }: Outgoing): Promise<Sent> {
    try {
      const posted = await this.#client.rest.post(Routes.channelMessages(to.conversation), {
        body: {
          content: text,
          nonce: id,
          enforce_nonce: true,
          // Nobody is called by what a model wrote.
          allowed_mentions: { parse: [] },
          flags: suppressEmbeds,
          ...(buttons.length === 0 ? {} : { components: [rowOf(buttons)] }),
        },
      });
      return { ok: true, receipt: postedSchema.safeParse(posted).data?.id ?? null };
    } catch (thrown) {
      return failure(thrown);
    }
  }

  #listen(): void {
    this.#client.on('raw', (packet: unknown) => {
      const read = frameSchema.safeParse(packet);
      if (!read.success) return;
      const frame: DiscordFrame = { t: read.data.t ?? null, d: read.data.d };
      this.#last = this.#last
        .then(() => this.#take(frame))
        .catch((thrown: unknown) => {
          this.#end.log.debug(thrown instanceof Error ? thrown.message : String(thrown));
        });
    });
    this.#client.on('shardReconnecting', () => {
      this.#end.state('reconnecting');
    });
    this.#client.on('shardResume', () => {
      this.#end.state('running');
    });
    this.#client.on('shardReady', () => {
      this.#end.state('running');
    });
    this.#client.on('shardDisconnect', ({ code }) => {
      this.#end.state('failed', new Error(`the gateway closed the connection with code ${code}`));
    });
    this.#client.on('error', (error) => {
      this.#end.state('reconnecting', error);
    });
    this.#client.on('warn', (text) => {
      this.#end.log.warn(text);
    });
  }

  async #take(frame: DiscordFrame): Promise<void> {
    const pressed = interactionOf(frame);
    if (pressed !== null) this.#acknowledge(pressed);
    const parsed = parseDiscord(frame, this.#end.binding);
    if (parsed.kind === 'message') await this.#end.receiveSurely(parsed.message);
    else if (parsed.kind === 'garbage') await this.#end.refused(`not a message: ${parsed.why}`);
  }

  /** Discord wants to hear within three seconds that a press was seen. */
  #acknowledge({ id, token }: { readonly id: string; readonly token: string }): void {
    this.#client.rest
      .post(Routes.interactionCallback(id, token), { body: { type: deferredUpdate }, auth: false })
      .catch((thrown: unknown) => {
        this.#end.log.debug(thrown instanceof Error ? thrown.message : String(thrown));
      });
  }
}

const suppressEmbeds = 4;
const deferredUpdate = 6;

const rowOf = (buttons: Outgoing['buttons']) => ({
  type: 1,
  components: buttons
    .slice(0, 5)
    .map(({ label, command }) => ({ type: 2, style: 2, label, custom_id: command })),
});

const failure = (thrown: unknown): Sent => {
  const error = thrown instanceof Error ? thrown : new Error(String(thrown));
  const status = 'status' in error ? Number(error.status) : 0;
  const retryAfter = 'retryAfter' in error ? Number(error.retryAfter) : 0;
  // A limit or a failure of theirs passes; what Discord refuses stays refused.
  const final = retryAfter === 0 && status >= 400 && status < 500 && status !== 429;
  return {
    ok: false,
    why: error.message,
    final,
    retryAfterMs: retryAfter > 0 ? retryAfter : null,
  };
};
