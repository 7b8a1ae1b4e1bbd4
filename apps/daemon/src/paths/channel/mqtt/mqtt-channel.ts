import { connect, type IClientOptions, type IPublishPacket, type MqttClient } from 'mqtt';
import type { MqttChannel as MqttConfig } from '@lockstep/policy';
import { longestText } from '../channel-message.ts';
import type { Channel, ChannelEnd, Outgoing, Sent } from '../channel.port.ts';
import { addressOf, parseMqtt, type MqttForm, type MqttFrame } from './mqtt.wire.ts';

const answerMs = 15_000;

/** A broker's topics. What comes in is acknowledged to the broker when it is durable here, so that it comes again after a crash. */
export class MqttChannel implements Channel {
  readonly limit = longestText;
  /** The id stands in every publication; its receiver drops repeats, as with any delivery at least once. */
  readonly knowsRepeats = 'always';
  readonly #config: MqttConfig;
  readonly #password: string | null;
  readonly #end: ChannelEnd;
  readonly #form: MqttForm;
  #client: MqttClient | null = null;

  constructor(config: MqttConfig, password: string | null, end: ChannelEnd) {
    this.#config = config;
    this.#password = password;
    this.#end = end;
    const { topic: filter, sender_level: level } = config;
    this.#form = { binding: end.binding, filter, senderLevel: level ?? null };
  }

  async start(): Promise<void> {
    const client = connect(this.#config.url, this.#options());
    this.#client = client;
    client.handleMessage = (packet, done) => {
      this.#take(packet).then(
        () => {
          done();
        },
        // Not acknowledged: the broker hands it out again.
        () => undefined,
      );
    };
    await connected(client);
    await this.#subscribe(client);
    client.on('connect', () => {
      this.#subscribe(client).then(
        () => {
          this.#end.state('running');
        },
        (error: unknown) => {
          this.#end.state('reconnecting', error);
        },
      );
    });
    client.on('close', () => {
      this.#end.state('reconnecting');
    });
    client.on('error', (error) => {
      this.#end.state('reconnecting', error);
    });
  }

  async stop(): Promise<void> {
    const client = this.#client;
    this.#client = null;
    await client?.endAsync(true);
  }

  async send(message: Outgoing): Promise<Sent> {
    const client = this.#client;
    if (client?.connected !== true)
      return { ok: false, why: 'the broker is not connected', final: false, retryAfterMs: null };
    const address = message.to.message === null ? null : addressOf(message.to.message);
    const topic = address?.topic ?? this.#config.reply_topic;
    if (topic === undefined)
      return {
        ok: false,
        why: 'the message named no response topic, and the channel has no `reply_topic`',
        final: true,
        retryAfterMs: null,
      };
    const correlation = address?.correlation ?? null;
    const published = client.publishAsync(topic, bodyOf(message, address?.id ?? null), {
      qos: 1,
      properties: {
        contentType: 'application/json',
        ...(correlation === null ? {} : { correlationData: Buffer.from(correlation, 'base64') }),
      },
    });
    return within(published, answerMs);
  }

  #options(): IClientOptions {
    const { client_id: clientId, username } = this.#config;
    return {
      protocolVersion: 5,
      clientId: clientId ?? `lockstep-${this.#end.binding.replaceAll('.', '-')}`,
      // The broker keeps what comes while nobody is here.
      clean: false,
      properties: { sessionExpiryInterval: 0xfffffffe },
      reconnectPeriod: 1_000,
      connectTimeout: 10_000,
      resubscribe: false,
      ...(username === undefined ? {} : { username }),
      ...(this.#password === null ? {} : { password: this.#password }),
    };
  }

  async #subscribe(client: MqttClient): Promise<void> {
    const [granted] = await client.subscribeAsync(this.#config.topic, { qos: 1 });
    if (granted === undefined || granted.qos > 2)
      throw new Error(`the broker does not let this client read \`${this.#config.topic}\``);
  }

  async #take(packet: IPublishPacket | { readonly cmd: string }): Promise<void> {
    if (!isPublish(packet)) return;
    // The broker hands a retained one out at every connection: it is news once at most.
    if (packet.retain) return this.#end.refused('a retained message');
    const parsed = parseMqtt(frameOf(packet), this.#form);
    if (parsed.kind === 'message') await this.#end.receiveSurely(parsed.message);
    else if (parsed.kind === 'garbage') await this.#end.refused(`not a message: ${parsed.why}`);
  }
}

const isPublish = (packet: { readonly cmd: string }): packet is IPublishPacket =>
  packet.cmd === 'publish';

const frameOf = ({ topic, payload, properties }: IPublishPacket): MqttFrame => ({
  topic,
  payload: payload.toString(),
  responseTopic: properties?.responseTopic ?? null,
  correlation: properties?.correlationData?.toString('base64') ?? null,
});

const bodyOf = (
  { id, kind, to, turn, text, buttons }: Outgoing,
  inReplyTo: string | null,
): string =>
  JSON.stringify({
    id,
    kind,
    conversation: to.conversation,
    ...(to.thread === null ? {} : { thread: to.thread }),
    ...(inReplyTo === null ? {} : { in_reply_to: inReplyTo }),
    ...(turn === null ? {} : { turn }),
    text,
    ...(buttons.length === 0 ? {} : { commands: buttons.map(({ command }) => command) }),
  });

/** The first connection, or why there is none. */
const connected = (client: MqttClient): Promise<void> =>
  new Promise((done, fail) => {
    const over = (error?: Error): void => {
      client.off('connect', ok);
      client.off('close', closed);
      client.off('error', over);
      if (error === undefined) return;
      client.end(true);
      fail(error);
    };
    const ok = (): void => {
      over();
      done();
    };
    const closed = (): void => {
      over(new Error('the broker closed the connection'));
    };
    client.once('connect', ok);
    client.once('close', closed);
    client.once('error', over);
    client.on('error', () => undefined);
  });

const within = async (published: Promise<unknown>, ms: number): Promise<Sent> => {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<Sent>((done) => {
    timer = setTimeout(() => {
      done({
        ok: false,
        why: 'the broker did not answer in time',
        final: false,
        retryAfterMs: null,
      });
    }, ms);
  });
  const sent = published.then(
    (): Sent => ({ ok: true, receipt: null }),
    (error: unknown): Sent => ({
      ok: false,
      why: error instanceof Error ? error.message : String(error),
      final: false,
      retryAfterMs: null,
    }),
  );
  const first = await Promise.race([sent, late]);
  clearTimeout(timer);
  return first;
};
