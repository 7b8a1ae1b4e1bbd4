import type { ReplyTo } from '@lockstep/engine';
import type { Channel, Outgoing, Sent } from './channel.port.ts';

/** The way out to the channels that run. */
export interface Outbox {
  /** Null = no such channel runs now. */
  channel(binding: string): Channel | null;
  /** Whether config still has it. */
  isKnown(binding: string): boolean;
  send(binding: string, message: Outgoing): Promise<Sent>;
  /** Sends words of our own; a failure is logged and no more. */
  say(to: ReplyTo, text: string): void;
}
