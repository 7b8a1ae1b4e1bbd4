import {
  inlineLimitBytes,
  operandPointers,
  utf8Bytes,
  type Artifacts,
  type Content,
  type EventStore,
  type Job,
  type Ledger,
  type Operand,
  type StartedToolCall,
  type ToolScope,
} from '@lockstep/engine';
import {
  aliasSchema,
  depthBelow,
  foldNarrowings,
  resolve,
  type Narrowing,
  type Principal,
} from '@lockstep/policy';
import { outcomeOf, ToolFailure, ToolSays, type ToolDone } from '../adapters/tools/tool-failure.ts';
import type { Running, ToolSource } from '../adapters/tools/tool-source.ts';
import type { CurrentConfig } from '../config/current-config.port.ts';
import { jobPrincipal } from '../paths/loop/cron.path.ts';
import { ownSession } from '../turns/request-ids.ts';
import type { Jobs, JobListing } from './jobs.port.ts';
import { cronTiming } from './timing.ts';

export interface JobToolParts {
  readonly jobs: Jobs;
  readonly ledger: Ledger;
  readonly store: EventStore;
  readonly artifacts: Artifacts;
  readonly config: CurrentConfig;
}

const ids = ['builtin:cron_add', 'builtin:cron_list', 'builtin:cron_remove'];

/** Names that stand for heartbeats among the jobs. */
const reserved = /^heartbeat-/;

/** An agent's own jobs: made, listed and ended by the agent itself. */
export const jobTools = (parts: JobToolParts): ToolSource => ({
  owns: (id) => ids.includes(id),
  inspect: (_scope, spec, args) => {
    const operands = operandPointers(spec, args).found.map(({ given }): Operand => {
      const known = parts.jobs.find(given);
      return {
        kind: 'job',
        given,
        owner: known?.agent ?? null,
        fixed: known !== null && known.kind !== 'tool',
      };
    });
    return Promise.resolve({ operands, roots: null, confined: false });
  },
  run: (scope, started, args, running) =>
    outcomeOf(() => perform(parts, { scope, started, args, running }), running.touched),
});

interface Call {
  readonly scope: ToolScope;
  readonly started: StartedToolCall;
  readonly args: Readonly<Record<string, unknown>>;
  readonly running: Running;
}

const perform = async (parts: JobToolParts, call: Call): Promise<ToolDone> => {
  const { id } = call.started.spec;
  if (id === 'builtin:cron_add') return addJob(parts, call);
  if (id === 'builtin:cron_remove') return removeJob(parts, call);
  const listed = parts.jobs.list(call.scope.agent).map(lineOf);
  return { text: listed.length === 0 ? 'you have no jobs' : listed.join('\n') };
};

const addJob = async (
  parts: JobToolParts,
  { scope, started, args, running }: Call,
): Promise<ToolDone> => {
  const name = textOf(args, 'name');
  if (!aliasSchema.safeParse(name).success || reserved.test(name))
    throw new ToolSays(
      `\`${name}\` is no name for a job: small letters, digits, \`_\` and \`-\`, a letter first, and not \`heartbeat-\``,
    );
  const schedule = textOf(args, 'schedule');
  const timezone = args['timezone'] === undefined ? 'UTC' : textOf(args, 'timezone');
  const read = cronTiming(schedule, timezone, 'five');
  if (!read.ok) throw new ToolSays(read.problem);
  const made = await makerOf(parts, scope);
  const job: Job = {
    name,
    agent: scope.agent,
    schedule,
    timezone,
    prompt: await contentOf(parts.artifacts, textOf(args, 'prompt')),
    tools: toolsOf(args['tools']),
    usesMemory: true,
    ...made,
    turn: scope.turn,
    call: started.event.data.call,
  };
  refuseDeeper(parts, job);
  const added = await parts.jobs.add(job);
  if (added.kind === 'refused') throw new ToolSays(added.message);
  running.touched.push({ kind: 'job', name });
  const next = parts.jobs.find(name)?.next[0];
  const when = next === undefined ? 'never' : new Date(next).toISOString();
  return { text: `job \`${name}\` is made; next time: ${when}` };
};

