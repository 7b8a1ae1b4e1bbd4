import type { CommandOf, TurnCommand } from './commands.ts';
import { recallMemory } from './decisions/memory.ts';
import { nothing, refuse, type Decision } from './decision.ts';
import { linkChild, reportChild } from './decisions/children.ts';
import { answerQuestion, decideApproval, expireWaits } from './decisions/approvals.ts';
import { judgeCalls } from './decisions/judge.ts';
import { beginModelCall, endModelCall } from './decisions/model.ts';
import { narrowTurn, refuseTurn, startTurn } from './decisions/start.ts';
import { cancel, fail, finishTurn, steer, timeOut } from './decisions/stop.ts';
import { endToolCall, loseToolCall, settleOutcome } from './decisions/tools.ts';
import type { OpenTurn, TurnState } from './state.ts';

/** Which facts follow from a command. Pure; a command that comes twice is safe. */
export const decide = (command: TurnCommand, state: TurnState): Decision => {
  if (command.type === 'StartTurn') return startTurn(command, state);
  if (command.type === 'RefuseTurn') return refuseTurn(command, state);
  return state.status === 'open' ? decideOpen(command, state) : notOpen(command, state);
};

type OpenCommand = Exclude<TurnCommand, CommandOf<'StartTurn'> | CommandOf<'RefuseTurn'>>;

type Rules = {
  readonly [T in OpenCommand['type']]: (command: CommandOf<T>, state: OpenTurn) => Decision;
};

/** Every command is named: a new one does not compile until it has a rule. */
const rules: Rules = {
  NarrowTurn: narrowTurn,
  RecallMemory: recallMemory,
  BeginModelCall: beginModelCall,
  EndModelCall: endModelCall,
  JudgeCalls: judgeCalls,
  EndToolCall: endToolCall,
  LoseToolCall: loseToolCall,
  DecideApproval: decideApproval,
  AnswerQuestion: answerQuestion,
  SettleOutcome: settleOutcome,
  ExpireWaits: expireWaits,
  TimeOut: timeOut,
  Steer: steer,
  LinkChild: linkChild,
  ReportChild: reportChild,
  Cancel: cancel,
  Fail: fail,
  Finish: finishTurn,
};

const decideOpen = (command: OpenCommand, state: OpenTurn): Decision => {
  const rule: (command: never, state: OpenTurn) => Decision = rules[command.type];
  return rule(command as never, state);
};

/** What people send: they are told that they came too late. Everything else is the runner's own work, and then a repeat. */
const fromPeople: ReadonlySet<TurnCommand['type']> = new Set<TurnCommand['type']>([
  'DecideApproval',
  'AnswerQuestion',
  'SettleOutcome',
  'Steer',
  'Cancel',
]);

const notOpen = (command: OpenCommand, state: TurnState): Decision => {
  if (state.status !== 'ended') return refuse('not_started', 'the turn has not begun');
  // What became of a call may turn out long after its turn.
  if (command.type === 'SettleOutcome' && state.before !== null)
    return settleOutcome(command, state.before);
  return fromPeople.has(command.type) ? refuse('ended', 'the turn has ended') : nothing;
};
