import type {
  Artifacts,
  Clock,
  EventStore,
  Ids,
  Ledger,
  Masker,
  Memory,
  ModelPort,
  ToolPort,
} from '@lockstep/engine';
import type { ReadIdentity } from '../adapters/identity/read-identity.ts';
import type { ReadSkills } from '../adapters/skills/skill-prompt.ts';
import type { CurrentConfig } from '../config/current-config.port.ts';
import type { DaemonIdentity } from '../tokens.ts';
import type { Alarms } from './alarms.ts';
import type { Intake } from './intake.port.ts';

/** All that running turns work with. */
export interface TurnParts {
  readonly store: EventStore;
  readonly ledger: Ledger;
  readonly artifacts: Artifacts;
  readonly models: { for(alias: string, digest: string): ModelPort };
  readonly tools: ToolPort;
  readonly masker: Masker;
  readonly memory: Memory;
  readonly readIdentity: ReadIdentity;
  readonly readSkills: ReadSkills;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly config: CurrentConfig;
  readonly identity: DaemonIdentity;
  readonly alarms: Alarms;
  /** Absent = every turn is taken in. */
  readonly intake?: Intake;
  /** Told of what should not happen and does not stop the daemon. */
  readonly report: (problem: { readonly turn: string; readonly error: unknown }) => void;
}
