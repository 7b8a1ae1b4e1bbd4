import {
  childTools,
  identityReader,
  TurnsService,
  type Alarms,
  type CurrentConfig,
  type ReadSkills,
  type TurnRequest,
} from '@lockstep/daemon';
import {
  builtinSpecs,
  type DecidedBy,
  type LockstepEvent,
  type ModelPort,
  type TurnState,
  type ToolPort,
} from '@lockstep/engine';
import {
  fakeMemory,
  fakeModel,
  fakeTools,
  fixedClock,
  memoryStore,
  plainMasker,
  sequentialIds,
  type FakeMemory,
  type FakeModel,
  type FakeTools,
  type FixedClock,
  type MemoryStore,
  type ModelAsked,
  type ModelStep,
  type ToolRun,
} from '@lockstep/engine/testing';
import { configSchema, digestOf, type AppliedConfig } from '@lockstep/policy';
import { afterEach } from 'vitest';
import { expectSameAgain } from '../replay/same-again.ts';

/** Where the tests' machine keeps its files. */
const host = {
  home: '/home/ana',
  base: '/srv/team',
  data: '/srv/team/.lockstep',
  config: '/srv/team/lockstep.toml',
  program: ['/opt/lockstep/apps'],
};

/** Tables of agent `a` laid over one that may read and write files in its workspace without asking. */
export const configWith = (
  tables: Record<string, unknown> = {},
  change: { readonly version?: number; readonly agents?: Record<string, unknown> } = {},
): AppliedConfig => {
  const config = configSchema.parse({
    providers: {
      local: { type: 'scripted', script: 'scripts/a.yaml', prices: 'free', max_attempts: 2 },
    },
    risk_profiles: {
      careful: {
        tools: { allowed: ['*'], denied: [] },
        autonomy: 'supervised',
        approval: { auto_approve: ['file_*', 'http_fetch', 'ask_user'] },
      },
    },
    people: {
      ana: { identities: ['token:ana'], roles: ['approver'] },
      ben: { identities: ['token:ben'], roles: ['approver'] },
    },
    // Memory has specs of its own: elsewhere every turn would record that nothing was kept.
    runtime_profiles: { short: { memory: { auto_recall: false } } },
    agents: change.agents ?? {
      a: {
        provider: 'local',
        risk_profile: 'careful',
        runtime_profile: 'short',
        workspace: { root: '/ws/a' },
        ...tables,
      },
    },
  });
  return { version: change.version ?? 1, digest: digestOf(config), config, host };
};

/** Alarms that ring when the test moves the clock. */
export interface ManualAlarms extends Alarms {
  /** Moves the clock to the nearest alarm and rings it; false when none is set.
   * @param back by how much the clock is put back before it rings, in ms; absent = 0 */
  ringNext(back?: number): boolean;
}

const manualAlarms = (clock: FixedClock): ManualAlarms => {
  const set = new Set<{ readonly time: number; readonly wake: () => void }>();
  return {
    at: (time, wake) => {
      const alarm = { time, wake };
      set.add(alarm);
      return () => set.delete(alarm);
    },
    ringNext: (back = 0) => {
      const [next] = [...set].sort((a, b) => a.time - b.time);
      if (next === undefined) return false;
      set.delete(next);
      clock.advance(Math.max(0, next.time - clock.now()) - back);
      next.wake();
      return true;
    },
  };
};

export interface World {
  readonly turns: TurnsService;
  readonly memory: MemoryStore;
  readonly clock: FixedClock;
  readonly alarms: ManualAlarms;
  readonly model: FakeModel;
  readonly tools: FakeTools;
  readonly problems: unknown[];
  /** What each turn's runner held when it last came to rest. */
  readonly lastStates: Map<string, TurnState>;
  /** Puts another config in force. */
  readonly apply: (applied: AppliedConfig) => void;
  /** Every config that was in force. */
  readonly configs: () => readonly AppliedConfig[];
  /** Events of all turn streams, in order. */
  turnEvents(): readonly LockstepEvent[];
  /** Lets everything that can go on without an alarm go on. */
  quiet(): Promise<void>;
}

export interface WorldOptions {
  readonly config?: AppliedConfig;
  readonly model: (asked: ModelAsked) => ModelStep | Promise<ModelStep>;
  readonly run?: (run: ToolRun) => ReturnType<Parameters<typeof fakeTools>[1]['run']>;
  readonly secrets?: Record<string, string>;
  /** Events of an earlier run of the daemon. */
  readonly log?: readonly LockstepEvent[];
  /** Which run of the daemon this is. */
  readonly run_number?: number;
  readonly clock?: FixedClock;
  /** Lies between the turns and their log; absent = nothing does. */
  readonly over?: (store: MemoryStore['store']) => MemoryStore['store'];
  readonly tools?: FakeTools;
  /** Rows of memory; absent = there are none. */
  readonly remembered?: FakeMemory;
  /** Skills in the system text; absent = there are none. */
  readonly readSkills?: ReadSkills;
}

const worlds: World[] = [];

// Every turn that is recorded here is made again from its log.
afterEach(() => {
  for (const { memory, configs } of worlds.splice(0)) expectSameAgain(memory.events(), configs());
});

