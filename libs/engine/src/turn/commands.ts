import type {
  PathName,
  ResolutionProblem,
  ResolvedPolicy,
  ResolveRecords,
  ResolveRequest,
  SettingKey,
  Trigger,
} from '@lockstep/policy';
import type { Made } from '../context/system-text.ts';
import type { DataOf } from '../events/event.ts';
import type { ReplyTo } from '../events/turn-parts.ts';
import type { CapUse, ConfigRef, DecidedBy, Facts, GrantField } from '../events/parts.ts';
import type { GateCall } from '../gate/verdict.ts';
import type { ModelOutcome } from '../ports/model.ts';
import type { ToolOutcome } from '../ports/tools.ts';

/** A tool outcome with its end known or unknown, as the runner hands it on. */
export interface ToolReport {
  readonly call: string;
  readonly attempt: number;
  readonly outcome: ToolOutcome;
  readonly durationMs: number;
}

/** One call with all that its verdict reads outside the stream. Budget caps are added by the decider, call by call. */
export interface PreparedCall {
  readonly call: GateCall;
  readonly facts: Omit<Facts, 'caps'>;
  /** Ids to use if the verdict needs them. */
  readonly ids: { readonly approval: string; readonly question: string };
  /** Old content of the file that the call writes, masked, for the view of an approval; null = none, or not to be shown. */
  readonly before: string | null;
  /** Names of the secrets that the tool port would restore into the arguments. */
  readonly unsealed: readonly string[];
  /** Turns that the call would start, for tools that start some. */
  readonly children?: readonly { readonly turn: string; readonly agent: string | null }[];
  /** Who asked for the turn at its root, for `four_eyes`: the person, or the identity; absent = the turn's own principal. */
  readonly asker?: string;
}

/** What stands in ModelCallStarted, prepared by `prepareModelInput`. */
export interface PreparedModelCall {
  readonly system: string;
  readonly tools: string;
  readonly advertised: readonly string[];
  readonly input: string;
  readonly messages: number;
  readonly historyMessages: number;
  readonly promptTokens: number;
  readonly trims: readonly Omit<DataOf<'ContextTrimmed'>, 'modelCall'>[];
  /** What the system text is made of beside the template; absent = nothing. */
  readonly made?: Made;
}

/** A decision of a person on a pending approval. */
export interface PersonDecision {
  readonly approval: string;
  readonly by: DecidedBy;
  readonly choice: 'once' | 'always' | 'deny';
  readonly guidance: string | null;
  /** Digest of the view that the person saw. */
  readonly shown: string;
  /** For `always`: what to grant. `id` becomes the grant's. */
  readonly grant: {
    readonly id: string;
    readonly scope: 'session' | 'agent';
    readonly arguments: 'exact' | 'any' | 'fields';
    readonly fields?: readonly GrantField[];
    readonly anyone: boolean;
  } | null;
  /** The call with arguments that the person put in place of the model's, looked at anew, and their masked JSON text. */
  readonly edited?: { readonly args: string; readonly prepared: PreparedCall };
  /** What the surface cut or masked of the view. */
  readonly cut?: readonly string[];
}

/** A turn below this one. */
export interface ChildLink {
  readonly call: string;
  readonly turn: string;
  readonly agent: string;
  /** The call does not wait for it. */
  readonly background: boolean;
}

/** What may be asked of a turn. Clock, ids and everything read outside come with the command. */
export type TurnCommand =
  | {
      readonly type: 'StartTurn';
      readonly policy: ResolvedPolicy;
      readonly input: string;
      readonly message: string | null;
      readonly history: readonly string[];
      readonly earlier?: DataOf<'TurnRequested'>['earlier'];
      readonly call?: string | null;
      readonly replyTo?: ReplyTo | null;
    }
  | {
      readonly type: 'RefuseTurn';
      readonly request: ResolveRequest;
      readonly records: ResolveRecords;
      readonly config: ConfigRef;
      readonly path: PathName;
      readonly trigger: Trigger;
      readonly input: string;
      readonly message: string | null;
      readonly code: DataOf<'TurnRefused'>['code'];
      readonly problems: readonly ResolutionProblem[];
      readonly shown: string;
      readonly call?: string | null;
      readonly replyTo?: ReplyTo | null;
    }
  | {
      readonly type: 'NarrowTurn';
      readonly policy: ResolvedPolicy;
      readonly keys: readonly SettingKey[];
    }
  | {
      readonly type: 'BeginModelCall';
      readonly now: number;
      readonly prepared: PreparedModelCall;
      readonly deltas: DataOf<'ModelCallStarted'>['deltas'];
      /** Caps of ancestors and of the agent's windows, read at the moment of the decision; absent = none bind. */
      readonly outside?: readonly CapUse[];
    }
  | {
      readonly type: 'EndModelCall';
      readonly now: number;
      readonly outcome: ModelOutcome | { readonly ok: false; readonly kind: 'interrupted' };
      readonly durationMs: number;
      /** Secrets that were masked in the reply. */
      readonly masked: number;
    }
  | {
      readonly type: 'JudgeCalls';
      readonly now: number;
      readonly calls: readonly PreparedCall[];
      /** Caps of ancestors and of the agent's windows, read at the moment of the decision; absent = none bind. */
      readonly outside?: readonly CapUse[];
    }
  /** What memory gives unasked, before the first model call. */
  | {
      readonly type: 'RecallMemory';
      readonly now: number;
      readonly recalled: Omit<DataOf<'MemoryRecalled'>, 'by' | 'call'>;
    }
  | { readonly type: 'EndToolCall'; readonly now: number; readonly report: ToolReport }
  | {
      readonly type: 'LoseToolCall';
      readonly now: number;
      readonly call: string;
      readonly why: string;
    }
  | { readonly type: 'DecideApproval'; readonly now: number; readonly decision: PersonDecision }
  | {
      readonly type: 'AnswerQuestion';
      readonly now: number;
      readonly question: string;
      readonly text: string;
      readonly by: DecidedBy;
    }
  /** An operator says what became of a call whose outcome is not known. */
  | {
      readonly type: 'SettleOutcome';
      readonly call: string;
      readonly as: DataOf<'UnknownOutcomeSettled'>['as'];
      readonly by: DecidedBy;
    }
  /** Deadlines of approvals and questions that have passed at `now`, in a daemon that runs since `startedAt`. */
  | { readonly type: 'ExpireWaits'; readonly now: number; readonly startedAt: number }
  /** Active time is used up: the turn's own, or that of a turn above, of which `outside` tells as at a verdict. */
  | { readonly type: 'TimeOut'; readonly now: number; readonly outside?: readonly CapUse[] }
  | { readonly type: 'Steer'; readonly text: string; readonly by: string }
  /** A turn that a call started has begun. */
  | { readonly type: 'LinkChild'; readonly child: ChildLink }
  /** A turn that nobody waits for has ended; `text` is what it leaves. */
  | { readonly type: 'ReportChild'; readonly child: string; readonly text: string }
  | { readonly type: 'Cancel'; readonly now: number; readonly by: string; readonly why: string }
  /** The program itself cannot go on with this turn. */
  | {
      readonly type: 'Fail';
      readonly now: number;
      readonly message: string;
      /** The setting that cannot be kept; absent = it is none's fault. */
      readonly key?: SettingKey;
    }
  /** Nothing is left to do but to end the turn. */
  | { readonly type: 'Finish'; readonly now: number };

export type CommandOf<T extends TurnCommand['type']> = Extract<TurnCommand, { type: T }>;
