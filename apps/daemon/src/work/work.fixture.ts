import type { Job, LockstepEvent, TurnAnswer } from '@lockstep/engine';
import {
  fixedClock,
  memoryStore,
  plainMasker,
  sequentialIds,
  type FixedClock,
  type MemoryStore,
} from '@lockstep/engine/testing';
import { configSchema, digestOf, type AppliedConfig, type Host } from '@lockstep/policy';
import type { CurrentConfig } from '../config/current-config.port.ts';
import { createFactRecorder } from '../record-fact.ts';
import { SopRunsService } from '../paths/sop/sop-runs.service.ts';
import type { Alarms } from '../turns/alarms.ts';
import type { LaunchResult, TurnRequest, Turns } from '../turns/turns.port.ts';
import { Records } from '../turns/records-of.ts';
import { Scheduler } from './scheduler.ts';

/** Monday, 2 March 2026, 06:00 UTC. */
export const monday = Date.UTC(2026, 2, 2, 6);

const host: Host = {
  home: '/home/ana',
  base: '/srv/team',
  data: '/srv/team/.lockstep',
  config: '/srv/team/lockstep.toml',
  program: [],
};

/** A config with two complete agents, one that is off, and these tables. */
export const configOf = (tables: Record<string, unknown> = {}, version = 1): AppliedConfig => {
  const whole = {
    provider: 'local',
    risk_profile: 'careful',
    runtime_profile: 'short',
  };
  const config = configSchema.parse({
    providers: { local: { type: 'scripted', script: 'a.yaml' } },
    risk_profiles: { careful: {} },
    runtime_profiles: { short: {} },
    agents: { alpha: whole, beta: whole, off: { ...whole, enabled: false } },
    ...tables,
  });
  return { version, digest: digestOf(config), config, host };
};

/** Alarms that ring when the test moves the clock. */
const bell = (clock: FixedClock): Alarms & { ring: () => boolean } => {
  const set = new Set<{ readonly time: number; readonly wake: () => void }>();
  return {
    at: (time, wake) => {
      const alarm = { time, wake };
      set.add(alarm);
      return () => set.delete(alarm);
    },
    ring: () => {
      const due = [...set].filter(({ time }) => time <= clock.now());
      for (const alarm of due) {
        set.delete(alarm);
        alarm.wake();
      }
      return due.length > 0;
    },
  };
};

type FakeTurn = { readonly request: TurnRequest; status: TurnAnswer['status']; reply: string };

/** Turns that begin once by their id and end when a test says so. They outlive a daemon, as the log does. */
export class FakeTurns {
  readonly begun = new Map<string, FakeTurn>();
  /** What a turn's end is at once; null = it runs until the test ends it. */
  readonly replies: (request: TurnRequest) => string | null;
  #wakes = new Set<() => void>();
  #onRest = new Set<(turn: string) => void>();
  off: ReadonlySet<string> = new Set(['off']);
  readonly cancelled: string[] = [];
  readonly #onFlags = new Set<() => void>();

