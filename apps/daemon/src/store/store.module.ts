import { createHash } from 'node:crypto';
import {
  Inject,
  Injectable,
  Module,
  type DynamicModule,
  type OnApplicationShutdown,
} from '@nestjs/common';
import {
  artifactsOver,
  type Artifacts,
  type Clock,
  type EventStore,
  type Ids,
  type Ledger,
} from '@lockstep/engine';
import {
  ARTIFACTS,
  CLOCK,
  DAEMON_IDENTITY,
  EVENT_STORE,
  IDS,
  LEDGER,
  READ_MODELS,
  type DaemonIdentity,
} from '../tokens.ts';
import {
  openReadModels,
  type ReadModels,
  type ReadModelsOptions,
} from './read-models/read-models.ts';
import { openSqliteLog, type SqliteLog } from './sqlite/sqlite-log.ts';

export type StoreModuleOptions = Pick<ReadModelsOptions, 'folder' | 'projections' | 'keyed'> &
  Partial<Pick<ReadModelsOptions, 'onProgress'>>;

const SQLITE_LOG = Symbol('SQLITE_LOG');

/** Texts of artifacts kept in memory, in characters. */
const artifactCacheChars = 4 * 1024 * 1024;

/** Lower-case hex SHA-256 of the UTF-8 bytes of a text. */
export const sha256Hex = (text: string): string => createHash('sha256').update(text).digest('hex');

/** Artifacts in the log of this daemon. */
export const openArtifacts = (store: EventStore, ids: Ids, daemon: DaemonIdentity): Artifacts =>
  artifactsOver({
    store,
    ids,
    digest: sha256Hex,
    daemon: daemon.id,
    build: daemon.build,
    cacheChars: artifactCacheChars,
  });

/** Closes read models before the log that they follow. */
@Injectable()
export class StoreShutdown implements OnApplicationShutdown {
  readonly #store: EventStore;
  readonly #readModels: ReadModels;

  constructor(@Inject(EVENT_STORE) store: EventStore, @Inject(READ_MODELS) readModels: ReadModels) {
    this.#store = store;
    this.#readModels = readModels;
  }

  async onApplicationShutdown(): Promise<void> {
    await this.#readModels.close();
    await this.#store.close();
  }
}

/** Event store, ledger, artifacts and read models of one data folder. Wants CLOCK, IDS and DAEMON_IDENTITY from a global
 * module. */
@Module({})
export class StoreModule {
  static forFolder(options: StoreModuleOptions): DynamicModule {
    return {
      module: StoreModule,
      global: true,
      providers: [
        {
          provide: SQLITE_LOG,
          inject: [CLOCK],
          useFactory: (clock: Clock): Promise<SqliteLog> =>
            openSqliteLog({ folder: options.folder, clock }),
        },
        {
          provide: EVENT_STORE,
          inject: [SQLITE_LOG],
          useFactory: (log: SqliteLog): EventStore => log.store,
        },
        {
          provide: LEDGER,
          inject: [SQLITE_LOG],
          useFactory: (log: SqliteLog): Ledger => log.ledger,
        },
        {
          provide: ARTIFACTS,
          inject: [EVENT_STORE, IDS, DAEMON_IDENTITY],
          useFactory: openArtifacts,
        },
        {
          provide: READ_MODELS,
          inject: [EVENT_STORE],
          useFactory: (store: EventStore): ReadModels => openReadModels({ ...options, store }),
        },
        StoreShutdown,
      ],
      exports: [EVENT_STORE, LEDGER, ARTIFACTS, READ_MODELS],
    };
  }
}
