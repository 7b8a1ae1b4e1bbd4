import { Module, type DynamicModule } from '@nestjs/common';
import type { Artifacts, Clock, EventStore, Ledger } from '@lockstep/engine';
import type { Logger } from 'pino';
import type { CurrentConfig } from './config/current-config.port.ts';
import {
  ARTIFACTS,
  CURRENT_CONFIG,
  DAEMON_IDENTITY,
  EVENT_STORE,
  LEDGER,
  LOG,
  type DaemonIdentity,
} from './tokens.ts';
import type { Outside } from './outside.ts';
import { ALARMS, timerAlarms } from './turns/alarms.ts';
import { INTAKE, type Intake } from './turns/intake.port.ts';
import { TURN_PROBLEMS } from './turns/turns.module.ts';
import type { TurnParts } from './turns/turn-parts.ts';

/** What the daemon has opened before its modules are made, for all of them. */
@Module({})
export class PortsModule {
  static with(parts: {
    readonly store: EventStore;
    readonly ledger: Ledger;
    readonly artifacts: Artifacts;
    readonly config: CurrentConfig;
    readonly identity: DaemonIdentity;
    readonly clock: Clock;
    readonly log: Logger;
    readonly intake: Intake;
    readonly outside: Outside | null;
  }): DynamicModule {
    const report: TurnParts['report'] = ({ turn, error }) => {
      parts.log.error({ turn, err: error }, 'a turn met a problem of the daemon');
    };
    const providers = [
      { provide: EVENT_STORE, useValue: parts.store },
      { provide: LEDGER, useValue: parts.ledger },
      { provide: ARTIFACTS, useValue: parts.artifacts },
      { provide: CURRENT_CONFIG, useValue: parts.config },
      { provide: DAEMON_IDENTITY, useValue: parts.identity },
      { provide: LOG, useValue: parts.log },
      { provide: INTAKE, useValue: parts.intake },
      { provide: ALARMS, useValue: parts.outside?.alarms ?? timerAlarms(parts.clock) },
      { provide: TURN_PROBLEMS, useValue: report },
    ];
    return {
      module: PortsModule,
      global: true,
      providers,
      exports: providers.map(({ provide }) => provide),
    };
  }
}
