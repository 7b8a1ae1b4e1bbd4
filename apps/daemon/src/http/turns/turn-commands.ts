import { Inject } from '@nestjs/common';
import {
  Command,
  CommandHandler,
  Query,
  QueryHandler,
  type ICommandHandler,
  type IQueryHandler,
} from '@nestjs/cqrs';
import type { DecidedBy, TurnAnswer } from '@lockstep/engine';
import {
  TURNS,
  type ApprovalDecision,
  type DeciderRights,
  type DecisionResult,
  type LaunchResult,
  type TurnRequest,
  type Turns,
} from '../../turns/turns.port.ts';

/** Asks for a turn, whatever path it comes by. */
export class RequestTurn extends Command<LaunchResult> {
  readonly request: TurnRequest;
  constructor(request: TurnRequest) {
    super();
    this.request = request;
  }
}

export class DecideApproval extends Command<DecisionResult> {
  readonly approval: string;
  readonly decision: ApprovalDecision;
  readonly by: DecidedBy;
  readonly rights: DeciderRights;
  constructor(approval: string, decision: ApprovalDecision, by: DecidedBy, rights: DeciderRights) {
    super();
    this.approval = approval;
    this.decision = decision;
    this.by = by;
    this.rights = rights;
  }
}

export class AnswerQuestion extends Command<DecisionResult> {
  readonly question: string;
  readonly answer: { readonly text: string; readonly revision: number };
  readonly by: DecidedBy;
  readonly rights: DeciderRights;
  constructor(
    question: string,
    answer: AnswerQuestion['answer'],
    by: DecidedBy,
    rights: DeciderRights,
  ) {
    super();
    this.question = question;
    this.answer = answer;
    this.by = by;
    this.rights = rights;
  }
}

export class CancelTurn extends Command<'requested' | 'ended' | 'not_found'> {
  readonly turn: string;
  readonly by: string;
  readonly why: string;
  constructor(turn: string, by: string, why: string) {
    super();
    this.turn = turn;
    this.by = by;
    this.why = why;
  }
}

export class SteerTurn extends Command<'recorded' | 'ended' | 'not_found'> {
  readonly turn: string;
  readonly text: string;
  readonly by: string;
  constructor(turn: string, text: string, by: string) {
    super();
    this.turn = turn;
    this.text = text;
    this.by = by;
  }
}

/** The turn as it stands, or null. */
export class FindTurn extends Query<TurnAnswer | null> {
  readonly turn: string;
  constructor(turn: string) {
    super();
    this.turn = turn;
  }
}

/** The turn once it has ended or waits for a person. */
export class AwaitTurn extends Query<TurnAnswer | null> {
  readonly turn: string;
  readonly signal: AbortSignal;
  constructor(turn: string, signal: AbortSignal) {
    super();
    this.turn = turn;
    this.signal = signal;
  }
}

class OverTurns {
  protected readonly turns: Turns;
  constructor(@Inject(TURNS) turns: Turns) {
    this.turns = turns;
  }
}

@CommandHandler(RequestTurn)
export class RequestTurnHandler extends OverTurns implements ICommandHandler<RequestTurn> {
  execute(command: RequestTurn): Promise<LaunchResult> {
    return this.turns.launch(command.request);
  }
}

@CommandHandler(DecideApproval)
export class DecideApprovalHandler extends OverTurns implements ICommandHandler<DecideApproval> {
  execute(command: DecideApproval): Promise<DecisionResult> {
    return this.turns.decide(command.approval, command.decision, command.by, command.rights);
  }
}

@CommandHandler(AnswerQuestion)
export class AnswerQuestionHandler extends OverTurns implements ICommandHandler<AnswerQuestion> {
  execute(command: AnswerQuestion): Promise<DecisionResult> {
    return this.turns.answerQuestion(command.question, command.answer, command.by, command.rights);
  }
}

@CommandHandler(CancelTurn)
export class CancelTurnHandler extends OverTurns implements ICommandHandler<CancelTurn> {
  execute(command: CancelTurn): Promise<'requested' | 'ended' | 'not_found'> {
    return this.turns.cancel(command.turn, command.by, command.why);
  }
}

@CommandHandler(SteerTurn)
export class SteerTurnHandler extends OverTurns implements ICommandHandler<SteerTurn> {
  execute(command: SteerTurn): Promise<'recorded' | 'ended' | 'not_found'> {
    return this.turns.steer(command.turn, command.text, command.by);
  }
}

@QueryHandler(FindTurn)
export class FindTurnHandler extends OverTurns implements IQueryHandler<FindTurn> {
  execute(query: FindTurn): Promise<TurnAnswer | null> {
    return this.turns.answer(query.turn);
  }
}

@QueryHandler(AwaitTurn)
export class AwaitTurnHandler extends OverTurns implements IQueryHandler<AwaitTurn> {
  execute(query: AwaitTurn): Promise<TurnAnswer | null> {
    return this.turns.settled(query.turn, query.signal);
  }
}

export const turnHandlers = [
  RequestTurnHandler,
  DecideApprovalHandler,
  AnswerQuestionHandler,
  CancelTurnHandler,
  SteerTurnHandler,
  FindTurnHandler,
  AwaitTurnHandler,
];
