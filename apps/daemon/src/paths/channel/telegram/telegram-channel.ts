import { TelegramAdapter } from '@chat-adapter/telegram';
import type { Adapter as SdkAdapter, CardElement, Chat } from 'chat';
import type { TelegramChannel as TelegramConfig } from '@lockstep/policy';
import type { Channel, ChannelEnd, Outgoing, Sent } from '../channel.port.ts';
import { chatOf, sdkLogger, sendFailure } from '../chat-sdk.ts';
import { parseTelegram } from './telegram.wire.ts';

type AdapterConfig = NonNullable<ConstructorParameters<typeof TelegramAdapter>[0]>;

/** The SDK's adapter, its updates taken as they come: an update is confirmed to Telegram when it is durable here. */
class Adapter extends TelegramAdapter {
  readonly #take: (update: unknown) => Promise<void>;
  readonly #polled: (error: unknown) => void;

  constructor(
    config: AdapterConfig,
    take: (update: unknown) => Promise<void>,
    polled: (error: unknown) => void,
  ) {
    super(config);
    this.#take = take;
    this.#polled = polled;
  }

  protected override processUpdate(update: object): Promise<void>[] {
    const pressed = 'callback_query' in update ? update.callback_query : null;
    const id =
      typeof pressed === 'object' && pressed !== null && 'id' in pressed ? pressed.id : null;
    // Only so that the button stops turning.
    if (typeof id === 'string')
      super.telegramFetch('answerCallbackQuery', { callback_query_id: id }).catch(() => undefined);
    return [this.#take(update)];
  }

  protected override async telegramFetch<T>(
    ...args: Parameters<TelegramAdapter['telegramFetch']>
  ): Promise<T> {
    if (args[0] !== 'getUpdates') return super.telegramFetch<T>(...args);
    try {
      const result = await super.telegramFetch<T>(...args);
      this.#polled(null);
      return result;
    } catch (error) {
      this.#polled(error);
      throw error;
    }
  }
}

/** A bot on Telegram, by long polling: no public address is needed. */
export class TelegramChannel implements Channel {
  readonly limit = 4096;
  readonly knowsRepeats = 'never';
  readonly #end: ChannelEnd;
  readonly #adapter: Adapter;
  readonly #chat: Chat;
  /** Updates go in as they came, also those that came at once. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(config: TelegramConfig, token: string, end: ChannelEnd) {
    this.#end = end;
    const logger = sdkLogger(end.log);
    this.#adapter = new Adapter(
      {
        botToken: token,
        ...(config.api_url === undefined ? {} : { apiUrl: config.api_url }),
        mode: 'polling',
        longPolling: {
          timeout: 25,
          retryDelayMs: 1_000,
          allowedUpdates: ['message', 'callback_query'],
        },
        // Who may write is for the agent's policy to say, not for an environment variable.
        allowedUserIds: [],
        logger,
      },
      (update) => this.#take(update),
      (error) => {
        if (error === null) end.state('running');
        else if (!end.stopping.aborted) end.state('reconnecting', error);
      },
    );
    this.#chat = chatOf('telegram', this.#adapter as SdkAdapter, logger);
  }

  start(): Promise<void> {
    return this.#chat.initialize();
  }

  stop(): Promise<void> {
    return this.#chat.shutdown();
  }

  async send({ to, text, buttons }: Outgoing): Promise<Sent> {
    const thread = this.#adapter.encodeThreadId({
      chatId: to.conversation,
      ...(to.thread === null ? {} : { messageThreadId: Number(to.thread) }),
    });
    try {
      const { id } = await this.#adapter.postMessage(thread, text);
      if (buttons.length > 0) await this.#adapter.postMessage(thread, keyboard(buttons));
      return { ok: true, receipt: id };
    } catch (thrown) {
      return sendFailure(thrown);
    }
  }

  #take(update: unknown): Promise<void> {
    const mine = this.#last.then(() => this.#takeOne(update));
    this.#last = mine.catch(() => undefined);
    return mine;
  }

  async #takeOne(update: unknown): Promise<void> {
    const parsed = parseTelegram(update, this.#end.binding);
    if (parsed.kind === 'message') await this.#end.receiveSurely(parsed.message);
    else if (parsed.kind === 'garbage') await this.#end.refused(`not a message: ${parsed.why}`);
  }
}

/** Buttons below a message of their own: the text above stays as it is, without any markup. */
export const keyboard = (buttons: Outgoing['buttons']): CardElement => ({
  type: 'card',
  children: [
    { type: 'text', content: 'Your decision' },
    {
      type: 'actions',
      children: buttons.map(({ label, command }) => ({
        type: 'button',
        id: 'do',
        label,
        value: command,
      })),
    },
  ],
});
