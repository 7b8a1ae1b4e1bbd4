import type {
  EnforcedKey,
  Host,
  PathName,
  ResolveRecords,
  ResolveRequest,
  Trigger,
} from '@lockstep/policy';
import type { Content } from '../../events/content.ts';
import type { Position } from '../../events/envelope.ts';
import type { TurnEvent } from '../../events/event.ts';
import type {
  ConnectionOwner,
  RecordedGrant,
  RecordedParent,
  RecordedRow,
  Tally,
} from '../../monitors/recorded-turn.ts';
import type { EndedGap, GapKind } from '../parity-matrix.view.ts';
import { emptySeqs, type AgentSeqs } from './agent-seq.ts';
import { expectations, type Expectations } from './expectations.ts';
import { emptyTrend, type Trend } from './trend.ts';
import { emptyUsage, type AgentUse, type TurnTrace, type Usage } from './usage.ts';

/** An applied config as the log has it. */
export interface RecordedConfig {
  readonly version: number;
  readonly digest: string;
  readonly content: Content;
  readonly host: Host;
}

/** A request as it came: another one of its kind is expected to get the same policy. */
export interface Variant {
  readonly request: ResolveRequest;
  readonly records: ResolveRecords;
  /** The config that it was resolved under. */
  readonly version: number;
}

/** A gap that stands: what is wrong, since it was last seen, and the builds that showed it. */
export interface Gap {
  readonly kind: GapKind;
  readonly reason: string;
  /** Found by comparing values, or by a monitor. */
  readonly by: 'value' | 'monitor';
  readonly at: number;
  readonly builds: readonly string[];
}

/** A biting event or an objection. */
export interface EvidenceEvent {
  readonly id: string;
  readonly turn: string;
  readonly position: Position;
  readonly what: 'witness' | 'objection';
  readonly note: string;
}

/** What was seen of one setting under one expected value. */
export interface Evidence {
  readonly registry: number;
  /** Canonical JSON. */
  readonly expected: string;
  seen: string | null;
  turns: number;
  bites: number;
  /** Of them, turns and bites of probes. */
  probeTurns: number;
  probeBites: number;
  gap: Gap | null;
  ended: EndedGap | null;
  firstSeen: number;
  lastSeen: number;
  readonly turnIds: string[];
  readonly events: EvidenceEvent[];
}

/** Evidence by registry version and digest of the expected value. */
export type KeyEvidence = Map<string, Evidence>;

/** A turn without an end: its stream so far. */
export interface OpenTurn {
  readonly events: TurnEvent[];
  /** What the log knew when it was asked for. */
  parent: RecordedParent | null;
  /** By id of the event that began something. */
  readonly tallies: Map<string, Tally>;
  /** Of a probe's turn: when and where its events were recorded in this log; they keep times and positions of their own. */
  recorded: RecordedAt | null;
}

/** A place in this log. */
export interface RecordedAt {
  readonly time: number;
  readonly position: Position;
}

/** Evidence and requests of one agent over one trigger. */
export interface Lane {
  readonly agent: string;
  readonly path: PathName;
  readonly trigger: Trigger;
  readonly variants: Map<string, Variant>;
  readonly keys: Map<EnforcedKey, KeyEvidence>;
}

/** The whole state of the matrix. It changes in place: its owner is the fold. */
export interface ParityState {
  /** Triggers that this build can start a turn with. */
  readonly supported: readonly Trigger[];
  position: Position | 'start';
  readonly configs: Map<number, RecordedConfig>;
  readonly open: Map<string, OpenTurn>;
  readonly lanes: Map<string, Lane>;
  readonly grants: Map<string, RecordedGrant>;
  readonly connections: Map<string, ConnectionOwner>;
  /** Number of tool results by ended turn. */
  readonly toolResults: Map<string, number>;
  /** Rows of memory. */
  readonly rows: Map<string, RecordedRow>;
  readonly usage: Usage;
  readonly seqs: AgentSeqs;
  readonly trend: Trend;
  /** Length of each artifact's text. */
  readonly chars: Map<string, number>;
  /** Texts of artifacts that hold policies and configs. */
  readonly texts: Map<string, string>;
  /** What resolve() says, remembered; no part of a checkpoint. */
  readonly expectations: Expectations;
}

/** How much is kept: enough to judge what runs and to show where a cell rests, no more. */
export const bounds = {
  configs: 50,
  variants: 20,
  grants: 10_000,
  connections: 5_000,
  toolResults: 10_000,
  rows: 20_000,
  builds: 10,
  chars: 20_000,
  texts: 100,
  values: 50,
  turnIds: 20,
  events: 20,
} as const;

/** The state before any event. */
export const emptyParity = (supported: readonly Trigger[]): ParityState => ({
  supported,
  position: 'start',
  configs: new Map(),
  open: new Map(),
  lanes: new Map(),
  grants: new Map(),
  connections: new Map(),
  toolResults: new Map(),
  rows: new Map(),
  usage: emptyUsage(),
  seqs: emptySeqs(),
  trend: emptyTrend(),
  chars: new Map(),
  texts: new Map(),
  expectations: expectations(),
});

