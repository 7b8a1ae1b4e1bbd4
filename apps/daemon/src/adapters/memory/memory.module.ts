import { join } from 'node:path';
import {
  Inject,
  Injectable,
  Module,
  type DynamicModule,
  type OnApplicationShutdown,
} from '@nestjs/common';
import type { Outside } from '../../outside.ts';
import { createFactRecorder } from '../../record-fact.ts';
import {
  ARTIFACTS,
  CLOCK,
  CURRENT_CONFIG,
  DAEMON_IDENTITY,
  EVENT_STORE,
  IDS,
  MASKER,
  MEMORY,
  TOOL_SOURCES,
  type CurrentConfig,
  type Tokens,
} from '../../tokens.ts';
import { ALARMS, type Alarms } from '../../turns/alarms.ts';
import { INTAKE, type Intake } from '../../turns/intake.port.ts';
import { TURN_PROBLEMS } from '../../turns/turns.module.ts';
import type { TurnParts } from '../../turns/turn-parts.ts';
import { openMemory } from './open-memory.ts';
import type { MemoryService } from './memory-service.ts';
import { memoryTools } from './memory-tools.ts';
import { RetentionSweep } from './retention-sweep.ts';

/** Ends the work on rows before the log closes. */
@Injectable()
class MemoryShutdown implements OnApplicationShutdown {
  readonly #sweep: RetentionSweep;
  readonly #memory: MemoryService;

  constructor(
    @Inject(RetentionSweep) sweep: RetentionSweep,
    @Inject(MEMORY) memory: MemoryService,
  ) {
    this.#sweep = sweep;
    this.#memory = memory;
  }

  onApplicationShutdown(): Promise<void> {
    this.#sweep.stop();
    return this.#memory.close();
  }
}

/** What the sweep is made of, in the order of its tokens. */
type SweepParts = [
  memory: MemoryService,
  alarms: Alarms,
  clock: Tokens['CLOCK'],
  report: TurnParts['report'],
  intake: Intake,
];

/** What agents remember: the rows, and the tools over them. */
@Module({})
export class MemoryModule {
  /** @param outside stands in place of the world, for probes alone */
  static create(outside: Outside | null = null): DynamicModule {
    return {
      module: MemoryModule,
      global: true,
      providers: [
        { provide: MEMORY, inject: injected, useFactory: opening(outside) },
        {
          provide: RetentionSweep,
          inject: [MEMORY, ALARMS, CLOCK, TURN_PROBLEMS, INTAKE],
          useFactory: (...[memory, alarms, clock, report, intake]: SweepParts): RetentionSweep => {
            const parts = { alarms, clock, report: told(report), intake };
            const sweep = new RetentionSweep(memory, parts);
            sweep.start();
            return sweep;
          },
        },
        MemoryShutdown,
      ],
      exports: [MEMORY],
    };
  }
}

const injected = [
  EVENT_STORE,
  ARTIFACTS,
  CURRENT_CONFIG,
  DAEMON_IDENTITY,
  CLOCK,
  IDS,
  MASKER,
  TOOL_SOURCES,
  TURN_PROBLEMS,
];

type Injected = [
  Tokens['EVENT_STORE'],
  Tokens['ARTIFACTS'],
  CurrentConfig,
  Tokens['DAEMON_IDENTITY'],
  Tokens['CLOCK'],
  Tokens['IDS'],
  Tokens['MASKER'],
  Tokens['TOOL_SOURCES'],
  TurnParts['report'],
];

const opening =
  (outside: Outside | null) =>
  async (...given: Injected): Promise<MemoryService> => {
    const [store, artifacts, config, identity, clock, ids, masker, sources, report] = given;
    const recorder = createFactRecorder({
      store,
      ids,
      clock,
      daemon: identity.id,
      build: identity.build,
    });
    const data = outside?.folder ?? config.current().host.data;
    const memory = await openMemory({
      file: join(data, 'memory.db'),
      folder: join(data, 'memory'),
      store,
      artifacts,
      recorder,
      masker,
      clock,
      report: told(report),
    });
    sources.add(memoryTools({ memory, artifacts, masker, clock }));
    return memory;
  };

const told =
  (report: TurnParts['report']) =>
  (error: unknown): void => {
    report({ turn: '', error });
  };
