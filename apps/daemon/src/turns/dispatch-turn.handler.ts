import { Inject } from '@nestjs/common';
import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { DispatchTurn } from './dispatch-turn.command.ts';
import { RUNNING_TURNS, type RunningTurns } from './running-turns.ts';

@CommandHandler(DispatchTurn)
export class DispatchTurnHandler implements ICommandHandler<DispatchTurn> {
  readonly #running: RunningTurns;

  constructor(@Inject(RUNNING_TURNS) running: RunningTurns) {
    this.#running = running;
  }

  execute(command: DispatchTurn): Promise<void> {
    return this.#running.begin(command);
  }
}
