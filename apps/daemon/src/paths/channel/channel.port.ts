import type { ReplyTo } from '@lockstep/engine';
import type { ChannelMessage } from './channel-message.ts';

/** A button that says the same as a command typed in. */
export interface Button {
  readonly label: string;
  readonly command: string;
}

/** One message on its way out, no longer than the channel's limit. */
export interface Outgoing {
  /** The same for each try, so that a platform that knows repeats drops them; of at most 25 characters. */
  readonly id: string;
  readonly kind: 'reply' | 'question' | 'notice';
  readonly to: ReplyTo;
  readonly turn: string | null;
  readonly text: string;
  readonly buttons: readonly Button[];
}

export type Sent =
  /** @param receipt the platform's id of what was sent */
  | { readonly ok: true; readonly receipt: string | null }
  | {
      readonly ok: false;
      readonly why: string;
      /** Another try makes no sense. */
      readonly final: boolean;
      /** The platform asks for this pause. */
      readonly retryAfterMs: number | null;
    };

/** One configured channel while it runs. */
export interface Channel {
  /** Resolves when messages can come in; a later loss of the connection is the channel's own affair, and is told to `ChannelEnd.state`.
   * Rejects when it cannot start. */
  start(): Promise<void>;
  /** Takes in nothing more; what was not durable stays unacknowledged. */
  stop(): Promise<void>;
  send(message: Outgoing): Promise<Sent>;
  /** The longest message, in UTF-16 units. */
  readonly limit: number;
  /** How long the receiving side knows a repeat of the same id: always, never, or so many ms. */
  readonly knowsRepeats: 'always' | 'never' | number;
  /** The sender gets the answer to a command on the connection that it came by. */
  readonly answersAtOnce?: boolean;
}

export type ChannelState = 'starting' | 'running' | 'reconnecting' | 'failed' | 'stopped';

/** What became of a message. */
export type Received =
  | {
      readonly kind: 'turn';
      readonly turn: string;
      readonly session: string;
      readonly repeat: boolean;
    }
  /** A command was done; the answer was sent to the conversation. */
  | { readonly kind: 'command'; readonly text: string }
  /** Recorded as refused; `shown` is for the sender, null for strangers, who are told nothing. */
  | { readonly kind: 'refused'; readonly shown: string | null }
  /** The id came with another text before. */
  | { readonly kind: 'reused' }
  /** Nothing of it is durable: it must not be acknowledged. */
  | { readonly kind: 'unavailable'; readonly message: string };

/** What a channel is given to work with. */
export interface ChannelEnd {
  readonly binding: string;
  /** Takes one message in. Resolves when it is durable, or refused. */
  receive(message: ChannelMessage): Promise<Received>;
  /** The same, again and again until it is durable; rejects when `stopping` aborts first. */
  receiveSurely(message: ChannelMessage): Promise<Exclude<Received, { kind: 'unavailable' }>>;
  /** A frame that is no message, or whose sender is nobody known: counted, never answered. */
  refused(why: string): Promise<void>;
  state(state: ChannelState, error?: unknown): void;
  readonly stopping: AbortSignal;
  readonly log: ChannelLog;
}

/** Lines of a channel, its secrets masked. */
export interface ChannelLog {
  debug(text: string): void;
  warn(text: string): void;
}
