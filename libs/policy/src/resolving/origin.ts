import { triggersByPath, type PathName, type Trigger } from '../names.ts';
import { entryOf } from '../orders/map.ts';
import { matchingPattern } from '../patterns.ts';
import type { AppliedConfig, ResolutionProblem } from '../resolution.ts';
import type { Origin, ResolveRecords, ResolveRequest } from '../request.ts';
import { agentPolicyOf } from './agent-policy.ts';
import { ceilingTaking, depthTaking, inheritedTakings, jobDepthTaking } from './children.ts';
import { toolPatternsOf } from '../surfaces/written.ts';
import { orNone, toolsTaken, type Taking } from './taking.ts';

/** What an origin settles: the path, the trigger and all that it takes away. */
export interface Arrival {
  readonly path: PathName;
  readonly trigger: Trigger;
  readonly takings: readonly Taking[];
}

export interface Arriving {
  readonly applied: AppliedConfig;
  readonly request: ResolveRequest;
  readonly records: ResolveRecords;
}

type OriginOf<K extends Origin['kind']> = Extract<Origin, { kind: K }>;

/** Finds out where a request comes from and what that takes away; a problem when it cannot come from there. */
export const arrivalOf = (arriving: Arriving): Arrival | ResolutionProblem => {
  const { origin } = arriving.request;
  switch (origin.kind) {
    case 'channel':
      return fromChannel(arriving, origin);
    case 'json_rpc':
      return fromConnection(arriving, origin, 'json-rpc');
    case 'acp':
      return fromConnection(arriving, origin, 'acp');
    case 'rest':
    case 'websocket':
    case 'openai':
      return fromToken(arriving, origin);
    case 'cron':
      return fromJob(arriving, origin);
    case 'heartbeat':
      return fromHeartbeat(arriving);
    case 'run':
      return { path: 'loop', trigger: 'run', takings: [] };
    case 'subagent':
      return fromSpawn(arriving, origin);
    case 'delegate':
      return fromEdge(arriving, origin);
    case 'sop':
      return fromProcedure(arriving, origin);
    case 'peer':
      return fromPeer(arriving, origin);
  }
};

const refused = (message: string): ResolutionProblem => ({
  code: 'not_permitted',
  message,
  path: null,
});

const lacking = (what: string, id: string): ResolutionProblem => ({
  code: 'missing_record',
  message: `the log holds no ${what} \`${id}\``,
  path: null,
});

const fromChannel = (
  { applied, request }: Arriving,
  { binding }: OriginOf<'channel'>,
): Arrival | ResolutionProblem => {
  const type = binding.split('.', 1)[0] ?? '';
  const trigger = triggersByPath.channel.find((name) => name === type && name !== 'peer');
  if (trigger === undefined)
    return {
      code: 'origin_not_supported',
      message: `no channel has the type \`${type}\``,
      path: null,
    };
  if (channelOwner(applied, binding) !== request.agent)
    return refused(`channel \`${binding}\` does not lead to agent \`${request.agent}\``);
  const why = 'what the channel leaves of the policy';
  return {
    path: 'channel',
    trigger,
    takings: [{ whose: `channel:${binding}`, why, values: 'none', kind: 'limit' }],
  };
};

/** The agent that declares a binding. Only when no agent declares any, all channels go to the first enabled alias. */
const channelOwner = ({ config }: AppliedConfig, binding: string): string | null => {
  const agents = Object.entries(config.agents).sort(([a], [b]) => (a < b ? -1 : 1));
  const declares = agents.filter(([, agent]) => (agent.channels ?? []).length > 0);
  const owner =
    declares.length === 0
      ? agents.find(([, agent]) => agent.enabled)
      : declares.find(([, agent]) => agent.channels?.includes(binding));
  return owner?.[0] ?? null;
};

const fromConnection = (
  { records }: Arriving,
  { connection }: OriginOf<'json_rpc' | 'acp'>,
  trigger: 'json-rpc' | 'acp',
): Arrival | ResolutionProblem => {
  const record = records.connection;
  if (record?.id !== connection) return lacking('connection', connection);
  const why = 'what the client chose when it connected';
  const values = orNone(record.narrowing);
  return {
    path: 'rpc',
    trigger,
    takings: [{ whose: `connection:${connection}`, why, values, kind: 'ask' }],
  };
};

const fromToken = (
  { request, records }: Arriving,
  { kind, token }: OriginOf<'rest' | 'websocket' | 'openai'>,
): Arrival | ResolutionProblem => {
  const record = records.token;
  if (record?.id !== token) return lacking('token', token);
  if (matchingPattern(record.scopes.agents, request.agent) === null)
    return refused(`token \`${record.name}\` does not reach agent \`${request.agent}\``);
  const values = toolsTaken(record.scopes.tools);
  const why = "the token's scope of tools";
  return {
    path: 'gateway',
    trigger: kind,
    takings: [{ whose: `token:${record.name}`, why, values, kind: 'limit' }],
  };
};

