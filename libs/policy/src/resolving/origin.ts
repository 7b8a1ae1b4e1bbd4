import { triggersByPath } from '../names.ts';
import { entryOf } from '../orders/map.ts';
import { matchingPattern } from '../patterns.ts';
import type { ResolveRequest } from '../request.ts';
import type { AppliedConfig, ResolutionProblem } from '../resolution.ts';
import { channelOf, channelOwnerIn } from '../surfaces/channel-owner.ts';
import { admitsSender } from './admits-sender.ts';
import { agentPolicyOf } from './agent-policy.ts';
import { lacking, refused, type Arrival, type Arriving, type OriginOf } from './arrival.ts';
import { fromEdge, fromPeer, fromProcedure, fromSpawn } from './child-origin.ts';
import { arrivingDepth, depthOfWork } from './children.ts';
import { orNone, scopeTaken, toolsTaken } from './taking.ts';

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
  const channel = channelOf(applied.config, binding);
  if (channel === null) return refused(`no channel is called \`${binding}\``, 'channels.bindings');
  if (channelOwner(applied, binding) !== request.agent)
    return refused(
      `channel \`${binding}\` does not lead to agent \`${request.agent}\``,
      'channels.bindings',
    );
  const stranger = strangerOn(applied, request, binding);
  if (stranger !== null) return stranger;
  const why = 'what the channel leaves of the policy';
  const values = toolsTaken(channel.tools ?? null);
  return {
    path: 'channel',
    trigger,
    takings: [{ whose: `channel:${binding}`, why, values, kind: 'limit' }],
  };
};

/** Why the agent does not listen to who wrote; null when it does. Who else a request can come from is told elsewhere. */
const strangerOn = (
  applied: AppliedConfig,
  { agent, principal }: ResolveRequest,
  binding: string,
): ResolutionProblem | null => {
  const policy = agentPolicyOf(applied, agent);
  const prefix = `${binding}/`;
  if ('code' in policy || !principal.id.startsWith(prefix)) return null;
  const sender = principal.id.slice(prefix.length);
  if (admitsSender(policy.parts.snapshot, binding, sender)) return null;
  return refused(
    `agent \`${agent}\` does not listen to \`${sender}\` on channel \`${binding}\``,
    'channels.peers',
  );
};

/** The agent that a channel leads to by the config in force, or null. Only when no agent (enabled or not) declares any channel, all
 * of them lead to the first enabled alias in sorted order. */
export const channelOwner = ({ config }: AppliedConfig, binding: string): string | null =>
  channelOwnerIn(config, binding);

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
  // A job of config follows an edit of it; one that a tool made stands in the log alone.
  const written = record.depth === 0 ? entryOf(applied.config.cron, job) : null;
  if (record.agent !== request.agent || (written !== null && written.agent !== request.agent))
    return refused(`job \`${job}\` does not run agent \`${request.agent}\``);
  const depth = depthOfWork(arrivingDepth(applied, request), `job:${job}`, record.depth);
  if ('code' in depth) return depth;
  const whose = `job:${job}`;
  const usesMemory = record.usesMemory && written?.uses_memory !== false;
  return {
    path: 'loop',
    trigger: 'cron',
    takings: [
      ...scopeTaken({ whose, why: "the job's tools" }, record.tools, written?.tools),
      {
        whose,
        why: 'whether the job uses memory',
        values: usesMemory ? 'none' : { 'memory.backend': 'none' },
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
