import { Command } from '@nestjs/cqrs';
import type { CommandOf, NewMeta } from '@lockstep/engine';

/** Begins one turn: its first command, who stands behind it, and whether somebody listens for text. */
export class DispatchTurn extends Command<void> {
  readonly turn: string;
  readonly command: CommandOf<'StartTurn'> | CommandOf<'RefuseTurn'>;
  readonly meta: NewMeta;
  readonly listening: boolean;

  constructor(parts: {
    readonly turn: string;
    readonly command: CommandOf<'StartTurn'> | CommandOf<'RefuseTurn'>;
    readonly meta: NewMeta;
    readonly listening: boolean;
  }) {
    super();
    this.turn = parts.turn;
    this.command = parts.command;
    this.meta = parts.meta;
    this.listening = parts.listening;
  }
}

/** Hands a turn to whoever runs it. In the daemon this is the command bus. */
export type Dispatch = (command: DispatchTurn) => Promise<void>;
