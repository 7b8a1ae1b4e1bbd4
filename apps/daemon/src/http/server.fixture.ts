import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { DynamicModule } from '@nestjs/common';
import pino from 'pino';
import type { Ledger, LockstepEvent, ToolPort } from '@lockstep/engine';
import { fixedClock, memoryStore, sequentialIds, type FixedClock } from '@lockstep/engine/testing';
import type { Role } from '@lockstep/policy';
import { AccessLog } from '../access/access-log.ts';
import { Authenticator } from '../access/authenticator.ts';
import { issueLocalToken } from '../access/local-access.ts';
import { Sessions } from '../access/sessions.ts';
import { checkConfig, readStartConfig } from '../config/check-config.ts';
import { ConfigService } from '../config/config.service.ts';
import { hostOf } from '../config/host.ts';
import { CHANNELS } from '../paths/channel/channel-manager.ts';
import type { Probes } from '../probe/probes.port.ts';
import { createFactRecorder } from '../record-fact.ts';
import { Backtests } from '../replay/backtest/backtests.ts';
import { TOOLS, TURNS, type Turns } from '../tokens.ts';
import { JOBS, type Jobs } from '../work/jobs.port.ts';
import { SOP_RUNS, type SopRuns } from '../paths/sop/sop-runs.port.ts';
import type { HttpBase } from './http-parts.ts';
import { LiveStreams } from './live-streams.ts';
import { startMetrics } from './metrics.ts';
import type { ReadSide } from './read-side.ts';
import { createHttpServer, type HttpServer } from './server.ts';
import type { SseLimits } from './sse.ts';

export const config = `
[agents.alpha]
provider = "local"
risk_profile = "careful"
runtime_profile = "short"
[agents.beta]
enabled = false
[risk_profiles.careful]
autonomy = "supervised"
[risk_profiles.careful.tools]
allowed = ["file_read", "file_write"]
[runtime_profiles.short.budgets]
max_tool_iterations = 6
[providers.local]
type = "scripted"
script = "script.yaml"
[gateway]
max_body_kb = 4
`;

/** Turns that are never there. */
const noTurns: Turns = {
  launch: () =>
    Promise.resolve({
      kind: 'refused',
      code: 'agent_unavailable',
      turn: null,
      message: 'the agent is not available',
      problems: [],
    }),
  answer: () => Promise.resolve(null),
  settled: () => Promise.resolve(null),
  ended: () => Promise.resolve(null),
  onRest: () => () => undefined,
  onGate: () => undefined,
  family: () => [],
  isWaiting: () => false,
  link: () => Promise.resolve(),
  askedBelow: () => undefined,
  deltas: () => () => undefined,
  decide: () => Promise.resolve({ kind: 'not_found' }),
  answerQuestion: () => Promise.resolve({ kind: 'not_found' }),
  flagsChanged: () => undefined,
  onFlags: () => () => undefined,
  settleOutcome: () => Promise.resolve('not_found'),
  cancel: () => Promise.resolve('not_found'),
  steer: () => Promise.resolve('not_found'),
};

const emptyReads: ReadSide = {
  turns: () => Promise.resolve({ items: [], next: null }),
  turn: () => Promise.resolve(null),
  approvals: () => Promise.resolve({ items: [], next: null }),
  approval: () => Promise.resolve(null),
  job: () => Promise.resolve(null),
  sopRuns: () => Promise.resolve({ items: [], next: null }),
  sopRun: () => Promise.resolve(null),
  parity: () =>
    Promise.resolve({
      position: 'start',
      figure: { enforced: 0, of: 0 },
      rows: [],
      trend: [],
      missing: [],
      agents: [],
      configVersions: [],
    }),
  parityCell: (setting, path) =>
    Promise.resolve({
      setting,
      path,
      explain: '',
      cell: { state: 'unobserved', since: null, triggers: {} },
      evidence: [],
    }),
  trail: () => Promise.resolve({ items: [], next: null }),
  status: () => Promise.resolve([]),
  rebuild: () => Promise.resolve(),
};

const noTools: ToolPort = {
  list: () => Promise.resolve({ tools: [], problems: [] }),
  inspect: () => Promise.resolve({ operands: [], roots: null, confined: false }),
  run: () =>
    Promise.resolve({ ok: false, kind: 'unavailable', message: 'no tools here', touched: [] }),
};

const noJobs: Jobs = {
  list: () => [],
  find: () => null,
  runNow: () => Promise.resolve({ kind: 'not_found' }),
  add: () => Promise.resolve({ kind: 'refused', message: 'no jobs here' }),
  remove: () => Promise.resolve({ kind: 'refused', message: 'no jobs here' }),
};