const fromJob = (
  { applied, request, records }: Arriving,
  { job }: OriginOf<'cron'>,
): Arrival | ResolutionProblem => {
  const record = records.job;
  if (record?.name !== job) return lacking('job', job);
  if (record.agent !== request.agent)
    return refused(`job \`${job}\` does not run agent \`${request.agent}\``);
  const policy = agentPolicyOf(applied, request.agent);
  const own = 'code' in policy ? 'unlimited' : policy.parts.snapshot.delegation.max_depth;
  const depth = jobDepthTaking(record, own);
  if ('code' in depth) return depth;
  const whose = `job:${job}`;
  return {
    path: 'loop',
    trigger: 'cron',
    takings: [
      { whose, why: "the job's tools", values: toolsTaken(record.tools), kind: 'limit' },
      {
        whose,
        why: 'whether the job uses memory',
        values: record.usesMemory ? 'none' : { 'memory.backend': 'none' },
        kind: 'limit',
      },
      {
        whose,
        why: 'what held for the turn that made the job',
        values: orNone(record.narrowing),
        kind: 'limit',
      },
      depth,
    ],
  };
};

const fromHeartbeat = ({ applied, request }: Arriving): Arrival | ResolutionProblem =>
  entryOf(applied.config.heartbeat, request.agent) === null
    ? refused(`agent \`${request.agent}\` has no heartbeat`)
    : { path: 'loop', trigger: 'heartbeat', takings: [] };

const fromSpawn = (
  { request, records }: Arriving,
  origin: OriginOf<'subagent'>,
): Arrival | ResolutionProblem => {
  const { parent } = records;
  if (parent?.turn !== origin.parent) return lacking('parent turn', origin.parent);
  if (parent.snapshot.agent !== request.agent)
    return refused(`a sub-agent of \`${parent.snapshot.agent}\` cannot be \`${request.agent}\``);
  const depth = depthTaking(parent);
  if ('code' in depth) return depth;
  return {
    path: 'loop',
    trigger: 'subagent',
    takings: [
      ...inheritedTakings(parent),
      ceilingTaking(parent, 'all'),
      depth,
      {
        whose: `spawn:${parent.turn}`,
        why: 'what the spawn leaves of the policy',
        values: orNone(parent.spawn),
        kind: 'limit',
      },
    ],
  };
};

const fromEdge = (
  { applied, request, records }: Arriving,
  origin: OriginOf<'delegate'>,
): Arrival | ResolutionProblem => {
  const { parent } = records;
  if (parent?.turn !== origin.parent) return lacking('parent turn', origin.parent);
  const from = parent.snapshot.agent;
  const edges = (entryOf(applied.config.agents, from)?.delegates ?? []).filter(
    (edge) => edge.agent === origin.edge,
  );
  if (origin.edge !== request.agent || edges.length === 0)
    return refused(`agent \`${from}\` has no edge to agent \`${request.agent}\``);
  const depth = depthTaking(parent);
  if ('code' in depth) return depth;
  // Independent only if the caller's own policy still says so: below a bounded edge it does not.
  const independent =
    edges.every((edge) => edge.mode === 'independent') &&
    entryOf(parent.snapshot.delegation.delegates, origin.edge) === 'independent';
  const whose = `spawn:${parent.turn}`;
  const why = 'what the call leaves of the policy';
  return {
    path: 'delegate',
    trigger: independent ? 'independent' : 'bounded',
    takings: [
      ...inheritedTakings(parent),
      independent
        ? ceilingTaking(parent, 'none')
        : ceilingTaking(parent, 'authority', {
            edge: `${from}>${origin.edge}`,
            path: `agents.${from}.delegates`,
            tools: edges.flatMap((edge) => toolPatternsOf(edge.grants?.tools ?? [])),
          }),
      depth,
      { whose, why, values: orNone(parent.spawn), kind: 'limit' },
    ],
  };
};

const fromProcedure = (
  { applied, request, records }: Arriving,
  origin: OriginOf<'sop'>,
): Arrival | ResolutionProblem => {
  const run = records.sopRun;
  if (run?.id !== origin.run || run.step !== origin.step)
    return lacking('procedure run', `${origin.run}/${origin.step}`);
  const steps = entryOf(applied.config.sops, run.sop)?.steps ?? [];
  if (!steps.some((step) => step.agent === request.agent))
    return refused(`procedure \`${run.sop}\` has no step of agent \`${request.agent}\``);
  const why = "the step's scope of tools";
  const scope: Taking = {
    whose: `sop:${run.sop}/${run.step}`,
    why,
    values: toolsTaken(run.scope),
    kind: 'limit',
  };
  if (origin.parent === 'none') return { path: 'sop', trigger: 'headless', takings: [scope] };
  const { parent } = records;
  if (parent?.turn !== origin.parent) return lacking('parent turn', origin.parent);
  const depth = depthTaking(parent);
  if ('code' in depth) return depth;
  return {
    path: 'sop',
    trigger: 'live',
    takings: [...inheritedTakings(parent), depth, scope],
  };
};

const fromPeer = (
  { applied, request, records }: Arriving,
  origin: OriginOf<'peer'>,
): Arrival | ResolutionProblem => {
  const { parent } = records;
  if (parent?.turn !== origin.parent) return lacking('parent turn', origin.parent);
  const group = entryOf(applied.config.peer_groups, origin.group);
  const both = [parent.snapshot.agent, request.agent];
  if (group?.channel !== origin.channel || !both.every((agent) => group.agents.includes(agent)))
    return refused(
      `agents \`${both.join('` and `')}\` are not in group \`${origin.group}\` of channel \`${origin.channel}\``,
    );
  const depth = depthTaking(parent);
  if ('code' in depth) return depth;
  return { path: 'channel', trigger: 'peer', takings: [...inheritedTakings(parent), depth] };
};
