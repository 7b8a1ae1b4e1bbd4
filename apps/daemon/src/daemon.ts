import 'reflect-metadata';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { hostname } from 'node:os';
import { resolve } from 'node:path';
import pino, { type Logger } from 'pino';
import type { DaemonIdentity } from './tokens.ts';
import { systemClock } from './adapters/clock/system-clock.ts';
import { uuidV7Ids } from './adapters/ids.ts';
import { probeSandbox } from './adapters/sandbox/bubblewrap.ts';
import { readConfigSecrets } from './adapters/secrets/config-secrets.ts';
import { AccessLog } from './access/access-log.ts';
import { Authenticator } from './access/authenticator.ts';
import { isLoopback } from './access/host-check.ts';
import { issueLocalToken, removeLocalFile, writeLocalFile } from './access/local-access.ts';
import { Sessions } from './access/sessions.ts';
import { appModules } from './app.module.ts';
import { checkConfig, readStartConfig } from './config/check-config.ts';
import { ConfigService } from './config/config.service.ts';
import { hostOf } from './config/host.ts';
import { LiveStreams } from './http/live-streams.ts';
import { startMetrics } from './http/metrics.ts';
import { ReadModelsSide } from './http/read-models-side.ts';
import { createHttpServer } from './http/server.ts';
import { sseLimits } from './http/sse.ts';
import { createFactRecorder } from './record-fact.ts';
import { StartError, startError } from './start-error.ts';
import { openSqliteLog } from './store/sqlite/sqlite-log.ts';
import { openArtifacts } from './store/store.module.ts';
import { TurnsService } from './turns/turns.service.ts';

export interface DaemonOptions {
  /** Path of the config file. */
  readonly config: string;
  /** The data folder; made when it is not there. */
  readonly data: string;
  /** Absent: what the config says. 0 = any free one. */
  readonly port?: number | undefined;
  readonly host?: string | undefined;
  /** A level of pino, or a logger; lines go to stderr. */
  readonly log?: string | Logger | undefined;
}

/** A running daemon. */
export interface Daemon {
  readonly url: string;
  readonly incarnation: string;
  /** What this machine lacks and what is refused for it. */
  readonly limits: readonly string[];
  /** A code that signs one browser in, once, within ten minutes. */
  signInLink(): string;
  /** Lets what runs come to a stop within a bound, records the end, and gives the data folder back. Repeats are one stop. */
  close(why: string): Promise<void>;
}

/** How long running turns get to come to a point from which they can be taken up. */
const stopBoundMs = 10_000;

const { version } = JSON.parse(
  readFileSync(new URL('../package.json', import.meta.url), 'utf8'),
) as { readonly version: string };

/** Opens everything in order and listens. When one step fails, those before it are taken back.
 * @throws StartError with the exit code and every problem */
export const startDaemon = async (options: DaemonOptions): Promise<Daemon> => {
  const undo: Undo = [];
  const at = { host: options.host ?? '127.0.0.1', port: options.port ?? 0 };
  try {
    return await open(options, undo, at);
  } catch (thrown) {
    await takeBack(undo, 'the start failed');
    throw startError(thrown, at);
  }
};

/** Steps that take back what was opened, the newest last. */
type Undo = ((why: string) => Promise<unknown> | undefined)[];

const takeBack = async (undo: Undo, why: string): Promise<void> => {
  for (const step of undo.splice(0).reverse()) await step(why);
};

