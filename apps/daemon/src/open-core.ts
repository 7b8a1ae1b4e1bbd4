import { createServer } from 'node:net';
import { hostname } from 'node:os';
import type { Logger } from 'pino';
import type { Artifacts, Clock, EventStore, Ids, Ledger } from '@lockstep/engine';
import type { Host } from '@lockstep/policy';
import { systemClock } from './adapters/clock/system-clock.ts';
import { uuidV7Ids } from './adapters/ids.ts';
import { probeSandbox } from './adapters/sandbox/bubblewrap.ts';
import { readConfigSecrets } from './adapters/secrets/config-secrets.ts';
import { AccessLog } from './access/access-log.ts';
import { adoptLog } from './adopt-log.ts';
import { issueLocalToken } from './access/local-access.ts';
import { readOnlyAccess } from './access/read-only-access.ts';
import { checkConfig, type StartConfig } from './config/check-config.ts';
import { ConfigService } from './config/config.service.ts';
import { createFactRecorder, type FactRecorder } from './record-fact.ts';
import { openDiskState, type DiskState, type ReadDisk } from './store/disk-state.ts';
import {
  isOnlyImported,
  judgeLog,
  lastStart,
  writeMark,
  type ForeignLog,
} from './store/log-mark.ts';
import { readOnlyMessage, readOnlyStore } from './store/read-only-store.ts';
import { openArtifacts } from './store/open-artifacts.ts';
import { openLog } from './store/open-log.ts';
import type { DaemonIdentity } from './tokens.ts';
import type { Undo } from './undo.ts';

/** What stands before any module: the log, the config in force, and the local token. */
export interface Core {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly identity: DaemonIdentity;
  readonly store: EventStore;
  readonly ledger: Ledger;
  readonly artifacts: Artifacts;
  readonly recorder: FactRecorder;
  readonly config: ConfigService;
  readonly accessLog: AccessLog;
  readonly local: { readonly id: string; readonly token: string };
  /** What this machine lacks and what is refused for it. */
  readonly limits: readonly string[];
  readonly disk: DiskState;
  /** Why the log takes no events until a person has taken it over; null = it does. */
  readonly foreign: ForeignLog | null;
}

export interface CoreOptions {
  readonly file: string;
  readonly data: string;
  readonly host: Host;
  readonly start: StartConfig;
  readonly at: { readonly host: string; readonly port: number };
  readonly build: string;
  readonly log: Logger;
  /** Who takes over a log of another machine or start; absent = it stays read-only. */
  readonly adopt?: string | undefined;
  readonly clock?: Clock | undefined;
  readonly readDisk?: ReadDisk | undefined;
  /** Lays something between the daemon and its log, as a fault; absent = nothing. */
  readonly overLog?: ((store: EventStore) => EventStore) | undefined;
}

/** Takes the data folder, records the start, and brings the config into force. A log that was restored or copied is opened read-only:
 * nothing is recorded, and config and local token are in force without a word in it. */
export const openCore = async (options: CoreOptions, undo: Undo): Promise<Core> => {
  const { data, build, adopt } = options;
  const clock = options.clock ?? systemClock;
  const ids = uuidV7Ids(clock);
  const identity: DaemonIdentity = { id: ids.next(), build };
  const opened = await openLog({
    folder: data,
    clock,
    config: options.start.checked.config,
    source: { env: process.env, base: options.host.base },
  });
  const { ledger } = opened;
  const store = options.overLog?.(opened.store) ?? opened.store;
  undo.push(() => opened.store.close());
  let lastMark = (): Promise<void> => Promise.resolve();
  undo.push(() => lastMark());
  // A taken port is found out before anything is recorded.
  await probePort(options.at);
  const disk = await openDiskState(data, options.readDisk);
  undo.push(() => {
    disk.close();
    return Promise.resolve();
  });
  const foreign = await judgeLog(data, store);
  const limits = await limitsOfMachine();
  const base = { clock, ids, identity, ledger, limits, disk };
  if (foreign !== null && adopt === undefined)
    return openForReading(options, undo, { ...base, store: readOnlyStore(store), foreign });
  if (foreign === null) await markBefore(data, store, identity);
  const recorder = createFactRecorder({ store, ids, clock, daemon: identity.id, build });
  const artifacts = openArtifacts(store, ids, identity);
  await recordStart(recorder, identity, limits);
  undo.push((why) => recordStop(recorder, identity, why).catch(() => undefined));
  const config = await ConfigService.open(
    configParts(options, { ledger, artifacts, recorder }),
    options.start,
  );
  undo.push(() => config.close());
  warn(options.log, config, limits);
  const parts = { ...base, store, recorder, artifacts, config, foreign: null };
  const accessLog = new AccessLog({ recorder, ledger, ids, clock });
  // Whoever made the history may hold its tokens.
  if (isOnlyImported(data))
    for (const { id } of [...ledger.tokens()]) await accessLog.revoke(id, null);
  if (foreign !== null) await adoptLog(parts, foreign, adopt ?? '');
  lastMark = await keepMark(data, store, identity);
  undo.push(() => accessLog.flush().catch(() => undefined));
  const local = await issueLocalToken(accessLog, ledger);
  return { ...parts, accessLog, local };
};

