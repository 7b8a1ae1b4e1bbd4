import type { TurnEvent } from '../../events/event.ts';
import { callTitles, type CallEvent } from './call-titles.ts';
import { approvalTitles, type ApprovalEvent } from './approval-titles.ts';
import { dollars, duration, lineOf, many, type SayAll } from './said.ts';
import { ruleWords } from './rule-words.ts';

type Rest = Exclude<TurnEvent['type'], CallEvent | ApprovalEvent>;

const lifeTitles: SayAll<Rest> = {
  TurnRequested: (d) => ({
    tone: 'neutral',
    title: `asked over ${d.path}/${d.trigger}`,
    detail: lineOf(d.input),
  }),
  PolicyResolved: (d) => ({
    tone: 'neutral',
    title: `policy resolved from config version ${d.config.version}`,
    detail: many(d.narrowings.filter(({ values }) => values !== 'none').length, 'narrowing'),
  }),
  TurnRefused: (d) => ({
    tone: 'refused',
    title: `turn refused: ${d.code.replaceAll('_', ' ')}`,
    detail: d.problems.map(({ message }) => message).join('; ') || d.shown,
  }),
  PolicyNarrowed: (d) => ({
    tone: 'neutral',
    title: `policy narrowed to config version ${d.config.version}`,
    detail: d.keys.join(', '),
  }),
  SkillActivated: (d) => ({
    tone: 'neutral',
    title: `skill ${d.skill} read`,
    detail: d.tools === null ? null : `offers ${d.tools.join(', ')} from now on`,
    call: d.call,
  }),
  MemoryRecalled: (d) => ({
    tone: 'neutral',
    title: `${many(d.rows.length, 'row')} of memory recalled`,
    detail: lineOf(d.query),
    ...(d.call === null ? {} : { call: d.call }),
  }),
  ContextTrimmed: (d) => ({
    tone: 'neutral',
    title: `context trimmed: ${many(d.droppedMessages, 'message')} left out`,
    detail: `${d.limit}, ${many(d.cutToolResults.length, 'tool result')} cut`,
  }),
  ModelCallStarted: (d) => ({
    tone: 'neutral',
    title: `model call ${d.modelCall} to ${d.model}${d.attempt > 1 ? `, try ${d.attempt}` : ''}`,
    detail: d.final
      ? 'the last one, without tools'
      : `${many(d.advertised.length, 'tool')} offered`,
  }),
  ModelCallCompleted: (d) => ({
    tone: 'neutral',
    title: d.calls.length > 0 ? `model asks for ${many(d.calls.length, 'call')}` : 'model answered',
    detail: `${many(d.settled.tokens, 'token')}, ${dollars(d.settled.cost)}, ${duration(d.durationMs)}`,
  }),
  ModelCallFailed: (d) => ({
    tone: 'bad',
    title: `model call failed: ${d.error.kind.replaceAll('_', ' ')}`,
    detail: d.retryAt === null ? d.error.message : `${d.error.message} (will be tried again)`,
  }),
  BudgetWarning: (d) => ({
    tone: 'waiting',
    title: `budget nearly used: ${d.used} of ${d.cap}`,
    detail: d.key,
    rule: d.key,
  }),
  BudgetExhausted: (d) => ({
    tone: 'refused',
    title: `budget used up: ${ruleWords(d.key)}`,
    detail: d.why,
    rule: d.key,
  }),
  ChildTurnLinked: (d) => ({
    tone: 'neutral',
    title: `${d.agent} works on it`,
    detail: d.child,
    call: d.call,
  }),
  TurnSteered: (d) => ({
    tone: 'neutral',
    title: `steered by ${d.by}`,
    detail: lineOf(d.text),
  }),
  CancelRequested: (d) => ({
    tone: 'neutral',
    title: `cancel asked for by ${d.by}`,
    detail: d.why,
  }),
  TurnTakenOver: (d) => ({ tone: 'neutral', title: `taken over by ${d.daemon}` }),
  TurnCompleted: (d) => ({
    tone: 'good',
    title: d.endedBy === null ? 'turn completed' : `turn ended early: ${ruleWords(d.endedBy)}`,
    detail: `${many(d.toolCalls, 'tool call')}, ${many(d.tokens, 'token')}, ${dollars(d.cost)}`,
  }),
  TurnFailed: (d) => ({
    tone: 'bad',
    title: `turn failed: ${d.code.replaceAll('_', ' ')}`,
    detail: d.message,
    ...(d.key === null ? {} : { rule: d.key }),
  }),
  TurnCancelled: (d) => ({ tone: 'bad', title: `turn cancelled by ${d.by}`, detail: d.why }),
  ReplyDeliveryStarted: (d) => ({ tone: 'neutral', title: `reply goes out to ${d.to}` }),
  ReplyDelivered: (d) => ({ tone: 'good', title: `reply delivered to ${d.to}` }),
  ReplyDeliveryFailed: (d) => ({
    tone: 'bad',
    title: `reply not delivered to ${d.to}`,
    detail: d.why,
  }),
};

/** The words of every event of a turn's stream. */
export const turnTitles: SayAll<TurnEvent['type']> = {
  ...lifeTitles,
  ...callTitles,
  ...approvalTitles,
};
