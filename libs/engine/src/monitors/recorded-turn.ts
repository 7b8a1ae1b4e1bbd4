import type { Config, Limit, PolicySnapshot, Principal, ProvenanceEntry } from '@lockstep/policy';
import type { Content } from '../events/content.ts';
import type { DataOf, EventOf, TurnEvent } from '../events/event.ts';

type TurnEventType = TurnEvent['type'];

/** One event of a turn with its place in the stream and the policy in force when it was recorded. */
export interface At<T extends TurnEventType = TurnEventType> {
  readonly event: EventOf<T>;
  readonly index: number;
  /** Null before PolicyResolved, or while its snapshot is an artifact that is not known. */
  readonly policy: PolicySnapshot | null;
}

/** A standing approval as the agent's stream tells it. */
export interface RecordedGrant {
  readonly data: DataOf<'GrantIssued'>;
  /** Position of its revocation, or null. */
  readonly revoked: string | null;
}

/** Whom an MCP connection was first seen with. */
export interface ConnectionOwner {
  readonly agent: string;
  readonly session: string;
  readonly principal: string;
}

/** A row of memory as the memory streams tell it. */
export interface RecordedRow {
  readonly agent: string;
  readonly person: string | null;
  readonly backend: 'sqlite' | 'markdown';
  /** Ms since the epoch. */
  readonly stored: number;
  readonly expires: number | 'never';
  /** When it was dropped; null = it is there. */
  readonly dropped: number | null;
}

/** What a turn and all turns below it had used when something of it began, that beginning included: calls that run count with
 * what they reserved. */
export interface TreeTally {
  readonly turn: string;
  readonly toolCalls: number;
  readonly tokens: number;
  /** Micro-dollars. */
  readonly cost: number | 'unknown';
  /** The caps of that turn then; null while its policy is not known. */
  readonly caps: { readonly toolCalls: Limit; readonly tokens: Limit; readonly cost: Limit } | null;
}

/** How far the caps that reach over turns were used when a model call or a tool call began, that beginning included. */
export interface Tally {
  /** Tool calls of the agent that started within the last 3,600 s. */
  readonly actionsLastHour: number;
  /** Micro-dollars of the agent's model calls that began on this UTC day. */
  readonly costToday: number | 'unknown';
  /** The turn's own tree first, then those of its ancestors. */
  readonly trees: readonly TreeTally[];
}

/** The turn above this one, as the log knew it when this one was asked for. */
export interface RecordedParent {
  readonly turn: string;
  readonly agent: string;
  /** Digest of the policy that was in force there; null = none was. */
  readonly policy: string | null;
  /** Canonical JSON of each narrowing that it was resolved with and that goes down the chain. */
  readonly narrowings: readonly string[];
  /** Started calls of tools that start turns, by call. */
  readonly starts: Readonly<
    Record<string, { readonly tool: string; readonly children: readonly string[] }>
  >;
}

/** What monitors may look up outside the turn's own stream. Null = not known: then nothing is claimed. */
export interface Surroundings {
  snapshot(digest: string): PolicySnapshot | null;
  /** One object for equal snapshots, where one is kept: what monitors derive from a policy is then derived once. */
  shared(snapshot: PolicySnapshot): PolicySnapshot;
  text(digest: string): string | null;
  /** Length of an artifact's text, in characters (code points). */
  chars(digest: string): number | null;
  /** `unknown` = the agent's stream was not read. */
  grant(id: string): RecordedGrant | null | 'unknown';
  connection(digest: string): ConnectionOwner | null;
  /** How many tool results an earlier turn has. */
  toolResults(turn: string): number | null;
  /** `unknown` = the memory streams were not read. */
  row(id: string): RecordedRow | null | 'unknown';
  /** What was used when the event of this id began something. */
  tally(event: string): Tally | null;
  /** The turn above, where there is one and it is known. */
  readonly parent: RecordedParent | null;
  /** An applied config by version. */
  config(version: number): Config | null;
}

/** Knows nothing: for a turn that is judged from its own stream alone. */
export const noSurroundings: Surroundings = {
  snapshot: () => null,
  shared: (snapshot) => snapshot,
  text: () => null,
  chars: () => null,
  grant: () => 'unknown',
  connection: () => null,
  toolResults: () => null,
  row: () => 'unknown',
  tally: () => null,
  parent: null,
  config: () => null,
};

