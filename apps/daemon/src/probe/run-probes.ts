import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parityCell, parityView, type ParityCellDetail, type ParityView } from '@lockstep/engine';
import {
  pathNames,
  resolve,
  triggersByPath,
  type AppliedConfig,
  type PathName,
  type PolicySnapshot,
  type SettingKey,
  type Trigger,
} from '@lockstep/policy';
import { startDaemon } from '../daemon.ts';
import type { Inside, Outside } from '../outside.ts';
import type { Attack } from './attacks/attack.ts';
import { attacks } from './attacks/attacks.ts';
import { oneMore, wholeHour } from './attacks/limits.attacks.ts';
import { Board } from './board.ts';
import { Errands } from './errands.ts';
import { ProbeChannels } from './probe-channel.ts';
import { probeClock } from './probe-clock.ts';
import { openProbeServer } from './probe-mcp.ts';
import { probeModels } from './probe-model.ts';
import { ProbeSkills } from './probe-skills.ts';
import { probeTools, publicResolver } from './probe-tools.ts';
import { layConfig } from './lay-config.ts';
import { runTrial, type TrialParts } from './run-trial.ts';
import { allTriggers, TrialReader, type TrialRecord } from './trial-record.ts';
import type { Way, WayParts } from './way.ts';
import { ways } from './ways.ts';

export interface ProbeOptions {
  /** Path of the config file, or a config that is in force elsewhere: it is resolved for its own host. */
  readonly config: string | AppliedConfig;
  /** Absent = every one. */
  readonly agent?: string | undefined;
  readonly path?: PathName | undefined;
  readonly onProgress?: (done: number, of: number, what: string) => void;
  /** Told of each trial that shows something which none before it has shown, of this setting or of any. */
  readonly record?: {
    readonly setting: SettingKey | null;
    onTrial(trial: TrialRecord): Promise<void>;
  };
}

/** What the probes came to. */
export interface ProbeReport {
  /** The matrix of the throwaway log, the worst of all agents that were asked for. */
  readonly matrix: ParityView;
  readonly agents: readonly { readonly agent: string; readonly matrix: ParityView }[];
  cell(setting: SettingKey, path: PathName, agent: string): ParityCellDetail;
  readonly turns: number;
  /** Attacks that did not come to an end, and ways that led to no turn. */
  readonly problems: readonly string[];
}

/** Tries, for each agent over each trigger that config opens to it, to get past every setting: in a daemon of its own on a throwaway log,
 * through its real adapters, with effects, servers, platforms, providers and the clock replaced.
 * @throws StartError when the config is wrong (exit code 2) or the machine does not let a daemon run (4) */
