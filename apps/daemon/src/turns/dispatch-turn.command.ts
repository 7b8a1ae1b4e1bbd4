import { Command } from '@nestjs/cqrs';
import type { CommandOf, NewMeta } from '@lockstep/engine';

/** Begins one turn: its first command, who stands behind it, and whether somebody listens for text. */
export class DispatchTurn extends Command<void> {
  readonly turn: string;
  readonly command: CommandOf<'StartTurn'> | CommandOf<'RefuseTurn'>;
  readonly meta: NewMeta;
  readonly listening: boolean;
  /** What is awaited: nothing, that its first facts are durable, or its end. */
  readonly until: 'nothing' | 'first-facts' | 'end';

  constructor(parts: {
    readonly turn: string;
    readonly command: CommandOf<'StartTurn'> | CommandOf<'RefuseTurn'>;
    readonly meta: NewMeta;
    readonly listening: boolean;
    readonly until: DispatchTurn['until'];
  }) {
    super();
    this.turn = parts.turn;
    this.command = parts.command;
    this.meta = parts.meta;
    this.listening = parts.listening;
    this.until = parts.until;
  }
}

/** Hands a turn to whoever runs it. In the daemon this is the command bus. */
export type Dispatch = (command: DispatchTurn) => Promise<void>;
