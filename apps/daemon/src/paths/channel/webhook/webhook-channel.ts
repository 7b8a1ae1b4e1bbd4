import type { WebhookChannel as WebhookConfig } from '@lockstep/policy';
import { longestText } from '../channel-message.ts';
import type { Channel, ChannelEnd, Outgoing, Received, Sent } from '../channel.port.ts';
import { parseCommand } from '../commands.ts';
import { postSigned } from './post-signed.ts';
import { parseWebhook } from './webhook.wire.ts';
import { signatureProblem, type Signed } from './webhook-signature.ts';

/** One request as it came in. */
export interface WebhookRequest extends Partial<Signed> {
  readonly body: Buffer;
}

export type WebhookAnswer =
  /** The same for every request that is not from who holds the key. */
  | { readonly kind: 'unsigned' }
  | { readonly kind: 'invalid'; readonly why: string }
  | { readonly kind: 'repeated' }
  | Received;

/** A signed webhook: messages come in by the daemon's own HTTP side, replies are posted to where config says. */
export class WebhookChannel implements Channel {
  readonly limit = longestText;
  readonly knowsRepeats = 'always';
  readonly answersAtOnce = true;
  readonly #config: WebhookConfig;
  readonly #secret: string;
  readonly #end: ChannelEnd;
  readonly #now: () => number;
  readonly #startedAt: number;
  /** Commands of this run, by id: the log knows messages, not these. */
  readonly #commands = new Map<string, number>();

  constructor(
    config: WebhookConfig,
    secret: string,
    parts: { readonly end: ChannelEnd; readonly now: () => number },
  ) {
    this.#config = config;
    this.#secret = secret;
    this.#end = parts.end;
    this.#now = parts.now;
    this.#startedAt = parts.now();
  }

  start(): Promise<void> {
    return Promise.resolve();
  }

  stop(): Promise<void> {
    return Promise.resolve();
  }

  /** Resolves when the message is durable, or refused. */
  async take(request: WebhookRequest): Promise<WebhookAnswer> {
    const problem = this.#problem(request, request.body);
    if (problem !== null) {
      await this.#end.refused(`signature ${problem}`);
      return { kind: 'unsigned' };
    }
    const parsed = parseWebhook(this.#end.binding, request.body.toString('utf8'));
    if (parsed.kind !== 'message') {
      const why = parsed.kind === 'garbage' ? parsed.why : 'is no message';
      await this.#end.refused(`not a message: ${why}`);
      return { kind: 'invalid', why };
    }
    const { message } = parsed;
    if (parseCommand(message.text) !== null && !this.#isNew(message, Number(request.timestamp)))
      return { kind: 'repeated' };
    return this.#end.receive(message);
  }

  /** Whether a signed request without a body is from who holds the key. */
  isSigned(signed: Partial<Signed>, path: string): boolean {
    return this.#problem(signed, path) === null;
  }

  /** A command is taken once: by its id while this run lasts, and none that was signed before the start, as what ran before is not known. */
  #isNew(
    message: { readonly conversation: string; readonly id: string },
    seconds: number,
  ): boolean {
    const now = this.#now();
    const windowMs = this.#windowMs();
    for (const [key, until] of this.#commands) if (until < now) this.#commands.delete(key);
    const key = JSON.stringify([message.conversation, message.id]);
    if (this.#commands.has(key) || seconds < Math.floor(this.#startedAt / 1000)) return false;
    // A stamp may be ahead by the window, and is good for the window behind it.
    this.#commands.set(key, now + 2 * windowMs);
    return true;
  }

  async send(message: Outgoing): Promise<Sent> {
    const { reply_url: url } = this.#config;
    if (url === undefined) return { ok: true, receipt: 'kept' };
    const { id, kind, to, turn, text, buttons } = message;
    const body = JSON.stringify({
      id,
      kind,
      conversation: to.conversation,
      ...(to.thread === null ? {} : { thread: to.thread }),
      ...(to.message === null ? {} : { in_reply_to: to.message }),
      ...(turn === null ? {} : { turn }),
      text,
      ...(buttons.length === 0 ? {} : { commands: buttons.map(({ command }) => command) }),
    });
    return postSigned(url, body, { secret: this.#secret, nowMs: this.#now(), id });
  }

  #problem(signed: Partial<Signed>, body: Buffer | string) {
    const { timestamp, signature } = signed;
    return signatureProblem({ timestamp, signature }, body, {
      secret: this.#secret,
      windowMs: this.#windowMs(),
      nowMs: this.#now(),
    });
  }

  #windowMs(): number {
    return this.#config.window_secs * 1000;
  }
}
