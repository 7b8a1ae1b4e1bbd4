import type {
  Content,
  InboxRow,
  LockstepEvent,
  TurnAnswer,
  TurnDetail,
  TurnRow,
} from '@lockstep/engine';
import { holdsAny, seesAgent, seesContent, type Caller } from '../access/caller.ts';
import { hideContent } from './hide-content.ts';
import { hideParents } from './hide-parent.ts';

/** Whoever asked for a turn may read it, whatever the role. */
const isOwn = ({ principal: { kind, id } }: Caller, principal: string | null): boolean =>
  principal === `${kind}:${id}`;

const shows = (caller: Caller, principal: string | null): boolean =>
  seesContent(caller) || isOwn(caller, principal);

export const showRow = (row: TurnRow, caller: Caller): Record<string, unknown> => ({
  ...row,
  ...(shows(caller, row.principal) ? {} : { input: null, reply: null }),
});

/** A turn's answer; who may not read content gets how it stands alone. */
export const showAnswer = (answer: TurnAnswer, all: boolean): TurnAnswer =>
  all ? answer : { ...answer, reply: null, reason: null };

export const showDetail = (
  detail: TurnDetail,
  answer: TurnAnswer,
  caller: Caller,
): Record<string, unknown> => {
  const all = shows(caller, detail.row.principal);
  return {
    ...detail,
    row: showRow(detail.row, caller),
    steps: detail.steps.map((step) => (all ? step : { ...step, title: step.type, detail: null })),
    answer: showAnswer(answer, all),
  };
};

/** Which events a caller gets at all. */
export const seesEvent = (caller: Caller, event: LockstepEvent): boolean => {
  if (event.meta.agent !== null) return seesAgent(caller, event.meta.agent);
  if (!caller.scopes.agents.includes('*')) return false;
  if (event.stream === 'access') return holdsAny(caller, ['auditor']);
  return !event.stream.startsWith('artifact-') || seesContent(caller);
};

/** An event as a caller may see it: with content for auditors, for who asked for the turn, and for an approver what is asked. The policy
 * of a turn above is for who sees its agent. */
export const showEvent = (caller: Caller, event: LockstepEvent): LockstepEvent =>
  withContent(caller, hideParents(event, caller));

const withContent = (caller: Caller, event: LockstepEvent): LockstepEvent => {
  const { principal } = event.meta;
  if (shows(caller, principal === null ? null : `${principal.kind}:${principal.id}`)) return event;
  const asked =
    event.type === 'ApprovalRequested' ||
    event.type === 'QuestionAsked' ||
    event.type === 'SopGateOpened';
  return asked && holdsAny(caller, ['approver']) ? event : hideContent(event);
};

/** A request for a person, its text filled in where the caller's role shows it. */
export const showInboxRow = (
  row: InboxRow,
  view: string | null,
  caller: Caller,
): Record<string, unknown> =>
  holdsAny(caller, ['approver', 'auditor'])
    ? { ...row, view }
    : { ...row, view: null, operands: [], why: null, reason: null, choices: [] };

/** The text of content that stands inside, or null when it must be fetched by digest or is sealed. */
export const inlineText = (content: Content): string | null =>
  'inline' in content ? content.inline : null;
