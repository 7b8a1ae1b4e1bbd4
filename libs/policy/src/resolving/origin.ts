import { triggersByPath } from '../names.ts';
import { entryOf } from '../orders/map.ts';
import { matchingPattern } from '../patterns.ts';
import type { AppliedConfig, ResolutionProblem } from '../resolution.ts';
import { agentPolicyOf } from './agent-policy.ts';
import { lacking, refused, type Arrival, type Arriving, type OriginOf } from './arrival.ts';
import { fromEdge, fromPeer, fromProcedure, fromSpawn } from './child-origin.ts';
import { jobDepthTaking } from './children.ts';
import { orNone, toolsTaken } from './taking.ts';

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
