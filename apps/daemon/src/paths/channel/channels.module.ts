import { Module, type DynamicModule } from '@nestjs/common';
import type { Logger } from 'pino';
import { createFactRecorder } from '../../record-fact.ts';
import {
  ARTIFACTS,
  CLOCK,
  CURRENT_CONFIG,
  DAEMON_IDENTITY,
  EVENT_STORE,
  IDS,
  LEDGER,
  LOG,
  MASKER,
  SECRETS,
  TURNS,
  type CurrentConfig,
  type Tokens,
  type Turns,
} from '../../tokens.ts';
import type { Outside } from '../../outside.ts';
import { ALARMS, type Alarms } from '../../turns/alarms.ts';
import { SOP_RUNS, type SopRuns } from '../sop/sop-runs.port.ts';
import { ChannelManager, CHANNELS } from './channel-manager.ts';
import type { SecretReader } from './channel-parts.ts';

/** The channels that config names, over turns and what the daemon has opened. */
@Module({})
export class ChannelsModule {
  /** @param turns the module that exports TURNS */
  static over(turns: DynamicModule, read: SecretReader, outside: Outside | null): DynamicModule {
    return {
      module: ChannelsModule,
      imports: [turns],
      providers: [
        {
          provide: CHANNELS,
          inject: injected,
          useFactory: createManager(read, outside?.channel),
        },
      ],
      exports: [CHANNELS],
    };
  }
}

const injected = [
  EVENT_STORE,
  LEDGER,
  ARTIFACTS,
  CURRENT_CONFIG,
  CLOCK,
  IDS,
  DAEMON_IDENTITY,
  ALARMS,
  MASKER,
  SECRETS,
  TURNS,
  SOP_RUNS,
  LOG,
];

type Injected = [
  Tokens['EVENT_STORE'],
  Tokens['LEDGER'],
  Tokens['ARTIFACTS'],
  CurrentConfig,
  Tokens['CLOCK'],
  Tokens['IDS'],
  Tokens['DAEMON_IDENTITY'],
  Alarms,
  Tokens['MASKER'],
  Tokens['SECRETS'],
  Turns,
  SopRuns,
  Logger,
];

const createManager =
  (read: SecretReader, instead: Outside['channel'] | undefined) =>
  (...given: Injected): ChannelManager => {
    const [store, ledger, artifacts, config, clock, ids] = given;
    const [, , , , , , identity, alarms, masker, secrets, turns, sops, log] = given;
    const { id: daemon, build } = identity;
    const recorder = createFactRecorder({ store, ids, clock, daemon, build });
    return new ChannelManager({
      store,
      ledger,
      artifacts,
      config,
      clock,
      ids,
      identity,
      alarms,
      masker,
      readSecret: (ref) => read(ref, secrets),
      recorder,
      turns,
      sops,
      log,
      instead,
    });
  };
