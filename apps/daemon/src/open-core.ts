import { createServer } from 'node:net';
import { hostname } from 'node:os';
import type { Logger } from 'pino';
import type { Artifacts, Clock, EventStore, Ledger } from '@lockstep/engine';
import type { Host } from '@lockstep/policy';
import { systemClock } from './adapters/clock/system-clock.ts';
import { uuidV7Ids } from './adapters/ids.ts';
import { probeSandbox } from './adapters/sandbox/bubblewrap.ts';
import { readConfigSecrets } from './adapters/secrets/config-secrets.ts';
import { AccessLog } from './access/access-log.ts';
import { issueLocalToken } from './access/local-access.ts';
import { checkConfig, type StartConfig } from './config/check-config.ts';
import { ConfigService } from './config/config.service.ts';
import { createFactRecorder, type FactRecorder } from './record-fact.ts';
import { openSqliteLog } from './store/sqlite/sqlite-log.ts';
import { openArtifacts } from './store/open-artifacts.ts';
import type { DaemonIdentity } from './tokens.ts';
import type { Undo } from './undo.ts';

/** What stands before any module: the log, the config in force, and the local token. */
export interface Core {
  readonly clock: Clock;
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
}

export interface CoreOptions {
  readonly file: string;
  readonly data: string;
  readonly host: Host;
  readonly start: StartConfig;
  readonly at: { readonly host: string; readonly port: number };
  readonly build: string;
  readonly log: Logger;
}

/** Takes the data folder, records the start, and brings the config into force. */
export const openCore = async (options: CoreOptions, undo: Undo): Promise<Core> => {
  const { file, data, host, log, build } = options;
  const clock = systemClock;
  const ids = uuidV7Ids(clock);
  const identity: DaemonIdentity = { id: ids.next(), build };
  const { store, ledger } = await openSqliteLog({ folder: data, clock });
  undo.push(() => store.close());
  // A taken port is found out before anything is recorded.
  await probePort(options.at);
  const recorder = createFactRecorder({ store, ids, clock, daemon: identity.id, build });
  const artifacts = openArtifacts(store, ids, identity);
  const limits = await limitsOfMachine();
  await recordStart(recorder, identity, limits);
  undo.push((why) => recordStop(recorder, identity, why).catch(() => undefined));
  const check = (text: string) => checkConfig(text, file, host);
  const config = await ConfigService.open(
    { file, host, ledger, artifacts, recorder, log, check },
    options.start,
  );
  undo.push(() => config.close());
  warn(log, config, limits);
  const accessLog = new AccessLog({ recorder, ledger, ids, clock });
  undo.push(() => accessLog.flush().catch(() => undefined));
  const local = await issueLocalToken(accessLog, ledger);
  return { clock, identity, store, ledger, artifacts, recorder, config, accessLog, local, limits };
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
