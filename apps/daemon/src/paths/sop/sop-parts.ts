import type { Artifacts, Clock, EventStore, Ids, Ledger, Masker } from '@lockstep/engine';
import type { CurrentConfig } from '../../config/current-config.port.ts';
import type { DaemonIdentity } from '../../tokens.ts';
import type { Intake } from '../../turns/intake.port.ts';
import type { Alarms } from '../../turns/alarms.ts';
import type { Records } from '../../turns/records-of.ts';
import type { Turns } from '../../turns/turns.port.ts';

/** All that runs of procedures work with. */
export interface SopParts {
  readonly store: EventStore;
  readonly ledger: Ledger;
  readonly artifacts: Artifacts;
  readonly config: CurrentConfig;
  readonly turns: Pick<
    Turns,
    'launch' | 'answer' | 'ended' | 'cancel' | 'link' | 'askedBelow' | 'onRest' | 'onFlags'
  >;
  /** What the log says of the ids that origins name. */
  readonly records: Pick<Records, 'of'>;
  readonly masker: Masker;
  readonly clock: Clock;
  readonly alarms: Alarms;
  readonly ids: Ids;
  readonly identity: DaemonIdentity;
  /** Absent = every run is taken in. */
  readonly intake?: Intake;
  /** Told of what should not happen and does not stop the daemon. */
  readonly report: (problem: { readonly run: string; readonly error: unknown }) => void;
}
