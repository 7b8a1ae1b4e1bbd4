import 'reflect-metadata';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import pino, { type Logger } from 'pino';
import type { Clock, EventStore } from '@lockstep/engine';
import type { AppliedConfig, Host } from '@lockstep/policy';
import { isLoopback } from './access/host-check.ts';
import { removeLocalFile, writeLocalFile } from './access/local-access.ts';
import { isOnlyShown, readStartConfig, type StartConfig } from './config/check-config.ts';
import { hostOf } from './config/host.ts';
import { gatewaySettings, type GatewaySettings } from './gateway-settings.ts';
import { openCore } from './open-core.ts';
import { openServer } from './open-server.ts';
import type { Outside } from './outside.ts';
import { StartError, startError } from './start-error.ts';
import type { ReadDisk } from './store/disk-state.ts';
import { takeBack, type Undo } from './undo.ts';

export interface DaemonOptions {
  /** Path of the config file. */
  readonly config: string;
  /** The data folder; made when it is not there. */
  readonly data: string;
  /** Absent: what the config says. 0 = any free one. */
  readonly port?: number | undefined;
  readonly host?: string | undefined;
  /** Where a person reaches the console, for programs of this machine that make links to it. */
  readonly console?: string | undefined;
  /** A level of pino, or a logger; lines go to stderr. */
  readonly log?: string | Logger | undefined;
  /** Takes over a log that was restored or copied: who does. Absent = it is opened read-only. */
  readonly adopt?: string | undefined;
  /** Absent: the system's. */
  readonly clock?: Clock | undefined;
  /** Absent: the system's. */
  readonly readDisk?: ReadDisk | undefined;
  /** Lays something between the daemon and its log, as a fault; absent = nothing. */
  readonly overLog?: ((store: EventStore) => EventStore) | undefined;
  /** Stands in place of the world outside, for probes alone. */
  readonly outside?: Outside | undefined;
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

const { version } = JSON.parse(
  readFileSync(new URL('../package.json', import.meta.url), 'utf8'),
) as { readonly version: string };

/** Opens everything in order and listens. When one step fails, those before it are taken back.
 * @throws StartError with the exit code and every problem */
export const startDaemon = async (options: DaemonOptions): Promise<Daemon> => {
  let current = await startOnce(options, adoptLater);
  let stopping: Promise<void> | null = null;
  let adopting: Promise<void> = Promise.resolve();

  /** A log is taken over by a stop and a start on the same address: nothing of the read-only daemon lives on. */
  function adoptLater(by: string): void {
    adopting = adopting.then(async () => {
      if (stopping !== null || !current.readOnly) return;
      await new Promise(setImmediate);
      const { port } = new URL(current.url);
      await current.close('the log is taken over');
      current = await startOnce({ ...options, port: Number(port), adopt: by }, adoptLater);
    });
    // A daemon that cannot come back must not look like one that runs.
    adopting.catch((thrown: unknown) => {
      process.emitWarning(thrown instanceof Error ? thrown : String(thrown));
      process.exitCode = 4;
      process.kill(process.pid, 'SIGTERM');
    });
  }

  return {
    get url() {
      return current.url;
    },
    get incarnation() {
      return current.incarnation;
    },
    get limits() {
      return current.limits;
    },
    signInLink: () => current.signInLink(),
    close: (why) => {
      stopping ??= adopting.catch(() => undefined).then(() => current.close(why));
      return stopping;
    },
  };
};

interface Opened extends Daemon {
  readonly readOnly: boolean;
}

const startOnce = async (options: DaemonOptions, adopt: (by: string) => void): Promise<Opened> => {
  const undo: Undo = [];
  const at = { host: options.host ?? '127.0.0.1', port: options.port ?? 0 };
  try {
    return await open({ ...options, adoptLater: adopt }, undo, at);
  } catch (thrown) {
    await takeBack(undo, 'the start failed');
    throw startError(thrown, at);
  }
};

const open = async (
  options: DaemonOptions & { readonly adoptLater: (by: string) => void },
  undo: Undo,
  at: { host: string; port: number },
): Promise<Opened> => {
  const log = loggerOf(options.log);
  const file = resolve(options.config);
  const data = resolve(options.data);
  const applied = options.outside?.applied ?? null;
  const host = applied?.host ?? hostOf(file, data);
  const { start, whyNotAdopt } = await startFrom(options, { file, host });
  const gateway = gatewaySettings(options, process.env, start.checked.config.gateway);
  at.host = gateway.host;
  at.port = gateway.port;
  refuseOpenBind(gateway);

  const { adopt, readDisk, overLog, adoptLater, outside = null } = options;
  const clock = outside?.clock ?? options.clock;
  const core = await openCore(
    { file, data, host, start, at, build: version, log, adopt, clock, readDisk, overLog },
    undo,
  );
  const { server, sessions, recovered } = await openServer(
    core,
    { data, log, gateway, adopt: adoptLater, outside, ...whyNotAdopt },
    undo,
  );
  const url = await server.listen(at.port, at.host);
  const { id: incarnation } = core.identity;
  const { local, limits } = core;
  await writeLocalFile(data, {
    url,
    token: local.token,
    pid: process.pid,
    incarnation,
    ...(options.console === undefined ? {} : { console: options.console }),
  });
  undo.push(() => removeLocalFile(data, incarnation));
  const readOnly = core.foreign !== null;
  if (!readOnly) core.config.watch();
  log.info({ url, incarnation, readOnly, ...recovered }, 'listening');

  let stopping: Promise<void> | null = null;
  return {
    url,
    incarnation,
    limits,
    readOnly,
    signInLink: () => sessions.createLink(local.id).code,
    close: (why) => {
      stopping ??= takeBack(undo, why).then(() => {
        log.info({ why }, 'stopped');
      });
      return stopping;
    },
  };
};

const ownConfigWanted =
  'an imported log is taken over under a config of your own: start it with `lockstep --config FILE --data FOLDER up`, then adopt it';

/** The config that is to be in force, and what keeps a log from being taken over under it. */
const startFrom = async (
  { outside, adopt }: DaemonOptions,
  { file, host }: { readonly file: string; readonly host: Host },
): Promise<{
  readonly start: StartConfig;
  readonly whyNotAdopt: { readonly whyNotAdopt?: string };
}> => {
  const applied = outside?.applied ?? null;
  if (applied !== null) return { start: startOn(applied), whyNotAdopt: {} };
  if (!isOnlyShown(file, host.data))
    return { start: await readStartConfig(file, host), whyNotAdopt: {} };
  if (adopt !== undefined) throw new StartError(2, ownConfigWanted);
  return {
    start: shownHere(await readStartConfig(file, host)),
    whyNotAdopt: { whyNotAdopt: ownConfigWanted },
  };
};

/** A config that came with a history says nothing of where to listen, whom to believe and where the log lies: here that is this machine
 * alone. */
const shownHere = ({ text, checked }: StartConfig): StartConfig => {
  const { config } = checked;
  const gateway = { ...config.gateway, host: '127.0.0.1', hosts: [], trusted_proxies: [] };
  return {
    text,
    checked: { ...checked, config: { ...config, gateway, store: { type: 'sqlite' } } },
  };
};

/** A config that is in force elsewhere was judged there. */
const startOn = ({ config, digest }: AppliedConfig): StartConfig => ({
  text: '',
  checked: { ok: true, config, digest, warnings: [] },
});

const loggerOf = (given: DaemonOptions['log']): Logger => {
  if (given !== undefined && typeof given !== 'string') return given;
  return pino({ level: given ?? 'info' }, pino.destination({ fd: 2, sync: true }));
};

/** Without TLS of our own, an open port needs a proxy in front that is named. */
const refuseOpenBind = ({ host, trustedProxies }: GatewaySettings): void => {
  if (isLoopback(host) || trustedProxies.length > 0) return;
  throw new StartError(
    2,
    `binding \`${host}\` would let everybody on the network in without TLS: bind 127.0.0.1, or put a proxy in front and name it in \`gateway.trusted_proxies\``,
  );
};