export const runProbes = async (options: ProbeOptions): Promise<ProbeReport> => {
  const folder = await mkdtemp(join(tmpdir(), 'lockstep-probe-'));
  try {
    return await probeIn(folder, options);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};

const probeIn = async (folder: string, options: ProbeOptions): Promise<ProbeReport> => {
  const data = join(folder, 'data');
  const { config } = options;
  const given = typeof config === 'string' ? null : config;
  if (given !== null) await layConfig(data, given);
  const [clock, board, errands] = [probeClock(), new Board(), new Errands()];
  const channels = new ProbeChannels();
  let inside: Inside | null = null;
  const outside: Outside = {
    applied: given,
    folder: data,
    clock,
    alarms: clock,
    models: probeModels(board, errands),
    resolver: publicResolver,
    skills: new ProbeSkills(board),
    tools: probeTools(board, clock),
    mcp: openProbeServer,
    sandbox: { ok: true, bwrap: 'bwrap' },
    channel: channels.make,
    opened: (opened) => {
      inside = opened;
      board.follow(opened.store);
    },
  };
  const file = typeof config === 'string' ? config : join(folder, 'in-force');
  const at = { port: 0, host: '127.0.0.1' };
  const daemon = await startDaemon({ config: file, data, ...at, log: 'silent', outside });
  try {
    const opened = inside as Inside | null;
    if (opened === null) throw new Error('the daemon did not open');
    const applied = opened.config.current();
    const local = JSON.parse(await readFile(join(data, 'local.json'), 'utf8')) as { token: string };
    const { token } = local;
    const { url } = daemon;
    const parts: WayParts = { url, data, token, applied, inside: opened, channels, errands };
    const reader = new TrialReader(opened.store, options.record?.setting ?? null);
    const trial = { board, clock, errands, inside: opened };
    const problems = await probeAll(trial, { parts, options, reader });
    await reader.read();
    return reportOf(reader, options, problems);
  } finally {
    await board.close();
    await daemon.close('the probes are done');
  }
};

interface Todo {
  readonly agent: string;
  readonly way: Way;
  readonly policy: PolicySnapshot;
}

interface Plan {
  readonly parts: WayParts;
  readonly options: ProbeOptions;
  readonly reader: TrialReader;
}

const probeAll = async (
  trial: TrialParts,
  { parts, options, reader }: Plan,
): Promise<readonly string[]> => {
  await reader.read();
  const todo = todoOf(parts, options, closedTo(reader));
  const trials = trialsOf(todo);
  const problems: string[] = [];
  const closed = new Set<Way>();
  for (const [index, { agent, way, policy, attack }] of trials.entries()) {
    options.onProgress?.(index, trials.length, `${agent} over ${way.trigger}: ${attack.name}`);
    if (closed.has(way)) continue;
    const end = await runTrial(trial, way, { agent, attack, policy });
    const { trigger } = way;
    const shown = await reader.next({ agent, trigger, attack: attack.name });
    if (shown !== null) await options.record?.onTrial(shown);
    if (end.kind === 'not_started') {
      closed.add(way);
      problems.push(`no turn of \`${agent}\` could be started over \`${way.trigger}\``);
    } else if (end.kind === 'stuck')
      problems.push(`\`${agent}\` over \`${way.trigger}\`: ${attack.name} did not come to an end`);
  }
  await Promise.all(todo.map(({ way }) => way.close().catch(() => undefined)));
  options.onProgress?.(trials.length, trials.length, 'done');
  return problems;
};

/** Every attack over every way; then an agent's hour is used up once, and over every way one more call is tried. */
const trialsOf = (todo: readonly Todo[]): readonly (Todo & { readonly attack: Attack })[] =>
  [...new Set(todo.map(({ agent }) => agent))].flatMap((agent) => {
    const mine = todo.filter((one) => one.agent === agent);
    const [first] = mine;
    const list = mine.flatMap((one) =>
      attacks.filter((attack) => attack.applies(one.policy)).map((attack) => ({ ...one, attack })),
    );
    if (first === undefined || !wholeHour.applies(first.policy)) return list;
    const more = mine.map((one) => ({ ...one, attack: oneMore }));
    return [...list, { ...first, attack: wholeHour }, ...more];
  });

/** Triggers over which config cannot start an agent, as the matrix of the log says before any turn. */
const closedTo = ({ state }: TrialReader): ((agent: string, trigger: Trigger) => boolean) => {
  const byAgent = new Map(
    parityView(state).agents.map((agent) => {
      const [first] = parityView(state, { agent }).rows;
      const cells = pathNames.flatMap((path) => Object.entries(first?.cells[path].triggers ?? {}));
      return [agent, new Set(cells.filter(([, cell]) => isClosed(cell)).map(([name]) => name))];
    }),
  );
  return (agent, trigger) => byAgent.get(agent)?.has(trigger) === true;
};

const isClosed = ({ reason = '' }: { readonly reason?: string }): boolean =>
  reason.startsWith('config cannot start');

const todoOf = (
  parts: WayParts,
  { agent: only, path }: ProbeOptions,
  isClosedTo: (agent: string, trigger: Trigger) => boolean,
): readonly Todo[] => {
  const triggers: readonly Trigger[] = path === undefined ? allTriggers : triggersByPath[path];
  return Object.keys(parts.applied.config.agents)
    .filter((agent) => only === undefined || agent === only)
    .flatMap((agent) => {
      const policy = policyOf(parts.applied, agent);
      if (policy === null) return [];
      const open = triggers.filter((trigger) => !isClosedTo(agent, trigger));
      return open.flatMap((trigger) =>
        ways[trigger](parts, agent).map((way) => ({ agent, way, policy })),
      );
    });
};

const policyOf = (applied: AppliedConfig, agent: string): PolicySnapshot | null => {
  const found = resolve(
    applied,
    {
      agent,
      principal: { kind: 'local', id: 'local', person: null },
      session: '-',
      origin: { kind: 'run' },
      client: 'none',
    },
    {},
  );
  return found.ok ? found.policy.parts.snapshot : null;
};

const reportOf = (
  { state, turns }: TrialReader,
  { agent: only }: ProbeOptions,
  problems: readonly string[],
): ProbeReport => {
  const whole = parityView(state, only === undefined ? {} : { agent: only });
  return {
    matrix: whole,
    agents: whole.agents.map((agent) => ({ agent, matrix: parityView(state, { agent }) })),
    cell: (setting, path, agent) => parityCell(state, setting, path, { agent }),
    turns,
    problems,
  };
};
