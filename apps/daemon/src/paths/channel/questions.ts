import { createHash } from 'node:crypto';
import {
  digestOfContent,
  type Artifacts,
  type Content,
  type EventOf,
  type Ledger,
  type LockstepEvent,
  type ReplyTo,
} from '@lockstep/engine';

export type Asking = EventOf<'ApprovalRequested'> | EventOf<'QuestionAsked'>;

/** Something that a person is asked in a conversation. */
export interface Question {
  readonly id: string;
  readonly kind: 'approval' | 'question';
  /** What a person types: short, and the same after a restart. */
  readonly code: string;
  readonly to: ReplyTo;
  readonly turn: string;
  readonly agent: string;
  readonly tool: string | null;
  /** The canonical view of an approval, or the text of a question. */
  readonly text: string;
  readonly why: string | null;
  readonly choices: readonly string[];
  /** Digest of the view. */
  readonly shown: string;
  readonly revision: number;
}

const letters = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

/** Eight letters and digits that nobody mixes up, from the id. It is no secret: it says which request is meant, not who may decide. */
export const codeOf = (id: string): string =>
  [...createHash('sha256').update(id).digest().subarray(0, 8)]
    .map((byte) => letters.charAt(byte % 32))
    .join('');

export const isAsking = (event: LockstepEvent): event is Asking =>
  event.type === 'ApprovalRequested' || event.type === 'QuestionAsked';

/** The conversations that a request is shown in: the root turn's own, and the one that its route names. */
export const placesOf = (event: Asking, ledger: Ledger): readonly ReplyTo[] => {
  const own = ledger.owedReply(event.meta.root ?? event.meta.turn ?? '')?.to;
  const routed = event.type === 'ApprovalRequested' ? routeOf(event.data.route) : null;
  const isSame =
    own !== undefined &&
    routed?.binding === own.binding &&
    routed.conversation === own.conversation;
  return [...(own === undefined ? [] : [own]), ...(routed === null || isSame ? [] : [routed])];
};

/** `channel:<kind.alias>/<conversation>`. */
const routeOf = (route: string): ReplyTo | null => {
  const [, binding, conversation] = /^channel:([^/]+)\/(.+)$/s.exec(route) ?? [];
  return binding === undefined || conversation === undefined
    ? null
    : { binding, conversation, thread: null, message: null };
};

/** What is asked in one place; null when its text cannot be had. */
export const questionOf = async (
  event: Asking,
  to: ReplyTo,
  artifacts: Artifacts,
): Promise<Question | null> => {
  const approval = event.type === 'ApprovalRequested';
  const content = approval ? event.data.view : event.data.text;
  const text = await textOf(content, artifacts);
  if (text === null) return null;
  const id = approval ? event.data.approval : event.data.question;
  return {
    id,
    kind: approval ? 'approval' : 'question',
    code: codeOf(id),
    to,
    turn: event.meta.turn ?? '',
    agent: event.meta.agent ?? '',
    tool: approval ? event.data.tool : null,
    text,
    why: approval ? event.data.why : null,
    choices: approval ? [] : event.data.choices,
    shown: digestOfContent(content),
    revision: event.revision,
  };
};

const textOf = async (content: Content, artifacts: Artifacts): Promise<string | null> => {
  if ('inline' in content) return content.inline;
  return 'artifact' in content ? artifacts.get(content.artifact) : null;
};