const open = async (
  options: DaemonOptions,
  undo: Undo,
  at: { host: string; port: number },
): Promise<Daemon> => {
  const log = loggerOf(options.log);
  const file = resolve(options.config);
  const data = resolve(options.data);
  const host = hostOf(file, data);
  const start = await readStartConfig(file, host);
  const { gateway } = start.checked.config;
  at.host = options.host ?? gateway.host;
  at.port = options.port ?? gateway.port;
  refuseOpenBind(at.host, gateway.trusted_proxies);

  const clock = systemClock;
  const ids = uuidV7Ids(clock);
  const identity: DaemonIdentity = { id: ids.next(), build: version };
  const { store, ledger } = await openSqliteLog({ folder: data, clock });
  undo.push(() => store.close());
  // A taken port is found out before anything is recorded.
  await probePort(at);

  const recorder = createFactRecorder({ store, ids, clock, daemon: identity.id, build: version });
  const artifacts = openArtifacts(store, ids, identity);
  const limits = await limitsOfMachine();
  await recordStart(recorder, identity, limits);
  undo.push((why) => recordStop(recorder, identity, why).catch(() => undefined));

  const config = await ConfigService.open(
    {
      file,
      host,
      ledger,
      artifacts,
      recorder,
      log,
      check: (text) => checkConfig(text, file, host),
    },
    start,
  );
  undo.push(() => config.close());
  warn(log, config, limits);
  const accessLog = new AccessLog({ recorder, ledger, ids, clock });
  undo.push(() => accessLog.flush().catch(() => undefined));
  const local = await issueLocalToken(accessLog, ledger);
  const sessions = new Sessions(clock);
  const authenticator = new Authenticator({ ledger, config, sessions, clock });
  const readSide = new ReadModelsSide({ folder: data, store, artifacts });
  undo.push(() => readSide.close());
  const metrics = await startMetrics(store);
  undo.push(() => metrics.close());
  const live = new LiveStreams();
  const missing = new Set(['recovery']);

  const server = await createHttpServer(
    {
      store,
      ledger,
      artifacts,
      recorder,
      clock,
      config,
      readSide,
      accessLog,
      authenticator,
      sessions,
      live,
      metrics,
      sse: sseLimits,
      log,
      notReady: () => [...missing],
    },
    appModules({ store, ledger, artifacts, config, identity, clock, log }),
  );
  undo.push(() => server.close());
  undo.push(() => {
    live.endAll();
    return undefined;
  });
  const turns = server.app.get(TurnsService, { strict: false });
  undo.push(() => {
    missing.add('stopping');
    return turns.stop(stopBoundMs);
  });
  const recovered = await turns.recover();
  missing.delete('recovery');
  const url = await server.listen(at.port, at.host);
  await writeLocalFile(data, {
    url,
    token: local.token,
    pid: process.pid,
    incarnation: identity.id,
  });
  undo.push(() => removeLocalFile(data, identity.id));
  config.watch();
  log.info({ url, incarnation: identity.id, ...recovered }, 'listening');

  let stopping: Promise<void> | null = null;
  return {
    url,
    incarnation: identity.id,
    limits,
    signInLink: () => sessions.createLink(local.id).code,
    close: (why) => {
      stopping ??= takeBack(undo, why).then(() => {
        log.info({ why }, 'stopped');
      });
      return stopping;
    },
  };
};

const loggerOf = (given: DaemonOptions['log']): Logger => {
  if (given !== undefined && typeof given !== 'string') return given;
  return pino({ level: given ?? 'info' }, pino.destination({ fd: 2, sync: true }));
};

/** Without TLS of our own, an open port needs a proxy in front that is named. */
const refuseOpenBind = (host: string, proxies: readonly string[]): void => {
  if (isLoopback(host) || proxies.length > 0) return;
  throw new StartError(
    2,
    `binding \`${host}\` would let everybody on the network in without TLS: bind 127.0.0.1, or put a proxy in front and name it in \`gateway.trusted_proxies\``,
  );
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
  return sandbox.ok ? [] : [`sandboxed MCP servers are refused: ${sandbox.reason}`];
};

type Recorder = ReturnType<typeof createFactRecorder>;

const recordStart = (recorder: Recorder, { id }: DaemonIdentity, limits: readonly string[]) =>
  recorder.record(
    'daemon',
    [
      {
        type: 'DaemonStarted',
        data: { incarnation: id, host: hostname(), version, limits: [...limits] },
      },
    ],
    { principal: null },
  );

const recordStop = (recorder: Recorder, { id }: DaemonIdentity, why: string) =>
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
