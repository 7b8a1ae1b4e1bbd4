import { availableParallelism } from 'node:os';
import type { Logger } from 'pino';
import { Authenticator } from './access/authenticator.ts';
import { Sessions } from './access/sessions.ts';
import { appModules } from './app.module.ts';
import type { GatewaySettings } from './gateway-settings.ts';
import { LiveStreams } from './http/live-streams.ts';
import { startMetrics } from './http/metrics.ts';
import { ReadModelsSide } from './http/read-models-side.ts';
import { HTTP_PARTS, type HttpParts } from './http/http-parts.ts';
import { ProblemError } from './http/problem.ts';
import { createHttpServer, type HttpServer } from './http/server.ts';
import { sseLimits } from './http/sse.ts';
import type { Core } from './open-core.ts';
import { prepareBacktest } from './replay/backtest/backtest-log.ts';
import { Backtests } from './replay/backtest/backtests.ts';
import { openRpcServer } from './paths/rpc/rpc-server.ts';
import { rpcLimits } from './paths/rpc/rpc-limits.ts';
import { CHANNELS, type ChannelManager } from './paths/channel/channel-manager.ts';
import { diskMessage } from './store/disk-state.ts';
import { readOnlyMessage } from './store/read-only-store.ts';
import { logPath } from './store/sqlite/sqlite-log.ts';
import type { Intake } from './turns/intake.port.ts';
import { SOP_RUNS, type SopRuns } from './paths/sop/sop-runs.port.ts';
import type { Outside } from './outside.ts';
import { ProbeRuns } from './probe/probe-runs.ts';
import { MEMORY, type Tokens } from './tokens.ts';
import { TurnsService } from './turns/turns.service.ts';
import { JOBS, type Jobs } from './work/jobs.port.ts';
import { Work } from './work/work.module.ts';
import type { Undo } from './undo.ts';

/** How long running turns get to come to a point from which they can be taken up. */
const stopBoundMs = 10_000;

/** What is made over the core: read models, the routes, and turns, which have taken up what an earlier run left. */
export interface Opened {
  readonly server: HttpServer;
  readonly sessions: Sessions;
  readonly recovered: { readonly turns: number; readonly messages: number };
}

/** What is given to an opened server beside its core. */
interface ServerOptions {
  readonly data: string;
  readonly log: Logger;
  readonly gateway: GatewaySettings;
  /** Takes a read-only log over, in a while. */
  readonly adopt: (by: string) => void;
  /** Why it is not taken over as it runs now; absent = it may be. */
  readonly whyNotAdopt?: string;
  /** Stands in place of the world outside; null = there is the world. */
  readonly outside: Outside | null;
}

export const openServer = async (
  core: Core,
  options: ServerOptions,
  undo: Undo,
): Promise<Opened> => {
  const { clock, store, artifacts, ledger, config } = core;
  const { log, gateway } = options;
  const sessions = new Sessions(clock);
  const authenticator = new Authenticator({ ledger, config, sessions, clock });
  const readSide = new ReadModelsSide({ folder: options.data, store, artifacts });
  undo.push(() => readSide.close());
  const metrics = await startMetrics(store);
  undo.push(() => metrics.close());
  const probes = new ProbeRuns({ ...core, intake: intakeOf(core) });
  undo.push(() => probes.close());
  const live = new LiveStreams();
  const backtests = new Backtests(core);
  undo.push(() => backtests.close());
  const readOnly = core.foreign !== null;
  const missing = new Set(readOnly ? ['adoption'] : ['recovery']);
  const server = await createHttpServer(
    {
      ...core,
      readSide,
      authenticator,
      sessions,
      live,
      metrics,
      probes,
      backtests,
      prepareBacktest: (source, filter) =>
        prepareBacktest({ log: logPath(options.data), source, filter, workers: spareCores() }),
      sse: sseLimits,
      log,
      gateway,
      notReady: () => [...missing],
      adopt: options.adopt,
      ...(options.whyNotAdopt === undefined ? {} : { whyNotAdopt: options.whyNotAdopt }),
    },
    appModules({ ...core, log, intake: intakeOf(core), outside: options.outside }),
  );
  undo.push(() => {
    live.endAll();
    return server.close();
  });
  const turns = server.app.get(TurnsService, { strict: false });
  undo.push(() => {
    missing.add('stopping');
    return turns.stop(stopBoundMs);
  });
  // Of a log that is not taken over nothing is begun and nothing goes on.
  if (readOnly) return { server, sessions, recovered: { turns: 0, messages: 0 } };
  const recovered = await takeUp(server, core, options, undo);
  missing.delete('recovery');
  return { server, sessions, recovered };
};

/** Threads of a backtest beside turns that run: they leave a core free where there is more than one. */
const spareCores = (): number => Math.max(1, availableParallelism() - 1);

/** Takes up what an earlier run left, then lets jobs, sockets and channels begin. */
const takeUp = async (
  server: HttpServer,
  core: Core,
  options: ServerOptions,
  undo: Undo,
): Promise<Opened['recovered']> => {
  const turns = server.app.get(TurnsService, { strict: false });
  const work = server.app.get(Work, { strict: false });
  undo.push(() => {
    work.stop();
    return Promise.resolve();
  });
  const recovered = await turns.recover();
  await work.start();
  const rpc = await openRpcServer(options.data, rpcParts(server, core));
  undo.push(() => rpc.close());
  const channels = server.app.get<ChannelManager>(CHANNELS, { strict: false });
  undo.push(() => channels.stop());
  await channels.start();
  const { store, ledger, config } = core;
  options.outside?.opened({
    store,
    ledger,
    config,
    memory: server.app.get<Tokens['MEMORY']>(MEMORY, { strict: false }),
    turns,
    jobs: server.app.get<Jobs>(JOBS, { strict: false }),
    sops: server.app.get<SopRuns>(SOP_RUNS, { strict: false }),
  });
  return recovered;
};

/** A disk that fills up keeps new turns out first, then every further step: what is left is for outcomes, stops and decisions. */
const intakeOf =
  ({ foreign, disk }: Core): Intake =>
  (of) => {
    if (foreign !== null) return { code: 'read_only', message: readOnlyMessage };
    const use = disk.current();
    const isClosed = { new: use.level !== 'ok', part: false, step: use.level === 'full' }[of];
    return isClosed ? { code: 'disk_full', message: diskMessage(use) } : null;
  };

/** The sockets are the operator's own: whoever can open them acts as the local token does. */
const rpcParts = (server: HttpServer, { local, identity }: Core) => {
  const parts = server.app.get<HttpParts>(HTTP_PARTS, { strict: false });
  const caller = () => {
    const found = parts.authenticator.byTokenId(local.id);
    if (found === null) throw new ProblemError('unauthenticated', 'the daemon is stopping');
    return found;
  };
  return { ...parts, caller, version: identity.build, limits: rpcLimits(parts.config) };
};
