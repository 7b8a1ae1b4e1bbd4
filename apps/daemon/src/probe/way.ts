import type { AppliedConfig, Trigger } from '@lockstep/policy';
import type { Inside } from '../outside.ts';
import type { Errands } from './errands.ts';
import type { ProbeChannels } from './probe-channel.ts';

/** What ways to start a turn work with. */
export interface WayParts {
  readonly url: string;
  /** The data folder, where the sockets are. */
  readonly data: string;
  readonly token: string;
  readonly applied: AppliedConfig;
  readonly inside: Inside;
  readonly channels: ProbeChannels;
  readonly errands: Errands;
}

/** One way to start a turn of an agent over a trigger, through the adapter that has it. */
export interface Way {
  readonly trigger: Trigger;
  /** Whether a later turn can follow in the session of an earlier one. */
  readonly keepsSession: boolean;
  /** Resolves when the turn was handed over; it may begin later. */
  start(input: string, session: string | null): Promise<void>;
  close(): Promise<void>;
}

/** The ways that config opens to an agent over one trigger: several where the policy depends on it. */
export type FindWays = (parts: WayParts, agent: string) => readonly Way[];