/** A daemon's turns over doubles: real resolve(), gate, decider and runner; an in-memory log, a fake model and fake tools. */
export const world = (options: WorldOptions): World => {
  const number = options.run_number ?? 1;
  const clock = options.clock ?? fixedClock();
  const memory = memoryStore({
    clock,
    daemon: `daemon-${number}`,
    ids: sequentialIds(`${number}a`),
    ...(options.log === undefined ? {} : { log: options.log }),
  });
  const alarms = manualAlarms(clock);
  const model = fakeModel(options.model);
  const tools =
    options.tools ??
    fakeTools(builtinSpecs, {
      root: '/ws/a',
      run: options.run ?? ((run) => `result of ${run.tool}`),
    });
  const problems: unknown[] = [];
  const remembered = options.remembered ?? fakeMemory();
  const config = currentConfig(options.config ?? configWith());
  // Tools that start turns need the turns, which need the tools.
  const lateTurns: Parameters<typeof childTools>[0]['turns'] = {
    launch: (request) => turns.launch(request),
    ended: (turn, signal) => turns.ended(turn, signal),
    link: (turn, child) => turns.link(turn, child),
  };
  const turns = new TurnsService(
    {
      store: options.over?.(memory.store) ?? memory.store,
      ledger: memory.ledger,
      artifacts: memory.artifacts,
      models: { for: (): ModelPort => model },
      tools: withChildren(tools, childTools({ turns: lateTurns, config })),
      masker: plainMasker(options.secrets),
      memory: remembered,
      readIdentity: identityReader(plainMasker(options.secrets)),
      readSkills: options.readSkills ?? (() => Promise.resolve([])),
      clock,
      ids: sequentialIds(`${number}b`),
      config,
      identity: { id: `daemon-${number}`, build: 'test' },
      alarms,
      report: ({ error }) => problems.push(error),
    },
    null,
  );
  const lastStates = new Map<string, TurnState>();
  turns.running.onRest((runner, turn) => {
    lastStates.set(turn, runner.state);
  });
  const made: World = {
    turns,
    lastStates,
    memory,
    clock,
    alarms,
    model,
    tools,
    problems,
    apply: config.apply,
    configs: config.known,
    turnEvents: () => memory.events().filter((event) => event.stream.startsWith('turn-')),
    quiet: async () => {
      for (let i = 0; i < 25; i += 1) await new Promise(setImmediate);
    },
  };
  worlds.push(made);
  return made;
};

/** Fake tools, but for those that start turns: they are the daemon's own. */
const withChildren = (tools: FakeTools, children: ReturnType<typeof childTools>): ToolPort => ({
  list: (scope) => tools.list(scope),
  inspect: (scope, spec, args, call) =>
    children.owns(spec.id)
      ? children.inspect(scope, spec, args, call)
      : tools.inspect(scope, spec, args, call),
  run: (scope, started, signal) => {
    if (!children.owns(started.spec.id)) return tools.run(scope, started, signal);
    const controller = new AbortController();
    signal.addEventListener('abort', () => {
      controller.abort();
    });
    const args = started.args as Readonly<Record<string, unknown>>;
    return children.run(scope, started, args, { signal: controller.signal, touched: [] });
  },
});

const currentConfig = (
  first: AppliedConfig,
): CurrentConfig & Pick<World, 'apply'> & { readonly known: World['configs'] } => {
  const known = [first];
  const listeners = new Set<(applied: AppliedConfig) => void>();
  return {
    current: () => known.at(-1) ?? first,
    version: (version) => known.find((one) => one.version === version) ?? null,
    onApplied: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    known: () => known,
    apply: (applied) => {
      known.push(applied);
      for (const listener of listeners) listener(applied);
    },
  };
};

/** A request of the person at the machine. */
export const ask = (input: string, change: Partial<TurnRequest> = {}): TurnRequest => ({
  agent: 'a',
  principal: { kind: 'local', id: 'local', person: null },
  session: null,
  origin: { kind: 'run' },
  client: 'none',
  input,
  idempotency: null,
  listening: false,
  ...change,
});

export const ana: DecidedBy = { principal: 'token:ana', person: 'ana', surface: 'rest' };
export const ben: DecidedBy = { principal: 'token:ben', person: 'ben', surface: 'console' };

/** Launches a request and waits until its turn rests. */
export const launched = async (w: World, request: TurnRequest): Promise<string> => {
  const result = await w.turns.launch(request);
  if (result.kind !== 'accepted') throw new Error(`not accepted: ${JSON.stringify(result)}`);
  await w.turns.settled(result.turn, new AbortController().signal);
  return result.turn;
};

/** Types of a turn's events, in order. */
export const typesOf = (w: World, turn: string): string[] =>
  w
    .turnEvents()
    .filter((event) => event.stream === `turn-${turn}`)
    .map((event) => event.type);

/** The data of the one event of a type in a turn. */
export const only = <T extends LockstepEvent['type']>(
  w: World,
  turn: string,
  type: T,
): Extract<LockstepEvent, { type: T }> => {
  const found = w
    .turnEvents()
    .filter((event) => event.stream === `turn-${turn}` && event.type === type);
  if (found.length !== 1) throw new Error(`${found.length} events of type ${type}`);
  return found[0] as Extract<LockstepEvent, { type: T }>;
};

/** Events of one type in a turn, in order. */
export const all = <T extends LockstepEvent['type']>(
  w: World,
  turn: string,
  type: T,
): readonly Extract<LockstepEvent, { type: T }>[] =>
  w
    .turnEvents()
    .filter(
      (event): event is Extract<LockstepEvent, { type: T }> =>
        event.stream === `turn-${turn}` && event.type === type,
    );
