import { contentText } from './content-text.ts';
import type { Artifacts, EventOf, LockstepEvent } from '@lockstep/engine';
import { digestOfText } from '@lockstep/policy';

/** What a person is asked, as it goes out on a connection: all that a decision must bring back. */
export type Asked =
  | {
      readonly kind: 'approval';
      readonly id: string;
      readonly turn: string;
      readonly agent: string;
      readonly call: string;
      readonly tool: string;
      readonly why: string;
      /** The whole text that the decision is about. */
      readonly view: string;
      /** Digest of that text: comes back with the decision. */
      readonly shown: string;
      /** Comes back with the decision. */
      readonly revision: number;
      readonly deadline: number | 'never';
      readonly choices: readonly ('once' | 'always' | 'deny')[];
    }
  | {
      readonly kind: 'question';
      readonly id: string;
      readonly turn: string;
      readonly agent: string;
      readonly text: string;
      readonly choices: readonly string[];
      readonly revision: number;
      readonly deadline: number | 'never';
    };

/** What an event asks of a person; null = nothing. */
export const askedBy = async (
  event: LockstepEvent,
  artifacts: Artifacts,
): Promise<Asked | null> => {
  if (event.type === 'ApprovalRequested') return approvalIn(event, artifacts);
  return event.type === 'QuestionAsked' ? questionIn(event, artifacts) : null;
};

const approvalIn = async (
  { data, meta, revision }: EventOf<'ApprovalRequested'>,
  artifacts: Artifacts,
): Promise<Asked | null> => {
  const view = await contentText(data.view, artifacts);
  if (view === null) return null;
  return {
    kind: 'approval',
    id: data.approval,
    turn: meta.turn ?? '',
    agent: meta.agent ?? '',
    call: data.call,
    tool: data.tool,
    why: data.why,
    view,
    shown: digestOfText(view),
    revision,
    deadline: data.deadline,
    choices: data.grantable ? ['once', 'always', 'deny'] : ['once', 'deny'],
  };
};

const questionIn = async (
  { data, meta, revision }: EventOf<'QuestionAsked'>,
  artifacts: Artifacts,
): Promise<Asked | null> => {
  const text = await contentText(data.text, artifacts);
  if (text === null) return null;
  return {
    kind: 'question',
    id: data.question,
    turn: meta.turn ?? '',
    agent: meta.agent ?? '',
    text,
    choices: data.choices,
    revision,
    deadline: data.deadline,
  };
};