  /** A stop or a pause was set or taken back. */
  flagsChanged(): void {
    for (const tell of this.#onFlags) tell();
  }

  constructor(replies: (request: TurnRequest) => string | null = () => null) {
    this.replies = replies;
  }

  end(turn: string, status: TurnAnswer['status'], reply = 'done'): void {
    const known = this.begun.get(turn);
    if (known === undefined) throw new Error(`no turn ${turn}`);
    known.status = status;
    known.reply = reply;
    for (const wake of [...this.#wakes]) wake();
    for (const tell of [...this.#onRest]) tell(turn);
  }

  /** Ends whatever runs. */
  endAll(): void {
    for (const [turn, { status }] of [...this.begun])
      if (status === 'running') this.end(turn, 'completed');
  }

  readonly port: Pick<
    Turns,
    'launch' | 'answer' | 'ended' | 'cancel' | 'link' | 'askedBelow' | 'onRest' | 'onFlags'
  > = {
    launch: async (request): Promise<LaunchResult> => {
      await Promise.resolve();
      const { turn = 'none', agent } = request;
      const position = '0'.repeat(20);
      const accepted = { kind: 'accepted', turn, session: `s-${turn}`, position } as const;
      const known = this.begun.get(turn);
      if (known?.status === 'refused' || (known === undefined && this.off.has(agent))) {
        this.begun.set(turn, { request, status: 'refused', reply: '' });
        const message = `agent \`${agent}\` is not available`;
        return { kind: 'refused', code: 'agent_unavailable', turn, message, problems: [] };
      }
      if (known !== undefined) return { ...accepted, repeat: true };
      const reply = this.replies(request);
      this.begun.set(turn, {
        request,
        status: reply === null ? 'running' : 'completed',
        reply: reply ?? '',
      });
      return { ...accepted, repeat: false };
    },
    answer: (turn) => Promise.resolve(this.#answer(turn)),
    ended: (turn, signal) =>
      new Promise((resolve) => {
        const look = (): void => {
          const answer = this.#answer(turn);
          if (!signal.aborted && answer?.status === 'running') return;
          this.#wakes.delete(look);
          resolve(answer);
        };
        this.#wakes.add(look);
        signal.addEventListener('abort', look);
        look();
      }),
    cancel: (turn, by) => {
      this.cancelled.push(`${turn} by ${by}`);
      if (this.begun.get(turn)?.status === 'running') this.end(turn, 'cancelled', '');
      return Promise.resolve('requested');
    },
    link: () => Promise.resolve(),
    askedBelow: () => undefined,
    onRest: (listener) => {
      this.#onRest.add(listener);
      return () => this.#onRest.delete(listener);
    },
    onFlags: (listener) => {
      this.#onFlags.add(listener);
      return () => this.#onFlags.delete(listener);
    },
  };

  #answer(turn: string): TurnAnswer | null {
    const known = this.begun.get(turn);
    if (known === undefined) return null;
    const { status, reply, request } = known;
    return {
      id: turn,
      status,
      session: `s-${turn}`,
      agent: request.agent,
      path: 'loop',
      reply: status === 'completed' ? reply : null,
      reason: status === 'completed' || status === 'running' ? null : `it was ${status}`,
      usage: {
        inputTokens: 0,
        outputTokens: 0,
        tokens: 0,
        cost: 0,
        modelCalls: 0,
        toolCalls: 0,
      },
      approvals: [],
      position: '0'.repeat(20),
    };
  }
}

/** What outlives a daemon: the log, the turns, the clock and the config file. */
export interface Machine {
  readonly clock: FixedClock;
  readonly turns: FakeTurns;
  config: AppliedConfig;
  log: readonly LockstepEvent[];
}

export const machineOf = (
  tables: Record<string, unknown>,
  replies?: (request: TurnRequest) => string | null,
): Machine => ({
  clock: fixedClock(monday),
  turns: new FakeTurns(replies),
  config: configOf(tables),
  log: [],
});

/** One life of the daemon, as far as jobs and procedures go. */
export interface Life {
  readonly jobs: Scheduler;
  readonly sops: SopRunsService;
  readonly memory: MemoryStore;
  /** Moves the clock and rings what is due, then waits for all that follows. */
  readonly move: (ms: number) => Promise<void>;
  readonly settle: () => Promise<void>;
  /** Puts another config in force. */
  readonly apply: (tables: Record<string, unknown>) => Promise<void>;
  /** Stops an agent, or all. */
  readonly halt: (agent: string | null) => Promise<void>;
  /** Ends this life; the machine keeps what was acknowledged. */
  readonly die: () => void;
  readonly ofJob: (name: string) => readonly string[];
  readonly ofType: (prefix: string) => readonly LockstepEvent[];
  readonly problems: unknown[];
}

let lives = 0;

/** @param appends after so many appends the log takes no more */
export const live = async (machine: Machine, appends = Infinity): Promise<Life> => {
  const { clock, turns } = machine;
  lives += 1;
  const ids = sequentialIds((lives % 16).toString(16));
  const memory = memoryStore({ clock, daemon: `d${lives}`, log: machine.log, ids });
  const { store, ledger, artifacts } = memory;
  const identity = { id: `d${lives}`, build: 'test' };
  const alarms = bell(clock);
  const problems: unknown[] = [];
  const configs = await configDouble(machine, memory, () => ids.next());
  memory.stopAfter(appends);
  const parts = { store, ledger, artifacts, clock, alarms, ids, identity, config: configs.port };
  const report = ({ error }: { readonly error: unknown }): void => {
    problems.push(error);
  };
  const records = new Records({ ...parts, live: () => null });
  const sops = new SopRunsService({
    ...parts,
    records,
    turns: turns.port,
    masker: plainMasker({}),
    report,
  });
  const jobs = new Scheduler({ ...parts, turns: turns.port, sops, report });
  const settle = async (): Promise<void> => {
    for (let n = 0; n < 60; n += 1) await Promise.resolve().then(() => jobs.settled());
  };
  const life: Life = {
    jobs,
    sops,
    memory,
    move: async (ms) => {
      clock.advance(ms);
      for (let n = 0; n < 20 && alarms.ring(); n += 1) await settle();
      await settle();
    },
    settle,
    apply: async (tables) => {
      await configs.apply(configOf(tables, machine.config.version + 1));
      await settle();
    },
    halt: async (agent) => {
      const recorder = createFactRecorder({ ...parts, daemon: identity.id, build: identity.build });
      const data = { agent, by: 'ana', why: 'enough' };
      await recorder.record('daemon', [{ type: 'EmergencyStopSet', data }], { principal: null });
      turns.flagsChanged();
      await settle();
    },
    die: () => {
      jobs.stop();
      sops.stop();
      machine.log = memory.events();
    },
    ofJob: (name) =>
      memory
        .events()
        .filter(({ stream }) => stream === `job-${name}`)
        .map(said),
    ofType: (prefix) => memory.events().filter(({ type }) => type.startsWith(prefix)),
    problems,
  };
  await sops.begin();
  await jobs.start();
  await settle();
  return life;
};

/** An event of a job in a few words: its type, when it was due, and what became of it. */
const said = (event: LockstepEvent): string => {
  const at = (due: number): string => new Date(due).toISOString().slice(5, 16);
  const { type, data } = event;
  if (type === 'JobDue') return `due ${at(data.due)}${data.late ? ' late' : ''}`;
  if (type === 'JobRun') return `${data.outcome} ${at(data.due)}`;
  if (type !== 'JobSkipped') return type;
  return `${data.why} ${at(data.due)}${data.more > 0 ? ` +${data.more}` : ''}`;
};

const configDouble = async (machine: Machine, memory: MemoryStore, id: () => string) => {
  const listeners = new Set<(applied: AppliedConfig) => void>();
  const known = new Map<number, AppliedConfig>([[machine.config.version, machine.config]]);
  const record = async (applied: AppliedConfig): Promise<void> => {
    const before = memory.ledger.latestConfig();
    if (before?.version === applied.version) return;
    const past = await memory.store.readStream('config');
    const { version, digest, host: place } = applied;
    await memory.store.append(
      'config',
      [
        {
          type: 'ConfigApplied',
          id: id(),
          schema: 1,
          data: {
            version,
            digest,
            content: { inline: '{}' },
            diff: [],
            widens: [],
            host: place,
            by: 'local',
          },
          meta: {
            agent: null,
            path: null,
            trigger: null,
            principal: null,
            session: null,
            turn: null,
            root: null,
            parent: null,
            chain: [],
            correlation: 'c',
            causation: null,
            attempt: 1,
            daemon: 'd',
            build: 'test',
          },
        },
      ],
      past.length === 0 ? 'no-stream' : past.length - 1,
    );
  };
  await record(machine.config);
  const port: CurrentConfig = {
    current: () => machine.config,
    version: (version) => known.get(version) ?? null,
    onApplied: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
  return {
    port,
    apply: async (next: AppliedConfig): Promise<void> => {
      await record(next);
      known.set(next.version, next);
      machine.config = next;
      for (const listener of listeners) listener(next);
    },
  };
};

/** A job as a tool makes it. */
export const toolJob = (more: Partial<Job> = {}): Job => ({
  name: 'mine',
  agent: 'alpha',
  schedule: '0 7 * * *',
  timezone: 'UTC',
  prompt: { inline: 'Look' },
  tools: null,
  usesMemory: true,
  narrowing: {},
  depth: 1,
  by: 't1',
  person: 'ana',
  turn: 'turn1',
  call: 'call1',
  ...more,
});
