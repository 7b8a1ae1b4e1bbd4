import type { DecidedBy } from '../../events/parts.ts';
import { lineOf, toolName, type SayAll } from './said.ts';
import { ruleWords } from './rule-words.ts';

export type ApprovalEvent =
  | 'ApprovalRequested'
  | 'ApprovalVoted'
  | 'ApprovalGranted'
  | 'ApprovalDenied'
  | 'ApprovalExpired'
  | 'ApprovalClosed'
  | 'QuestionAsked'
  | 'QuestionAnswered'
  | 'QuestionExpired';

/** The words of questions to people and of their answers. */
export const approvalTitles: SayAll<ApprovalEvent> = {
  ApprovalRequested: (d) => ({
    tone: 'waiting',
    title: `asked about ${toolName(d.tool)}: ${ruleWords(d.rule)}`,
    detail: d.why,
    call: d.call,
    tool: d.tool,
    rule: d.rule,
    pattern: d.pattern,
    verdict: 'ask',
    approval: d.approval,
  }),
  ApprovalVoted: (d) => ({
    tone: 'neutral',
    title: `${who(d.by)} voted ${d.choice}`,
    detail: surface(d.by),
    approval: d.approval,
    approver: who(d.by),
  }),
  ApprovalGranted: (d) => ({
    tone: 'good',
    title: `approved ${d.choice === 'always' ? 'from now on' : 'once'} by ${who(d.by)}`,
    detail: surface(d.by),
    call: d.call,
    approval: d.approval,
    approver: who(d.by),
  }),
  ApprovalDenied: (d) => ({
    tone: 'refused',
    title: `denied by ${who(d.by)}`,
    detail: d.guidance === null ? surface(d.by) : lineOf(d.guidance),
    call: d.call,
    approval: d.approval,
    approver: who(d.by),
  }),
  ApprovalExpired: (d) => ({
    tone: 'refused',
    title: 'nobody answered in time',
    call: d.call,
    approval: d.approval,
  }),
  ApprovalClosed: (d) => ({
    tone: 'refused',
    title: `request closed: ${d.reason.replaceAll('_', ' ')}`,
    detail: d.why,
    call: d.call,
    approval: d.approval,
  }),
  QuestionAsked: (d) => ({
    tone: 'waiting',
    title: 'the agent asks a person',
    detail: lineOf(d.text),
    call: d.call,
    approval: d.question,
  }),
  QuestionAnswered: (d) => ({
    tone: 'good',
    title: `answered by ${who(d.by)}`,
    detail: lineOf(d.text),
    call: d.call,
    approval: d.question,
    approver: who(d.by),
  }),
  QuestionExpired: (d) => ({
    tone: 'refused',
    title: 'nobody answered the question in time',
    call: d.call,
    approval: d.question,
  }),
};

const who = (by: DecidedBy): string => by.person ?? by.principal;
const surface = (by: DecidedBy): string => `from ${by.surface.replaceAll('_', ' ')}`;
