import type { PathName, Trigger } from '@lockstep/policy';
import type { Content } from '../events/content.ts';
import type { DecidedBy, Operand, RuleId } from '../events/parts.ts';

/** One request that a person decides: an approval of a call, a question of the agent, or the gate before a step of a procedure. */
export interface InboxRow {
  readonly id: string;
  readonly kind: 'approval' | 'question' | 'gate';
  /** Of a gate: the run of the procedure. */
  readonly turn: string;
  readonly agent: string;
  readonly path: PathName;
  readonly trigger: Trigger;
  readonly session: string;
  /** Who asked for the turn. */
  readonly principal: string;
  readonly person: string | null;
  readonly call: string;
  readonly tool: string | null;
  readonly operands: readonly Operand[];
  readonly rule: RuleId | null;
  readonly pattern: string | null;
  readonly why: string | null;
  /** What the approver is shown (approval), or the question's text. */
  readonly view: Content;
  /** SHA-256 of the view's text: comes back with the decision. */
  readonly shown: string;
  readonly choices: readonly string[];
  readonly binding: string | null;
  readonly grantable: boolean;
  /** Revision of the request in its stream: comes back with the decision. */
  readonly revision: number;
  readonly askedAt: number;
  readonly deadline: number | 'never';
  readonly state: 'pending' | 'granted' | 'denied' | 'expired' | 'closed' | 'answered';
  readonly decidedAt: number | null;
  readonly decidedBy: DecidedBy | null;
  readonly reason: string | null;
  /** Who is asked; null = whoever holds the role. */
  readonly route: string | null;
  /** Who may not decide; null = nobody is kept out. */
  readonly notBy: string | null;
  /** Who said yes so far, where it takes several. */
  readonly votes: { readonly required: number; readonly by: readonly DecidedBy[] } | null;
  /** The view is too long to be shown whole: it can be denied, or edited. */
  readonly cut: boolean;
}
