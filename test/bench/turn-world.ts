import { createHash } from 'node:crypto';
import {
  identityReader,
  openReadModels,
  openSqliteLog,
  timerAlarms,
  TurnsService,
  uuidV7Ids,
  type CurrentConfig,
  type ReadModels,
  type TurnRequest,
} from '@lockstep/daemon';
import {
  approvalsInbox,
  artifactsOver,
  builtinSpecs,
  parityMatrix,
  turnList,
  type Artifacts,
  type EventStore,
  type Ledger,
  type LockstepEvent,
  type ModelPort,
  type ToolPort,
} from '@lockstep/engine';
import { fakeTools, memoryStore, plainMasker } from '@lockstep/engine/testing';
import { configSchema, digestOf, readableConfig, type AppliedConfig } from '@lockstep/policy';
import { newEvent } from '../support/sample-events.ts';

const clock = { now: () => Date.now() };
const ids = uuidV7Ids(clock);
const daemon = { id: 'bench', build: 'bench' };
const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

const host = {
  home: '/home/ana',
  base: '/srv/team',
  data: '/srv/team/.lockstep',
  config: '/srv/team/lockstep.toml',
  program: ['/opt/lockstep/apps'],
};

/** One agent that may read and write in its workspace without asking. */
export const benchConfig = (): AppliedConfig => {
  const config = configSchema.parse({
    providers: { local: { type: 'scripted', script: 'a.yaml', prices: 'free' } },
    risk_profiles: {
      careful: {
        tools: { allowed: ['file_*', 'time_now', 'ask_user'], denied: ['file_edit'] },
        autonomy: 'supervised',
        approval: { auto_approve: ['file_*'] },
      },
    },
    // Far more than any team does in an hour.
    runtime_profiles: { short: { budgets: { max_actions_per_hour: 'unlimited' } } },
    agents: {
      a: {
        provider: 'local',
        risk_profile: 'careful',
        runtime_profile: 'short',
        workspace: { root: '/ws/a' },
      },
      b: { provider: 'local', risk_profile: 'careful', runtime_profile: 'short' },
    },
  });
  return { version: 1, digest: digestOf(config), config, host };
};

/** A model that makes five calls, one a step or all at once, and then says that it is done. At once, and keeping nothing. */
const fiveCalls = (shape: Shape): ModelPort => ({
  call: (started) => {
    const { input, event } = started;
    const results = input.messages.filter((message) => message.role === 'tool').length;
    const call = (n: number) => ({
      call: `m${event.data.modelCall}c${n}`,
      alias: 'file_read',
      args: `{"path":"notes/${n}.md"}`,
    });
    const wanted = shape === 'steps' ? [call(results)] : [0, 1, 2, 3, 4].map(call);
    const calls = results >= 5 ? [] : wanted;
    return Promise.resolve({
      ok: true,
      text: calls.length === 0 ? 'I have read the five files.' : '',
      calls,
      finish: calls.length === 0 ? 'stop' : 'tool_calls',
      usage: { inputTokens: 100, outputTokens: 10, cachedInputTokens: 0 },
    });
  },
});

const content = 'The quick brown fox jumps over the lazy dog. '.repeat(5);

/** Looks as the fake tools do; runs at once and keeps nothing. */
const quickTools: ToolPort = {
  ...fakeTools(builtinSpecs, { root: '/ws/a', run: () => content }),
  run: () => Promise.resolve({ ok: true, text: content, isError: false, masked: 0, touched: [] }),
};

/** One call a step, or all five in one. */
export type Shape = 'steps' | 'parallel';

export interface TurnWorld {
  readonly store: EventStore;
  /** Runs one turn of five tool calls to its end.
   * @throws when it did not complete */
  turn(): Promise<void>;
  readonly readModels: ReadModels | null;
  close(): Promise<void>;
}

interface Log {
  readonly store: EventStore;
  readonly ledger: Ledger;
  readonly artifacts: Artifacts;
  readonly readModels: ReadModels | null;
}