type Base = Pick<
  Core,
  'clock' | 'ids' | 'identity' | 'store' | 'ledger' | 'limits' | 'disk' | 'foreign'
>;

const openForReading = async (options: CoreOptions, undo: Undo, base: Base): Promise<Core> => {
  const { ids, clock, store, identity } = base;
  const { ledger, recorder, local } = readOnlyAccess(
    base.ledger,
    ids,
    isOnlyImported(options.data) ? 'local token alone' : 'tokens of the log too',
  );
  const artifacts = openArtifacts(store, ids, identity);
  const config = await ConfigService.open(configParts(options, { ledger, artifacts, recorder }), {
    ...options.start,
    recorded: false,
  });
  undo.push(() => config.close());
  options.log.warn({ why: base.foreign?.why }, readOnlyMessage);
  const accessLog = new AccessLog({ recorder, ledger, ids, clock });
  const limits = [...base.limits, readOnlyMessage];
  return { ...base, ledger, limits, recorder, artifacts, config, accessLog, local };
};

const configParts = (
  { file, host, log }: CoreOptions,
  over: Pick<Core, 'ledger' | 'artifacts' | 'recorder'>,
) => ({
  file,
  host,
  log,
  ...over,
  check: (text: string) => checkConfig(text, file, host),
});

/** The mark fits the log with and without this start in it: a crash in between must not make the log a stranger. */
const markBefore = async (folder: string, store: EventStore, { id }: DaemonIdentity) => {
  const last = (await lastStart(store))?.incarnation;
  const incarnations = last === undefined ? [id] : [last, id];
  writeMark(folder, { incarnations, position: await store.head() });
};

const markEveryMs = 30_000;

/** Keeps in the mark how far the log went. Answers the last step, for when nothing more is recorded. */
const keepMark = async (folder: string, store: EventStore, { id }: DaemonIdentity) => {
  const mark = async (): Promise<void> => {
    try {
      writeMark(folder, { incarnations: [id], position: await store.head() });
    } catch {
      // An older mark fits too: it says how far the log went at least.
    }
  };
  await mark();
  const timer = setInterval(() => void mark(), markEveryMs).unref();
  return (): Promise<void> => {
    clearInterval(timer);
    return mark();
  };
};

const probePort = (at: { readonly host: string; readonly port: number }): Promise<void> =>
  new Promise((done, failed) => {
    const probe = createServer();
    probe.once('error', failed);
    probe.listen(at.port, at.host, () => {
      probe.close(() => {
        done();
      });
    });
  });

const limitsOfMachine = async (): Promise<readonly string[]> => {
  const sandbox = await probeSandbox();
  return sandbox.ok ? [] : [`what must run in the sandbox is refused: ${sandbox.reason}`];
};

const recordStart = (
  recorder: FactRecorder,
  { id, build }: DaemonIdentity,
  limits: readonly string[],
) =>
  recorder.record(
    'daemon',
    [
      {
        type: 'DaemonStarted',
        data: { incarnation: id, host: hostname(), version: build, limits: [...limits] },
      },
    ],
    { principal: null },
  );

const recordStop = (recorder: FactRecorder, { id }: DaemonIdentity, why: string) =>
  recorder.record('daemon', [{ type: 'DaemonStopped', data: { incarnation: id, why } }], {
    principal: null,
  });

/** What a person should know at once. References of secrets, never values. */
const warn = (log: Logger, config: ConfigService, limits: readonly string[]): void => {
  const { config: parsed, host } = config.current();
  const source = { env: process.env, base: host.base };
  for (const problem of readConfigSecrets(parsed, source).problems) log.warn(problem);
  for (const limit of limits) log.warn(limit);
};
