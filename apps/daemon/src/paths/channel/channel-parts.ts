import type { Logger } from 'pino';
import type { Artifacts, Clock, EventStore, Ids, Ledger, Masker } from '@lockstep/engine';
import type { CurrentConfig } from '../../config/current-config.port.ts';
import type { SecretRef } from '@lockstep/policy';
import type { FactRecorder } from '../../record-fact.ts';
import type { DaemonIdentity, Tokens } from '../../tokens.ts';
import type { Alarms } from '../../turns/alarms.ts';
import type { Turns } from '../../turns/turns.port.ts';
import type { SopRuns } from '../sop/sop-runs.port.ts';
import type { MakeChannel } from './channel-runner.ts';

export type ReadSecret = (
  ref: SecretRef,
) =>
  { readonly ok: true; readonly value: string } | { readonly ok: false; readonly message: string };

/** What reads secrets where they are kept. */
export type SecretReader = (ref: SecretRef, source: Tokens['SECRETS']) => ReturnType<ReadSecret>;

/** What the channels work with. */
export interface ChannelParts {
  readonly store: EventStore;
  readonly ledger: Ledger;
  readonly artifacts: Artifacts;
  readonly config: CurrentConfig;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly identity: DaemonIdentity;
  readonly alarms: Alarms;
  readonly masker: Masker;
  /** Reads a secret that config names, now; what is wrong with it names the reference alone. */
  readonly readSecret: ReadSecret;
  readonly recorder: FactRecorder;
  readonly turns: Turns;
  /** Starts the procedures that messages of a channel start. */
  readonly sops: Pick<SopRuns, 'start'>;
  readonly log: Logger;
  /** Stands in place of the platforms, for probes alone. */
  readonly instead?: ((binding: string) => MakeChannel) | undefined;
}
