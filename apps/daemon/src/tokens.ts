import type {
  Artifacts,
  Clock,
  EventStore,
  Ids,
  Ledger,
  Masker,
  ModelPort,
  ToolPort,
} from '@lockstep/engine';

export { CURRENT_CONFIG, type CurrentConfig } from './config/current-config.port.ts';
export { TURNS, type Turns } from './turns/turns.port.ts';

/** Who writes: stands in every event's meta. `id` is new at every start of the daemon (its incarnation). */
export interface DaemonIdentity {
  readonly id: string;
  readonly build: string;
}

/** Which model port serves a provider of the config, by its alias. */
export interface Models {
  /** Null when the config in force names no such provider. */
  port(provider: string): ModelPort | null;
}

export const EVENT_STORE = Symbol('EVENT_STORE');
export const LEDGER = Symbol('LEDGER');
export const ARTIFACTS = Symbol('ARTIFACTS');
export const MODELS = Symbol('MODELS');
export const TOOLS = Symbol('TOOLS');
export const MASKER = Symbol('MASKER');
export const CLOCK = Symbol('CLOCK');
export const IDS = Symbol('IDS');
export const DAEMON_IDENTITY = Symbol('DAEMON_IDENTITY');

/** What each token gives. */
export interface Tokens {
  readonly EVENT_STORE: EventStore;
  readonly LEDGER: Ledger;
  readonly ARTIFACTS: Artifacts;
  readonly MODELS: Models;
  readonly TOOLS: ToolPort;
  readonly MASKER: Masker;
  readonly CLOCK: Clock;
  readonly IDS: Ids;
  readonly DAEMON_IDENTITY: DaemonIdentity;
}