/** A span of a turn under one policy. */
export interface PolicySpan {
  readonly event: EventOf<'PolicyResolved'> | EventOf<'PolicyNarrowed'>;
  readonly index: number;
  /** Null while the snapshot is not known. */
  readonly policy: PolicySnapshot | null;
}

/** One turn's stream, indexed once for all monitors. */
export interface RecordedTurn {
  readonly id: string;
  readonly agent: string;
  readonly session: string;
  readonly principal: Principal | null;
  /** What the turn was asked for with; null while that is not in the stream. */
  readonly asked: DataOf<'TurnRequested'> | null;
  readonly provenance: readonly ProvenanceEntry[];
  readonly events: readonly At[];
  readonly spans: readonly PolicySpan[];
  readonly around: Surroundings;
  /** Events of one type, in order. */
  all<T extends TurnEventType>(type: T): readonly At<T>[];
  /** Events that name this call, in order. */
  ofCall(call: string): readonly At[];
}

/** Indexes a turn's stream in one pass. Never throws, whatever the order of the events. */
export const recordTurn = (
  events: readonly TurnEvent[],
  around: Surroundings = noSurroundings,
): RecordedTurn => {
  const byType: Record<string, At[]> = {};
  const byCall = new Map<string, At[]>();
  const list: At[] = [];
  const spans: PolicySpan[] = [];
  let policy: PolicySnapshot | null = null;
  for (const [index, event] of events.entries()) {
    const changes = event.type === 'PolicyResolved' || event.type === 'PolicyNarrowed';
    if (changes) policy = readSnapshot(event.data.snapshot, around);
    const at: At = { event, index, policy };
    list.push(at);
    (byType[event.type] ??= []).push(at);
    if ('call' in event.data && typeof event.data.call === 'string')
      push(byCall, event.data.call, at);
    if (changes) spans.push({ event, index, policy });
  }
  const lists = byType as Lists;
  return {
    ...whose(events[0]),
    asked: firstOf(lists, 'TurnRequested')?.data ?? null,
    provenance: firstOf(lists, 'PolicyResolved')?.data.provenance ?? [],
    events: list,
    spans,
    around,
    all: (type) => lists[type] ?? [],
    ofCall: (call) => byCall.get(call) ?? none,
  };
};

const firstOf = <T extends TurnEventType>(lists: Lists, type: T): EventOf<T> | null =>
  lists[type]?.[0]?.event ?? null;

/** The text of a field: inline, or from a known artifact; null when sealed or not known. */
export const textOf = (content: Content, around: Surroundings): string | null => {
  if ('inline' in content) return content.inline;
  return 'artifact' in content ? around.text(content.artifact) : null;
};

/** The length of a field's text in characters (code points), or null when it is not known. */
export const charsOf = (content: Content, around: Surroundings): number | null => {
  if ('inline' in content) return characters(content.inline);
  return 'artifact' in content ? around.chars(content.artifact) : null;
};

/** How many characters a text has: a surrogate pair is one. */
export const characters = (text: string): number =>
  text.length - (text.match(/[\ud800-\udbff][\udc00-\udfff]/g)?.length ?? 0);

const none: readonly At[] = [];

/** Whose turn it is, by the envelope of its first event. */
const whose = (
  first: TurnEvent | undefined,
): Pick<RecordedTurn, 'id' | 'agent' | 'session' | 'principal'> => {
  if (first === undefined) return { id: '', agent: '', session: '', principal: null };
  const { turn, agent, session, principal } = first.meta;
  return {
    id: turn ?? first.stream.replace(/^turn-/, ''),
    agent: agent ?? '',
    session: session ?? '',
    principal,
  };
};

type Lists = { readonly [T in TurnEventType]?: readonly At<T>[] };

const readSnapshot = (
  ref: DataOf<'PolicyResolved'>['snapshot'],
  around: Surroundings,
): PolicySnapshot | null =>
  'inline' in ref ? around.shared(ref.inline) : around.snapshot(ref.artifact);

const push = (map: Map<string, At[]>, key: string, at: At): void => {
  const known = map.get(key);
  if (known === undefined) map.set(key, [at]);
  else known.push(at);
};