/** Turns over a log: real launch, resolve(), gate, decider, runner and log; a model and tools that answer at once. */
const worldOver = async ({ store, ledger, artifacts, readModels }: Log, shape: Shape) => {
  const applied = benchConfig();
  const { text, digest } = readableConfig(applied.config);
  await store.append(
    'config',
    [
      newEvent(ids, {
        type: 'ConfigApplied',
        data: {
          version: 1,
          content: { inline: text },
          digest,
          by: 'file',
          diff: [],
          widens: [],
          host,
        },
      }),
    ],
    'no-stream',
  );
  const config: CurrentConfig = {
    current: () => applied,
    version: (version) => (version === 1 ? applied : null),
    onApplied: () => () => undefined,
  };
  const model = fiveCalls(shape);
  const problems: unknown[] = [];
  const turns = new TurnsService(
    {
      store,
      ledger,
      artifacts,
      models: { for: () => model },
      tools: quickTools,
      masker: plainMasker(),
      memory: { recall: () => Promise.resolve([]) },
      readIdentity: identityReader(plainMasker()),
      readSkills: () => Promise.resolve([]),
      clock,
      ids,
      config,
      identity: daemon,
      alarms: timerAlarms(clock),
      report: ({ error }) => problems.push(error),
    },
    null,
  );
  const world: TurnWorld = {
    store,
    readModels,
    turn: async () => {
      const launched = await turns.launch(request);
      if (launched.kind !== 'accepted') throw new Error(`not accepted: ${launched.kind}`);
      const answer = await turns.settled(launched.turn, new AbortController().signal);
      if (answer?.status !== 'completed')
        throw new Error(`the turn is ${answer?.status ?? 'gone'}: ${String(problems[0])}`);
    },
    close: async () => {
      await readModels?.close();
      await store.close();
    },
  };
  return world;
};

const request: TurnRequest = {
  agent: 'a',
  principal: { kind: 'local', id: 'local', person: null },
  session: null,
  origin: { kind: 'run' },
  client: 'none',
  input: 'Read my five notes.',
  idempotency: null,
  listening: false,
};

/** Turns on SQLite in this folder, with the daemon's read models beside them where asked. */
export const durableWorld = async (
  folder: string,
  options: { readonly shape: Shape; readonly readModels: boolean },
): Promise<TurnWorld> => {
  const { store, ledger } = await openSqliteLog({ folder, clock });
  const { id, build } = daemon;
  const artifacts = artifactsOver({
    store,
    ids,
    digest: sha256,
    daemon: id,
    build,
    cacheChars: 4_000_000,
  });
  const readModels = options.readModels
    ? openReadModels({
        folder,
        store,
        projections: [parityMatrix({ supportedTriggers: ['rest', 'run'] })],
        keyed: [turnList, approvalsInbox],
      })
    : null;
  return worldOver({ store, ledger, artifacts, readModels }, options.shape);
};

/** Turns on the in-memory double. It checks every event strictly, which a real log does when it is read. */
export const memoryWorld = (shape: Shape): Promise<TurnWorld> =>
  worldOver({ ...memoryStore({ clock, daemon: daemon.id, ids }), readModels: null }, shape);

/** Runs turns, so many at once, for a time; answers how many ended a second. */
export const turnRate = async (
  world: TurnWorld,
  { atOnce, seconds }: { readonly atOnce: number; readonly seconds: number },
): Promise<number> => {
  const begin = performance.now();
  const end = begin + seconds * 1_000;
  let turns = 0;
  const loop = async (): Promise<void> => {
    while (performance.now() < end) {
      await world.turn();
      turns += 1;
    }
  };
  await Promise.all(Array.from({ length: atOnce }, loop));
  return turns / ((performance.now() - begin) / 1_000);
};

/** Everything that a log holds, in order. */
export const eventsOf = async (store: EventStore): Promise<readonly LockstepEvent[]> => {
  const events: LockstepEvent[] = [];
  for (let after = 'start', end = false; !end;) {
    const page = await store.readAll({ after, limit: 5_000 });
    events.push(...page.events);
    ({ next: after, end } = page);
  }
  return events;
};
