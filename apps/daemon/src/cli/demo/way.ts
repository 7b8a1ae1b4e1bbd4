import type { PathName, Trigger } from '@lockstep/policy';
import type { ApiClient, DaemonAddress } from '../client.ts';
import type { Scenario } from './scenarios.ts';

/** What the ways of the demo work with. */
export interface WayParts {
  readonly client: ApiClient;
  readonly address: DaemonAddress;
  /** The data folder, where the sockets are. */
  readonly data: string;
}

/** What was begun: the turn itself, the lead's turn above it, or the run of a procedure that it is a step of. */
export interface Started {
  readonly kind: 'turn' | 'above' | 'run';
  readonly id: string;
  /** Where a later turn goes on; null = nowhere. */
  readonly session: string | null;
  /** Hangs up, when all is over. */
  readonly close?: () => void;
}

/** One way to start a turn, through the adapter that has it. */
export interface Way {
  readonly path: PathName;
  readonly trigger: Trigger;
  /** Whether a later turn can follow in the session of an earlier one. */
  readonly keepsSession: boolean;
  readonly start: (parts: WayParts, scenario: Scenario, session: string | null) => Promise<Started>;
}