const noSops: SopRuns = {
  start: ({ sop }) =>
    Promise.resolve({ kind: 'refused', code: 'not_found', message: `there is no \`${sop}\`` }),
  state: () => Promise.resolve(null),
  ended: () => Promise.resolve(null),
  cancel: () => Promise.resolve('not_found'),
};

const noChannels = {
  list: () => [],
  webhook: () => null,
  inbound: { refused: () => Promise.resolve() },
};

/** No probes are run. */
const noProbes: Probes = {
  start: () => Promise.resolve({ kind: 'refused', code: 'read_only', message: 'no probes here' }),
  get: () => Promise.resolve(null),
  list: () => Promise.resolve([]),
  turn: () => Promise.resolve(null),
  close: () => Promise.resolve(),
};

class Doubles {
  readonly name = 'doubles';
}
const doublesOf = (turns: Turns): DynamicModule => ({
  module: Doubles,
  providers: [
    { provide: TURNS, useValue: turns },
    { provide: TOOLS, useValue: noTools },
    { provide: CHANNELS, useValue: noChannels },
    { provide: JOBS, useValue: noJobs },
    { provide: SOP_RUNS, useValue: noSops },
  ],
  exports: [TURNS, TOOLS, CHANNELS, JOBS, SOP_RUNS],
});

/** The HTTP side over a log in memory, with nothing behind the turns. */
export interface Harness {
  readonly server: HttpServer;
  readonly http: ReturnType<HttpServer['app']['getHttpServer']>;
  readonly local: string;
  readonly clock: FixedClock;
  readonly ledger: Ledger;
  readonly accessLog: AccessLog;
  readonly sessions: Sessions;
  readonly localId: string;
  readonly config: ConfigService;
  readonly events: (type: LockstepEvent['type']) => readonly LockstepEvent[];
  readonly token: (roles: readonly Role[], agents?: readonly string[]) => Promise<string>;
  /** How many streams are open. */
  readonly open: () => number;
  /** From now on the log takes no writes. */
  readonly stopLog: () => void;
  readonly close: () => Promise<void>;
}

export const startHarness = async (
  folder: string,
  text = config,
  sse: SseLimits = { keepAliveMs: 15_000, stalledMs: 30_000 },
  {
    turns = {},
    before = [],
    ...over
  }: Partial<Pick<HttpBase, 'prepareBacktest'>> & {
    readonly turns?: Partial<Turns>;
    /** What the log holds already. */ readonly before?: readonly LockstepEvent[];
  } = {},
): Promise<Harness> => {
  await writeFile(join(folder, 'script.yaml'), 'default: [{ say: "hello" }]\n');
  const file = join(folder, 'lockstep.toml');
  await writeFile(file, text);
  const clock = fixedClock();
  const ids = sequentialIds('b');
  const { store, ledger, artifacts, events, stopAfter } = memoryStore({
    clock,
    daemon: 'd1',
    log: before,
  });
  const recorder = createFactRecorder({ store, ids, clock, daemon: 'd1', build: 'test' });
  const host = hostOf(file, join(folder, 'data'));
  const log = pino({ level: 'silent' });
  const service = await ConfigService.open(
    { file, host, ledger, artifacts, recorder, log, check: (t) => checkConfig(t, file, host) },
    await readStartConfig(file, host),
  );
  const accessLog = new AccessLog({ recorder, ledger, ids, clock });
  const local = await issueLocalToken(accessLog, ledger);
  const sessions = new Sessions(clock);
  const authenticator = new Authenticator({ ledger, config: service, sessions, clock });
  const metrics = await startMetrics(store);
  const live = new LiveStreams();
  const backtests = new Backtests({ ids, clock });
  const base = {
    store,
    ledger,
    artifacts,
    recorder,
    clock,
    config: service,
    readSide: emptyReads,
    accessLog,
    authenticator,
    probes: noProbes,
    sessions,
    live,
    metrics,
    sse,
    backtests,
    prepareBacktest: () => ({ kind: 'missing' as const, message: 'the log is in memory' }),
    ...over,
    gateway: { trustedProxies: [], extraHosts: [] },
    log,
    notReady: () => [],
  };
  const server = await createHttpServer(base, [doublesOf({ ...noTurns, ...turns })]);
  let count = 0;
  return {
    server,
    http: server.app.getHttpServer(),
    local: local.token,
    localId: local.id,
    clock,
    ledger,
    accessLog,
    sessions,
    config: service,
    events: (type) => events().filter((event) => event.type === type),
    token: async (roles, agents = ['*']) => {
      count += 1;
      const wish = {
        name: `t${count}`,
        roles,
        scopes: { agents, tools: ['*'] },
        expires: 'never' as const,
      };
      return (await accessLog.issue(wish, null)).token;
    },
    open: () => live.size,
    stopLog: () => {
      stopAfter(0);
    },
    close: async () => {
      live.endAll();
      await server.close();
      await metrics.close();
      await service.close();
    },
  };
};
