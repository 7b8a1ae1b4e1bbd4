import type { Logger } from 'pino';
import type { Artifacts, Clock, EventStore, Ids, Ledger, Masker } from '@lockstep/engine';
import type { SecretSource } from '../../adapters/secrets/secret-ref.ts';
import type { CurrentConfig } from '../../config/current-config.port.ts';
import type { FactRecorder } from '../../record-fact.ts';
import type { DaemonIdentity } from '../../tokens.ts';
import type { Alarms } from '../../turns/alarms.ts';
import type { Turns } from '../../turns/turns.port.ts';

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
  readonly secrets: SecretSource;
  readonly recorder: FactRecorder;
  readonly turns: Turns;
  readonly log: Logger;
}