/** Name of a lane. */
export const laneKey = (agent: string, trigger: Trigger): string => `${agent} ${trigger}`;

interface FrozenLane extends Omit<Lane, 'variants' | 'keys'> {
  readonly variants: readonly (readonly [string, Variant])[];
  readonly keys: readonly (readonly [EnforcedKey, readonly (readonly [string, Evidence])[]])[];
}

interface FrozenTurn {
  readonly events: readonly TurnEvent[];
  readonly parent: RecordedParent | null;
  readonly tallies: readonly (readonly [string, Tally])[];
  readonly recorded: RecordedAt | null;
}

interface Frozen {
  readonly position: Position | 'start';
  readonly configs: readonly (readonly [number, RecordedConfig])[];
  readonly open: readonly (readonly [string, FrozenTurn])[];
  readonly lanes: readonly FrozenLane[];
  readonly grants: readonly (readonly [string, RecordedGrant])[];
  readonly connections: readonly (readonly [string, ConnectionOwner])[];
  readonly toolResults: readonly (readonly [string, number])[];
  readonly rows: readonly (readonly [string, RecordedRow])[];
  readonly usage: {
    readonly turns: readonly (readonly [string, TurnTrace])[];
    readonly agents: readonly (readonly [string, AgentUse])[];
  };
  readonly seqs: {
    readonly last: readonly (readonly [string, number])[];
    readonly missing: AgentSeqs['missing'];
  };
  readonly trend: Trend;
  readonly chars: readonly (readonly [string, number])[];
  readonly texts: readonly (readonly [string, string])[];
}

/** Plain JSON for a checkpoint: a copy that later folds do not change. */
export const freezeParity = (state: ParityState): unknown => {
  const frozen: Frozen = {
    position: state.position,
    configs: [...state.configs],
    open: [...state.open].map(([turn, { events, parent, tallies, recorded }]) => [
      turn,
      { events: [...events], parent, tallies: [...tallies], recorded },
    ]),
    lanes: [...state.lanes.values()].map((lane) => ({
      agent: lane.agent,
      path: lane.path,
      trigger: lane.trigger,
      variants: [...lane.variants],
      keys: [...lane.keys].map(([key, found]) => [
        key,
        [...found].map(([id, evidence]) => [id, copyOf(evidence)]),
      ]),
    })),
    grants: [...state.grants],
    connections: [...state.connections],
    toolResults: [...state.toolResults],
    rows: [...state.rows],
    usage: {
      turns: [...state.usage.turns].map(([turn, trace]) => [
        turn,
        { ...trace, starts: { ...trace.starts } },
      ]),
      agents: [...state.usage.agents].map(([agent, use]) => [
        agent,
        { ...use, starts: use.starts.slice(use.from), from: 0 },
      ]),
    },
    seqs: { last: [...state.seqs.last], missing: [...state.seqs.missing] },
    trend: { ...state.trend, points: [...state.trend.points] },
    chars: [...state.chars],
    texts: [...state.texts],
  };
  return frozen;
};

/** Back from a checkpoint of the same version. */
export const thawParity = (json: unknown, supported: readonly Trigger[]): ParityState => {
  const frozen = json as Frozen;
  return {
    supported,
    position: frozen.position,
    configs: new Map(frozen.configs),
    open: new Map(
      frozen.open.map(([turn, { events, parent, tallies, recorded }]) => [
        turn,
        { events: [...events], parent, tallies: new Map(tallies), recorded },
      ]),
    ),
    lanes: new Map(frozen.lanes.map((lane) => [laneKey(lane.agent, lane.trigger), thawLane(lane)])),
    grants: new Map(frozen.grants),
    connections: new Map(frozen.connections),
    toolResults: new Map(frozen.toolResults),
    rows: new Map(frozen.rows),
    usage: {
      turns: new Map(frozen.usage.turns.map(([turn, trace]) => [turn, { ...trace }])),
      agents: new Map(frozen.usage.agents.map(([agent, use]) => [agent, { ...use }])),
    },
    seqs: { last: new Map(frozen.seqs.last), missing: [...frozen.seqs.missing] },
    trend: { ...frozen.trend, points: [...frozen.trend.points] },
    chars: new Map(frozen.chars),
    texts: new Map(frozen.texts),
    expectations: expectations(),
  };
};

/** A copy whose lists are its own. */
export const copyOf = (evidence: Evidence): Evidence => ({
  ...evidence,
  turnIds: [...evidence.turnIds],
  events: [...evidence.events],
});

const thawLane = (lane: FrozenLane): Lane => ({
  ...lane,
  variants: new Map(lane.variants),
  keys: new Map(
    lane.keys.map(([key, found]) => [
      key,
      new Map(found.map(([id, evidence]) => [id, copyOf(evidence)])),
    ]),
  ),
});
