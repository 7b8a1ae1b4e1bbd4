import type {
  Effect as ToolEffect,
  PathName,
  PolicySnapshot,
  ResolveRecords,
  ResolveRequest,
  SettingKey,
  Trigger,
} from '@lockstep/policy';
import type { Made } from '../context/system-text.ts';
import type { Content } from '../events/content.ts';
import type { DataOf } from '../events/event.ts';
import { childTools } from '../tools/builtin-specs.ts';
import type { ChildLink } from './commands.ts';
import type { ReplyTo } from '../events/turn-parts.ts';
import type { ConfigRef, DecidedBy, Operand, Usage } from '../events/parts.ts';

/** What every verdict event says of its call. */
export type JudgedData = Omit<
  DataOf<'ApprovalRequested'>,
  | 'approval'
  | 'binding'
  | 'view'
  | 'deadline'
  | 'route'
  | 'grantable'
  | 'required'
  | 'notBy'
  | 'cut'
>;

interface CallBase {
  readonly call: string;
  readonly alias: string;
  /** Raw text of the arguments. */
  readonly args: Content;
}

/** A person's decision that lets a call through. */
export interface ApprovalRef {
  readonly id: string;
  readonly binding: string;
}

/** A question to a person that a running `ask_user` call waits for. */
export interface PendingQuestion {
  readonly id: string;
  readonly deadline: number | 'never';
  readonly choices: readonly string[];
}

export interface RunningCall extends CallBase {
  readonly status: 'running';
  readonly tool: string;
  readonly argsDigest: string;
  readonly attempt: number;
  readonly repeatable: boolean;
  readonly idempotencyKey: string;
  readonly operands: readonly Operand[];
  readonly effects: readonly ToolEffect[];
  readonly approval: ApprovalRef | null;
  readonly question: PendingQuestion | null;
}

export interface PendingCall extends CallBase {
  readonly status: 'pending';
  readonly approval: string;
  readonly binding: string;
  readonly deadline: number | 'never';
  readonly grantable: boolean;
  readonly viewDigest: string;
  readonly judged: JudgedData;
  /** Votes that it takes, and who gave theirs so far, oldest first. */
  readonly required: number;
  readonly votes: readonly Vote[];
  /** Who may not decide; null = nobody is kept out. */
  readonly notBy: string | null;
  /** The view is too long to be shown whole. */
  readonly cut: boolean;
}

/** One person's word for a call that takes several. */
export interface Vote {
  readonly by: DecidedBy;
  readonly choice: 'once' | 'always';
}

export interface EndedCall extends CallBase {
  readonly status: 'ended';
  readonly tool: string | null;
  readonly how: 'completed' | 'refused' | 'failed' | 'cancelled' | 'unknown';
  /** What the model is told. */
  readonly result: Content;
  readonly isError: boolean;
  readonly truncated: boolean;
}

/** One call of a model step, in the stage it has reached. */
export type CallState =
  | (CallBase & { readonly status: 'asked' })
  | (CallBase & {
      readonly status: 'authorized';
      readonly judged: JudgedData;
      readonly approval: ApprovalRef | null;
    })
  | PendingCall
  | (CallBase & {
      readonly status: 'granted';
      readonly judged: JudgedData;
      readonly approval: ApprovalRef;
      readonly grant: DataOf<'ApprovalGranted'>['grant'];
      readonly by: DecidedBy;
    })
  | RunningCall
  | EndedCall;

/** What has been said in this turn after its input, in the order in which the model sees it. */
export type TranscriptItem =
  | { readonly kind: 'steered'; readonly text: Content }
  | {
      readonly kind: 'step';
      readonly modelCall: number;
      readonly text: Content;
      /** In the order in which the model made them. */
      readonly calls: readonly CallState[];
    };

/** Where the conversation with the model stands. */
export type ModelStage =
  | { readonly kind: 'idle' }
  | {
      readonly kind: 'calling';
      readonly modelCall: number;
      readonly attempt: number;
      readonly reserved: DataOf<'ModelCallStarted'>['reserved'];
    }
  | {
      readonly kind: 'retrying';
      readonly modelCall: number;
      readonly attempt: number;
      readonly at: number;
    };

/** Why the turn has to end without the model's word. */
export type Ending =
  | { readonly code: 'budget_exhausted' | 'turn_timeout'; readonly data: DataOf<'BudgetExhausted'> }
  | { readonly code: 'loop_detected'; readonly data: DataOf<'LoopDetected'> }
  | { readonly code: 'model_failed'; readonly data: DataOf<'ModelCallFailed'> }
  | { readonly code: 'cancelled'; readonly data: DataOf<'CancelRequested'> }
  | {
      readonly code: 'internal';
      readonly data: { readonly message: string; readonly key?: SettingKey };
    };