const removeJob = async (
  parts: JobToolParts,
  { scope, args, running }: Call,
): Promise<ToolDone> => {
  const name = textOf(args, 'name');
  const by = personBehind(parts.ledger, scope.principal);
  const removed = await parts.jobs.remove(name, scope.agent, by.by);
  if (removed.kind === 'refused') throw new ToolSays(removed.message);
  running.touched.push({ kind: 'job', name });
  return { text: `job \`${name}\` has ended` };
};

/** What holds for the turn that makes a job, and so for the job for ever: all that narrowed it, one level less, and who asked. */
const makerOf = async (
  parts: JobToolParts,
  scope: ToolScope,
): Promise<Pick<Job, 'narrowing' | 'depth' | 'by' | 'person'>> => {
  const narrowing: Narrowing = foldNarrowings(scope.policy, scope.narrowings);
  const left = depthBelow(scope.policy.delegation.max_depth);
  if (left === null) throw new ToolSays('no level of turns is left below this one');
  if (left !== 'unlimited') narrowing['delegation.max_depth'] = left;
  const depth = (await depthOf(parts.store, scope.turn)) + 1;
  return { narrowing, depth, ...personBehind(parts.ledger, scope.principal) };
};

/** Levels of turns above a turn; one that a job started counts those above the job too. */
const depthOf = async (store: EventStore, turn: string): Promise<number> => {
  const first = async (id: string) => (await store.readStream(`turn-${id}`, { limit: 1 }))[0];
  const event = await first(turn);
  const chain = event?.meta.chain ?? [];
  const [rootId] = chain;
  const root = rootId === undefined ? event : await first(rootId);
  const records = root?.type === 'TurnRequested' ? root.data.records : {};
  return chain.length + (records.job?.depth ?? records.sopRun?.depth ?? 0);
};

/** The asking person: of a job's turn whoever made the job. */
const personBehind = (
  ledger: Ledger,
  { kind, id, person }: Principal,
): { readonly by: string; readonly person: string | null } => {
  const made = kind === 'job' ? ledger.job(id) : null;
  return made === null ? { by: id, person } : { by: made.by, person: made.person };
};

/** A job that could never run is none. */
const refuseDeeper = (parts: JobToolParts, job: Job): void => {
  const { name, agent, tools, usesMemory, narrowing, depth } = job;
  const resolution = resolve(
    parts.config.current(),
    {
      agent,
      principal: jobPrincipal(name),
      session: ownSession(agent, name),
      origin: { kind: 'cron', job: name },
      client: 'none',
    },
    { job: { name, agent, tools, usesMemory, narrowing, depth } },
  );
  if (!resolution.ok)
    throw new ToolSays(resolution.problems.map(({ message }) => message).join('; '));
};

const toolsOf = (value: unknown): string[] | null =>
  Array.isArray(value) ? value.filter((one): one is string => typeof one === 'string') : null;

const contentOf = async (artifacts: Artifacts, text: string): Promise<Content> => {
  if (utf8Bytes(text) <= inlineLimitBytes) return { inline: text };
  const { digest, bytes } = await artifacts.put(text);
  return { artifact: digest, bytes };
};

const textOf = (args: Readonly<Record<string, unknown>>, key: string): string => {
  const value = args[key];
  if (typeof value !== 'string')
    throw new ToolFailure('protocol', `the argument \`${key}\` is missing`);
  return value;
};

const lineOf = ({ name, kind, schedule, timezone, enabled, next }: JobListing): string => {
  const at = next[0] === undefined ? 'never' : new Date(next[0]).toISOString();
  const fixed = kind === 'tool' ? '' : ', fixed by config';
  return `${name}: ${schedule} ${timezone}${fixed}; next: ${enabled ? at : 'switched off'}`;
};
