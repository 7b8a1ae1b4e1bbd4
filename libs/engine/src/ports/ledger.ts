import type { Narrowing, Origin, PolicySnapshot, Principal, TokenRecord } from '@lockstep/policy';
import type { Cost } from '../budget/price-of.ts';
import type { Content } from '../events/content.ts';
import type { DataOf } from '../events/event.ts';
import type { Job } from '../events/job-events.ts';
import type { ReplyTo } from '../events/turn-parts.ts';

/** What decides verdicts and beginnings beside a turn's own stream. Not a read model: the writer folds it in log order before it
 * acknowledges, so a reader never sees less than what was acknowledged. All reads are synchronous and from memory. */
export interface Ledger {
  /** Turns without an end, in the order of their start. */
  openTurns(): readonly { readonly turn: string; readonly agent: string }[];
  /** Accepted messages whose turn has not begun, in the order of acceptance. */
  waitingMessages(): readonly WaitingMessage[];
  /** Issued, not revoked; expiry is for the reader to judge. */
  grants(agent: string): readonly DataOf<'GrantIssued'>[];
  flags(agent: string): { readonly stopped: boolean; readonly paused: boolean };
  /** As `flags`, for a turn of that agent: a stop of an agent above it in its tree reaches it too. */
  flagsOf(
    turn: string,
    agent: string,
  ): { readonly stopped: FlagRecord | null; readonly paused: boolean };
  /** Emergency stops and pauses in force. */
  allFlags(): readonly FlagRecord[];
  /** Every issued, not revoked grant. */
  allGrants(): readonly DataOf<'GrantIssued'>[];
  /** Who asks where this principal begins something: the person, else the identity; behind a job whoever made or last changed it. */
  asker(principal: Principal, origin: Origin): string;
  /** What a turn of an open tree has used, with all turns below it; null = none of that id, or its tree has ended. */
  spending(turn: string): SpendingRecord | null;
  /** Turns below this one whose tree is open. */
  below(turn: string): readonly SpendingRecord[];
  /** What an agent's windows hold at a time (ms since the epoch): the hour before it, of which a second that has begun to leave counts
   * as a whole, and its UTC day. */
  windows(
    agent: string,
    now: number,
  ): { readonly actions: number; readonly cost: Cost; readonly held: number };
  /** Calls whose outcome nobody knows yet, oldest first. */
  unknownOutcomes(): readonly UnknownOutcome[];
  session(id: string): SessionRecord | null;
  /** Every session, the one that changed last at the end. */
  sessions(): readonly SessionRecord[];
  /** The turn that this message id got, if it was accepted before in this session. */
  message(session: string, message: string): AcceptedMessage | null;
  /** The session that accepted a message with a key of its sender's; null = none did. */
  sessionOfKey(message: string): string | null;
  approval(id: string): PendingRecord | null;
  /** Pending approvals and questions, oldest first. */
  pending(): readonly PendingRecord[];
  /** Turn whose call with the same tool and arguments ended unknown in this session and is not settled. */
  unsettled(session: string, tool: string, argsDigest: string): string | null;
  tokenByHash(hash: string): LiveToken | null;
  tokenById(id: string): LiveToken | null;
  tokens(): readonly LiveToken[];
  /** Replies that are owed to a channel and not settled, oldest message first: of running turns too. */
  owedReplies(): readonly OwedReply[];
  owedReply(turn: string): OwedReply | null;
  /** A client that is, or was until the daemon stopped, connected. */
  connection(id: string): ConnectionRecord | null;
  /** Connections whose end is not recorded. */
  connections(): readonly ConnectionRecord[];
  /** The job of this name that a tool made. */
  job(name: string): Job | null;
  jobs(): readonly Job[];
  /** What is known of the times of a job; null = it was never due. */
  jobTimes(name: string): JobTimes | null;
  /** Jobs with a run that has no outcome yet. */
  openJobs(): readonly JobTimes[];
  /** A run of a procedure that has not ended. */
  sopRun(id: string): SopRunRecord | null;
  sopRuns(): readonly SopRunRecord[];
  /** Applied configs, by version. */
  config(version: number): DataOf<'ConfigApplied'> | null;
  latestConfig(): DataOf<'ConfigApplied'> | null;
  configVersions(): readonly {
    readonly version: number;
    readonly digest: string;
    readonly time: number;
    readonly by: string;
    readonly widens: readonly string[];
  }[];
}

/** A reply that a channel is owed, from the acceptance of its message until it was delivered or given up. */
export interface OwedReply {
  readonly turn: string;
  readonly session: string;
  readonly to: ReplyTo;
  /** The turn has ended, so that there is a reply. */
  readonly ended: boolean;
  /** The try on its way: it was begun and has no outcome. */
  readonly sending: {
    readonly delivery: string;
    readonly attempt: number;
    readonly since: number;
  } | null;
  /** Tries so far. */
  readonly attempts: number;
  /** When the next try is due, in ms since the epoch; null = at once. */
  readonly retryAt: number | null;
}

/** An emergency stop (`agent` null = of all agents) or the pause of an agent. */
export interface FlagRecord {
  readonly kind: 'stop' | 'pause';
  readonly agent: string | null;
  readonly by: string;
  readonly why: string;
  /** Ms since the epoch. */
  readonly since: number;
}