export interface Totals {
  readonly modelCalls: number;
  /** ToolCallStarted of first attempts. */
  readonly toolCalls: number;
  readonly usage: Usage;
  readonly tokens: number;
  /** Micro-dollars. */
  readonly cost: number | 'unknown';
}

/** Active time: what passed between events while the turn waited for nobody, in one run of a daemon. */
export interface ActiveTime {
  readonly activeMs: number;
  /** Time of the last event. */
  readonly last: number;
  readonly daemon: string;
}

export interface OpenTurn {
  readonly status: 'open';
  readonly turn: string;
  readonly request: ResolveRequest;
  readonly records: ResolveRecords;
  readonly path: PathName;
  readonly trigger: Trigger;
  readonly input: Content;
  readonly message: string | null;
  readonly history: readonly string[];
  /** Messages that the client brought along: untrusted. */
  readonly earlier: NonNullable<DataOf<'TurnRequested'>['earlier']>;
  /** The call of the parent turn that started this one; null for a root turn. */
  readonly call: string | null;
  readonly replyTo: ReplyTo | null;
  /** What took something away when the policy was resolved: reaches every descendant. */
  readonly narrowings: DataOf<'PolicyResolved'>['narrowings'];
  /** Rows of memory that the turn was given unasked; null = not looked for yet. */
  readonly recalled: DataOf<'MemoryRecalled'> | null;
  /** What the first model call's system text was made of, which the turn keeps; null = no model call yet. */
  readonly made: Made | null;
  /** Turns that calls of this one started, oldest first; `told` = what a background one left has come as a message. */
  readonly children: readonly (ChildLink & { readonly told: boolean })[];
  /** Skills that were read in this turn, oldest first. */
  readonly skills: readonly DataOf<'SkillActivated'>[];
  readonly config: ConfigRef;
  /** Effective policy: PolicyResolved, then every PolicyNarrowed. */
  readonly policy: PolicySnapshot;
  readonly policyDigest: string;
  readonly model: ModelStage;
  /** Canonical ids that the last model call was offered. */
  readonly advertised: readonly string[];
  /** The last model call was the one without tools at the iteration cap. */
  readonly final: boolean;
  readonly transcript: readonly TranscriptItem[];
  /** Steering that no model call has seen yet. */
  readonly steered: readonly Content[];
  /** Started calls, oldest first, for loop detection. */
  readonly trace: readonly { readonly tool: string; readonly argsDigest: string }[];
  readonly trims: readonly DataOf<'ContextTrimmed'>[];
  readonly totals: Totals;
  /** Caps that were warned of; see `capName`. */
  readonly warned: readonly string[];
  /** Calls of unknown outcome that an operator has settled. */
  readonly settled: readonly string[];
  readonly time: ActiveTime;
  readonly ending: Ending | null;
}

export interface EndedTurn {
  readonly status: 'ended';
  readonly end: 'completed' | 'failed' | 'cancelled' | 'refused';
  /** As it stood before its end; null when it was refused. */
  readonly before: OpenTurn | null;
  readonly reply: Content | null;
  readonly reason: string | null;
}

/** All that a turn's stream says so far. */
export type TurnState =
  | { readonly status: 'none'; readonly turn: string }
  | {
      readonly status: 'requested';
      readonly turn: string;
      readonly data: DataOf<'TurnRequested'>;
      readonly time: number;
      readonly daemon: string;
    }
  | OpenTurn
  | EndedTurn;

/** A turn of which nothing is recorded. */
export const initialState = (turn: string): TurnState => ({ status: 'none', turn });

/** The last step of the model, or null before its first reply. */
export const lastStep = (state: OpenTurn): Extract<TranscriptItem, { kind: 'step' }> | null => {
  const item = state.transcript.findLast((one) => one.kind === 'step');
  return item?.kind === 'step' ? item : null;
};

/** Calls of the current step. */
export const callsOf = (state: OpenTurn): readonly CallState[] => lastStep(state)?.calls ?? [];

/** True while the turn waits for people or for turns below it, and for nothing else: that time is not active. */
export const waitsForOthers = (state: OpenTurn): boolean => {
  if (state.model.kind !== 'idle') return false;
  const open = callsOf(state).filter((call) => call.status !== 'ended');
  return open.length > 0 && open.every((call) => call.status === 'pending' || waitsIn(call));
};

const waitsIn = (call: CallState): boolean =>
  call.status === 'running' && (call.question !== null || childTools.has(call.tool));

/** Active time at `now`, in ms. */
export const activeAt = (state: OpenTurn, now: number): number =>
  state.time.activeMs + (waitsForOthers(state) ? 0 : Math.max(0, now - state.time.last));
