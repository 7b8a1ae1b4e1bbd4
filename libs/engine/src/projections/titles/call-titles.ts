import type { Operand } from '../../events/parts.ts';
import { duration, lineOf, many, toolName, type SayAll } from './said.ts';
import { ruleWords } from './rule-words.ts';

export type CallEvent =
  | 'ToolCallAuthorized'
  | 'ToolCallRefused'
  | 'ToolCallStarted'
  | 'ToolCallCompleted'
  | 'ToolCallFailed'
  | 'ToolCallCancelled'
  | 'ToolCallOutcomeUnknown'
  | 'UnknownOutcomeSettled'
  | 'LoopDetected';

const reasons = {
  autonomy: 'by itself',
  auto_approve: 'approved beforehand',
  grant: 'by a standing approval',
  approval: 'by a person',
} as const;

/** The words of verdicts on calls and of what became of them. */
export const callTitles: SayAll<CallEvent> = {
  ToolCallAuthorized: (d) => ({
    tone: 'good',
    title: `allowed ${toolName(d.tool)} ${reasons[d.by]}`,
    detail: operandsLine(d.facts.operands) ?? d.why,
    call: d.call,
    tool: d.tool,
    rule: d.rule,
    pattern: d.pattern,
    verdict: 'allow',
    approval: d.approval,
  }),
  ToolCallRefused: (d) => ({
    tone: 'refused',
    title: `refused ${toolName(d.tool ?? d.alias)}: ${ruleWords(d.rule)}`,
    detail: d.why,
    call: d.call,
    tool: d.tool,
    rule: d.rule,
    pattern: d.pattern,
    verdict: 'refuse',
    approval: d.approval,
  }),
  ToolCallStarted: (d) => ({
    tone: 'neutral',
    title: `started ${toolName(d.tool)}${d.attempt > 1 ? `, try ${d.attempt}` : ''}`,
    detail: operandsLine(d.operands),
    call: d.call,
    tool: d.tool,
  }),
  ToolCallCompleted: (d) => ({
    tone: d.isError ? 'bad' : 'good',
    title: `${d.isError ? 'the tool reported an error' : 'done'} after ${duration(d.durationMs)}`,
    detail: [
      many(d.chars, 'character'),
      ...(d.truncated ? ['cut'] : []),
      ...(d.masked > 0 ? [`${many(d.masked, 'secret')} masked`] : []),
    ].join(', '),
    call: d.call,
  }),
  ToolCallFailed: (d) => ({
    tone: 'bad',
    title: `call failed: ${d.error.kind.replaceAll('_', ' ')}`,
    detail: d.error.message,
    call: d.call,
  }),
  ToolCallCancelled: (d) => ({
    tone: 'bad',
    title: d.started ? 'call cancelled, its effect may have happened' : 'call cancelled',
    detail: d.why,
    call: d.call,
  }),
  ToolCallOutcomeUnknown: (d) => ({
    tone: 'bad',
    title: `nobody knows how ${toolName(d.tool)} ended`,
    detail: d.why,
    call: d.call,
    tool: d.tool,
  }),
  UnknownOutcomeSettled: (d) => ({
    tone: 'neutral',
    title: `unknown outcome settled as ${d.as} by ${d.by.person ?? d.by.principal}`,
    call: d.call,
  }),
  LoopDetected: (d) => ({
    tone: 'refused',
    title: `loop: ${toolName(d.tool)} called ${d.repeats} times alike`,
    detail: `within ${many(d.window, 'call')}`,
    tool: d.tool,
    rule: 'budgets.loop_detection',
  }),
};

/** What a call touches, in one line. */
const operandsLine = (operands: readonly Operand[]): string | null => {
  const named = operands.flatMap((o) => ('given' in o ? [o.given] : []));
  return named.length === 0 ? null : lineOf({ inline: named.join(', ') });
};
