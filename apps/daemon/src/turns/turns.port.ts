import type { FamilyMember } from './families.ts';
import type {
  ChildLink,
  DecidedBy,
  GrantField,
  PendingRecord,
  ReplyTo,
  TurnAnswer,
} from '@lockstep/engine';
import type { Narrowing, Origin, Principal, ResolutionProblem, Role } from '@lockstep/policy';

/** What a path adapter hands to `launchTurn`: ids and the message. Never a policy word. */
export interface TurnRequest {
  /** Explicit on every path; there is no default agent. */
  readonly agent: string;
  readonly principal: Principal;
  /** Null = a new session. */
  readonly session: string | null;
  readonly origin: Origin;
  readonly client: Narrowing | 'none';
  readonly input: string;
  /** From the caller's Idempotency-Key: a repeat is the same turn, the same key with another body is refused. */
  readonly idempotency: { readonly key: string; readonly body: string } | null;
  /** Somebody listens for text while it is made. */
  readonly listening: boolean;
  /** Whose session it is, when it is not the principal's own: the people of one conversation share it. */
  readonly owner?: Principal;
  /** A channel's own address of the conversation: the reply is delivered there, and recorded. */
  readonly replyTo?: ReplyTo;
  /** Messages that the client itself brought along: untrusted text before the input. */
  readonly earlier?: readonly {
    readonly role: 'user' | 'assistant' | 'system';
    readonly text: string;
  }[];
  /** Id that the turn must have, for jobs, steps and children: a repeat is the same turn. It takes no session. */
  readonly turn?: string;
  /** The turn and call that started this one. */
  readonly parent?: { readonly turn: string; readonly call: string };
  /** What the starting tool's arguments take away. */
  readonly spawn?: Narrowing;
}

export type LaunchResult =
  | {
      readonly kind: 'accepted';
      readonly turn: string;
      readonly session: string;
      readonly position: string;
      /** The same request was accepted before; nothing was started. */
      readonly repeat: boolean;
    }
  | {
      readonly kind: 'refused';
      readonly code:
        | 'agent_unavailable'
        | 'not_permitted'
        | 'stopped'
        | 'disk_full'
        | 'read_only'
        | 'invalid_request';
      readonly turn: string | null;
      readonly message: string;
      readonly problems: readonly ResolutionProblem[];
    }
  | { readonly kind: 'key_reused' }
  | { readonly kind: 'session_refused'; readonly message: string };

export interface ApprovalDecision {
  readonly choice: 'once' | 'always' | 'deny';
  /** For `always`. Absent = session, exact arguments, this person. */
  readonly scope: {
    readonly kind: 'session' | 'agent';
    readonly arguments: 'exact' | 'any' | 'fields';
    /** For `fields`: what the named arguments must be. */
    readonly fields?: readonly GrantField[];
    readonly anyone: boolean;
  } | null;
  /** Arguments in place of the model's, as JSON text, for `once` and `always`: they pass the gate again. */
  readonly arguments?: string;
  /** What the surface could not show of the view: then it can be denied, not granted. */
  readonly cut?: readonly string[];
  readonly guidance: string | null;
  readonly revision: number;
  /** Digest of the view that the person saw. */
  readonly shown: string;
}

/** What a surface knows of the rights behind a decision. */
export interface DeciderRights {
  readonly roles: ReadonlySet<Role>;
  /** Patterns; `["*"]` is all. */
  readonly scopes: { readonly agents: readonly string[]; readonly tools: readonly string[] };
}

export type DecisionResult =
  | {
      readonly kind: 'decided';
      readonly position: string;
      /** The answer is one vote of several, and more are needed. */
      readonly votes?: { readonly given: number; readonly required: number };
    }
  /** This person may not decide here; recorded as AccessDenied. */
  | { readonly kind: 'forbidden'; readonly message: string }
  /** The same person's repeat of the same answer. */
  | { readonly kind: 'repeat' }
  | {
      readonly kind: 'already_decided';
      readonly by: DecidedBy | null;
      readonly at: number;
      readonly how: string;
    }
  | { readonly kind: 'stale_revision'; readonly revision: number }
  | { readonly kind: 'invalid'; readonly message: string }
  | { readonly kind: 'not_found' };

/** A piece of text while it is made: masked, not an event. */
export interface Delta {
  readonly turn: string;
  readonly attempt: number;
  readonly text: string;
}

/** Takes a decision on the gate before a step of a procedure, from a person who may decide. */
export type GateDecider = (
  record: PendingRecord,
  decision: ApprovalDecision,
  by: DecidedBy,
) => Promise<DecisionResult>;

/** What the paths and the HTTP layer may ask of running turns. */
export interface Turns {
  launch(request: TurnRequest): Promise<LaunchResult>;
  /** The turn as it stands. */
  answer(turn: string): Promise<TurnAnswer | null>;
  /** Resolves when the turn has ended or waits for a person, or when the signal aborts. */
  settled(turn: string, signal: AbortSignal): Promise<TurnAnswer | null>;
  deltas(turn: string, listener: (delta: Delta) => void): () => void;
  /** Takes a person's decision. Whether that person may decide is judged here, alike for every surface. Without `rights` they are
   * those of the person in config; the socket and the command line of the machine's own user act as admin. */
  decide(
    approval: string,
    decision: ApprovalDecision,
    by: DecidedBy,
    rights?: DeciderRights,
  ): Promise<DecisionResult>;
  /** Names who takes decisions on gates: they wait in the same inbox and are decided by the same way. */
  onGate(decider: GateDecider): void;
  answerQuestion(
    question: string,
    answer: { readonly text: string; readonly revision: number },
    by: DecidedBy,
    rights?: DeciderRights,
  ): Promise<DecisionResult>;
  /** An emergency stop or a pause was set or taken back: every running turn looks for itself, at once. */
  flagsChanged(): void;
  /** Told after flags have changed. Answers the way to stop. */
  onFlags(listener: () => void): () => void;
  /** An operator says what became of a call whose outcome is not known; the same tool and arguments may run again. */
  settleOutcome(
    turn: string,
    call: string,
    settlement: { readonly as: 'retry' | 'done' | 'failed'; readonly by: DecidedBy },
  ): Promise<'settled' | 'not_found'>;
  cancel(turn: string, by: string, why: string): Promise<'requested' | 'ended' | 'not_found'>;
  /** Resolves when the turn has ended, or when the signal aborts. */
  ended(turn: string, signal: AbortSignal): Promise<TurnAnswer | null>;
  /** Whether a turn that runs here, and all that it waits for, waits for people. */
  isWaiting(turn: string): boolean;
  /** Open turns below a turn, at every depth: their approvals are shown where the root's are. */
  family(turn: string): readonly FamilyMember[];
  /** A call of a turn has started another one: that is recorded in the stream of the first. */
  link(turn: string, child: ChildLink): Promise<void>;
  /** What a turn started asks a person without a turn of its own, as a gate does: whoever waits for the turn, or for one above it,
   * hears of it. */
  askedBelow(turn: string): void;
  /** Told of every turn that came to rest: it waits for people, has ended, or has halted. */
  onRest(listener: (turn: string) => void): () => void;
  steer(turn: string, text: string, by: string): Promise<'recorded' | 'ended' | 'not_found'>;
}

/** Injection token of the one `Turns`. */
export const TURNS = Symbol('TURNS');
