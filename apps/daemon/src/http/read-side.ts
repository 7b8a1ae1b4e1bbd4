import type {
  InboxRow,
  JobRow,
  ParityCellDetail,
  ParityView,
  Position,
  SopRunRow,
  TrailEntry,
  TurnDetail,
  TurnRow,
} from '@lockstep/engine';
import type { PathName, SettingKey } from '@lockstep/policy';
import type { TrailQuery } from './schemas/agent.schema.ts';
import type { ApprovalQuery } from './schemas/approval.schema.ts';
import type { SopRunQuery } from './schemas/work.schema.ts';
import type { TurnQuery } from './schemas/turn.schema.ts';

export interface Page<T> {
  readonly items: readonly T[];
  readonly next: string | null;
}

export interface ProjectionStatus {
  readonly name: string;
  readonly version: number;
  readonly position: Position | 'start';
  readonly state: 'live' | 'catching_up' | 'failed';
  /** Positions between this read model and the end of the log. */
  readonly lag: number;
  readonly failure: { readonly position: string; readonly message: string } | null;
}

/** Which agents a caller may see: these, or all. */
export type SeenAgents = readonly string[] | 'all';

/** What the routes read of the read models. */
export interface ReadSide {
  turns(query: TurnQuery, seen: SeenAgents): Promise<Page<TurnRow>>;
  turn(id: string): Promise<TurnDetail | null>;
  approvals(query: ApprovalQuery, seen: SeenAgents): Promise<Page<InboxRow>>;
  approval(id: string): Promise<InboxRow | null>;
  /** What the log holds of a job; null = nothing yet. */
  job(name: string): Promise<JobRow | null>;
  sopRuns(query: SopRunQuery, seen: SeenAgents): Promise<Page<SopRunRow>>;
  sopRun(id: string): Promise<SopRunRow | null>;
  /** Of all agents, or of one; of the config in force, or of an earlier version. */
  parity(agent: string | null, version?: number): Promise<ParityView>;
  parityCell(
    setting: SettingKey,
    path: PathName,
    agent?: string | null,
    version?: number,
  ): Promise<ParityCellDetail>;
  trail(agent: string, query: TrailQuery): Promise<Page<TrailEntry>>;
  status(): Promise<readonly ProjectionStatus[]>;
  /** Starts to build one of them, or all, again from the log. An unknown name is a problem `not_found`. */
  rebuild(name: string | null): Promise<void>;
}
