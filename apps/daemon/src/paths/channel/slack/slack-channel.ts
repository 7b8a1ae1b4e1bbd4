import { SlackAdapter } from '@chat-adapter/slack';
import { LogLevel, SocketModeClient, type SocketModeOptions } from '@slack/socket-mode';
import type { Adapter as SdkAdapter, Chat } from 'chat';
import type { SlackChannel as SlackConfig } from '@lockstep/policy';
import type { Channel, ChannelEnd, ChannelLog, Outgoing, Sent } from '../channel.port.ts';
import { chatOf, sdkLogger, sendFailure } from '../chat-sdk.ts';
import { escaped, parseSlack, type SlackFrame } from './slack.wire.ts';

type AdapterConfig = NonNullable<ConstructorParameters<typeof SlackAdapter>[0]>;

interface SocketEvent {
  readonly ack: () => Promise<void>;
  readonly type: string;
  readonly body: Readonly<Record<string, unknown>>;
}

/** The SDK's adapter on a socket of our own making: a frame is acknowledged to Slack when it is durable here, and nothing is printed. */
class Adapter extends SlackAdapter {
  readonly #socket: SocketModeClient;

  constructor(config: AdapterConfig, socket: SocketModeClient) {
    super(config);
    this.#socket = socket;
  }

  protected override async startSocketMode(): Promise<void> {
    await this.#socket.start();
  }

  override async disconnect(): Promise<void> {
    await this.#socket.disconnect();
  }

  /** Rejects when Slack cannot be reached or does not know the token: the socket would ask again and again without a word. */
  async check(): Promise<void> {
    await this.webClient.auth.test(await this.withToken({}));
  }

  /** Posts a text as it is: no markup, no mentions, no previews. */
  async post({ to, text, buttons }: Outgoing): Promise<string> {
    const answer = await this.webClient.chat.postMessage(
      await this.withToken({
        channel: to.conversation,
        ...(to.thread === null ? {} : { thread_ts: to.thread }),
        text: escaped(text),
        mrkdwn: false,
        parse: 'none' as const,
        unfurl_links: false,
        unfurl_media: false,
        ...(buttons.length === 0 ? {} : { blocks: blocksOf(text, buttons) }),
      }),
    );
    return answer.ts ?? '';
  }
}

const startMs = 30_000;

/** An app in a Slack workspace, by socket mode: no public address is needed. */
export class SlackChannel implements Channel {
  /** Of one text block. */
  readonly limit = 3_000;
  readonly knowsRepeats = 'never';
  readonly #end: ChannelEnd;
  readonly #adapter: Adapter;
  readonly #socket: SocketModeClient;
  readonly #chat: Chat;
  #last: Promise<unknown> = Promise.resolve();

  constructor(
    config: SlackConfig,
    tokens: { readonly bot: string; readonly app: string },
    end: ChannelEnd,
  ) {
    this.#end = end;
    const logger = sdkLogger(end.log);
    const api = config.api_url === undefined ? {} : { apiUrl: apiUrlOf(config.api_url) };
    this.#socket = new SocketModeClient({
      appToken: tokens.app,
      logger: socketLogger(end.log),
      ...(api.apiUrl === undefined ? {} : { clientOptions: { slackApiUrl: api.apiUrl } }),
    });
    this.#adapter = new Adapter(
      {
        mode: 'socket',
        appToken: tokens.app,
        botToken: tokens.bot,
        ...api,
        // Tries and their pauses are ours, and recorded.
        webClientOptions: {
          retryConfig: { retries: 0 },
          rejectRateLimitedCalls: true,
          logger: socketLogger(end.log),
          timeout: 15_000,
        },
        logger,
      },
      this.#socket,
    );
    this.#chat = chatOf('slack', this.#adapter as SdkAdapter, logger);
    this.#listen();
  }

  async start(): Promise<void> {
    await this.#adapter.check();
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_done, fail) => {
      timer = setTimeout(() => {
        fail(new Error('the socket could not be opened in time'));
      }, startMs);
    });
    try {
      await Promise.race([this.#chat.initialize(), late]);
    } finally {
      clearTimeout(timer);
    }
  }

  async stop(): Promise<void> {
    await this.#chat.shutdown();
  }

  async send(message: Outgoing): Promise<Sent> {
    try {
      return { ok: true, receipt: await this.#adapter.post(message) };
    } catch (thrown) {
      return sendFailure(thrown);
    }
  }

  #listen(): void {
    this.#socket.on('slack_event', (event: SocketEvent) => {
      const mine = this.#last.then(() => this.#take(event));
      this.#last = mine.catch((thrown: unknown) => {
        // Not acknowledged: Slack hands it out again.
        this.#end.log.debug(thrown instanceof Error ? thrown.message : String(thrown));
      });
    });
    this.#socket.on('connected', () => {
      this.#end.state('running');
    });
    this.#socket.on('reconnecting', () => {
      this.#end.state('reconnecting');
    });
    this.#socket.on('error', (error: unknown) => {
      this.#end.state('reconnecting', error);
    });
  }

  async #take({ type, body, ack }: SocketEvent): Promise<void> {
    const frame: SlackFrame = { type, body };
    const parsed = parseSlack(frame, this.#end.binding);
    if (parsed.kind === 'message') await this.#end.receiveSurely(parsed.message);
    else if (parsed.kind === 'garbage') await this.#end.refused(`not a message: ${parsed.why}`);
    await ack();
  }
}

const blocksOf = (text: string, buttons: Outgoing['buttons']) => [
  { type: 'section', text: { type: 'plain_text', text, emoji: false } },
  {
    type: 'actions',
    elements: buttons.map(({ label, command }, index) => ({
      type: 'button',
      action_id: `do-${index}`,
      text: { type: 'plain_text', text: label },
      value: command,
    })),
  },
];

const apiUrlOf = (url: string): string => (url.endsWith('/') ? url : `${url}/`);

type SocketLogger = NonNullable<SocketModeOptions['logger']>;

const socketLogger = (log: ChannelLog): SocketLogger => {
  const debug = (...parts: unknown[]): void => {
    log.debug(parts.map(String).join(' '));
  };
  const warn = (...parts: unknown[]): void => {
    log.warn(parts.map(String).join(' '));
  };
  return {
    debug: () => undefined,
    info: debug,
    warn,
    error: warn,
    setLevel: () => undefined,
    getLevel: () => LogLevel.INFO,
    setName: () => undefined,
  };
};