/** A call of which nobody knows whether it took effect. */
export interface UnknownOutcome {
  readonly turn: string;
  readonly call: string;
  readonly agent: string;
  readonly session: string;
  readonly tool: string;
  readonly argsDigest: string;
  readonly why: string;
  /** Ms since the epoch. */
  readonly since: number;
}

/** What one turn of an open tree has used. Money in micro-dollars. */
export interface SpendingRecord {
  readonly turn: string;
  readonly agent: string;
  readonly parent: string | null;
  readonly root: string;
  /** Who asked for the tree: the person, or the identity. */
  readonly asker: string;
  readonly open: boolean;
  /** Its budgets as far as the log says them inside the events; null = not said. */
  readonly budgets: PolicySnapshot['budgets'] | null;
  /** First attempts of tool calls, and model calls with every attempt, that it started. */
  readonly started: { readonly tools: number; readonly models: number };
  /** What it used itself. */
  readonly own: { readonly tokens: number; readonly cost: Cost };
  /** Its model call in flight. */
  readonly held: { readonly tokens: number; readonly cost: number };
  /** What all turns below it used and hold. */
  readonly below: BelowSpending;
  /** For a root: every turn of the tree, and how many of them are open. */
  readonly tree: { readonly members: readonly string[]; readonly open: number } | null;
}

export interface BelowSpending {
  readonly tools: number;
  readonly tokens: number;
  readonly cost: Cost;
  readonly heldTokens: number;
  readonly heldCost: number;
  /** Active time of turns that have ended. */
  readonly activeMs: number;
}

/** Tool calls of an agent in one second: [seconds since the epoch, how many]. */
export type ActionCount = readonly [second: number, count: number];

/** Money of one UTC day, and what model calls in flight hold. */
export interface DaySpending {
  /** Days since the epoch. */
  readonly day: number;
  readonly cost: Cost;
  readonly held: number;
}

/** The times of one job so far, in ms since the epoch. */
export interface JobTimes {
  readonly name: string;
  /** The latest time that was taken or skipped: nothing up to it is taken again. */
  readonly until: number;
  /** The run that was begun and has no outcome yet. */
  readonly open: OpenJobRun | null;
  /** The run that begins once the open one has ended. */
  readonly queued: OpenJobRun | null;
}

/** A run of a job whose time is fixed and whose outcome is not. */
export interface OpenJobRun {
  /** In ms since the epoch. */
  readonly due: number;
  readonly turn: string;
  readonly sop: string | null;
  readonly agent: string;
  readonly by: 'schedule' | 'person';
}

/** A run of a procedure, as far as it has come. */
export interface SopRunRecord {
  readonly id: string;
  readonly sop: string;
  readonly agent: string | null;
  readonly parent: { readonly turn: string; readonly call: string } | null;
  readonly narrowings: DataOf<'SopRunStarted'>['narrowings'];
  readonly scopes: DataOf<'SopRunStarted'>['scopes'];
  readonly depth: number;
  readonly by: Principal;
  /** Revision of the run's stream. */
  readonly revision: number;
}

/** What a client of the JSON-RPC socket or of ACP chose. */
export interface ConnectionRecord {
  readonly id: string;
  readonly narrowing: Narrowing;
  readonly principal: Principal;
}

export interface WaitingMessage {
  readonly session: string;
  readonly agent: string;
  readonly message: string;
  readonly turn: string;
}

/** What stays known of an accepted message, so that a repeat is the same turn. */
export interface AcceptedMessage extends Pick<
  DataOf<'MessageAccepted'>,
  'message' | 'turn' | 'idempotency'
> {
  /** Null once its turn has begun: the turn's input holds it then. */
  readonly text: Content | null;
}

/** The id of a session is the name of its stream, as `meta.session` holds it. */
export interface SessionRecord {
  readonly id: string;
  readonly agent: string;
  readonly owner: Principal;
  readonly closed: boolean;
  /** Root turns of the session since its last reset, the last thousand in order of their start; the last may be open. */
  readonly turns: readonly string[];
  /** Revision of the session stream. */
  readonly revision: number;
}

export interface PendingRecord {
  readonly id: string;
  readonly kind: 'approval' | 'question' | 'gate';
  /** Of a gate: the run of the procedure. */
  readonly turn: string;
  readonly agent: string;
  readonly session: string;
  readonly call: string;
  /** Revision, in its turn's stream, of the event that asked. */
  readonly revision: number;
  readonly deadline: number | 'never';
  readonly state: 'pending' | 'decided';
  /** Canonical id of the tool; null for a question. */
  readonly tool: string | null;
  /** Who is asked; `inbox` for a question. */
  readonly route: string;
  /** Who may not decide; null = nobody is kept out. */
  readonly notBy: string | null;
  /** How many said yes, where it takes several. */
  readonly votes?: { readonly given: number; readonly required: number };
}

/** An issued, unrevoked token; expiry is for the reader to judge. */
export interface LiveToken extends TokenRecord {
  readonly hash: string;
  readonly expires: number | 'never';
}
