import { triggersByPath, type Origin, type PathName, type Trigger } from '@lockstep/policy';

/** Path and trigger of an origin, for what is recorded of a request that has no policy. */
export const originPath = (
  origin: Origin,
): { readonly path: PathName; readonly trigger: Trigger } => {
  switch (origin.kind) {
    case 'channel':
      return { path: 'channel', trigger: channelTrigger(origin.binding) };
    case 'json_rpc':
      return { path: 'rpc', trigger: 'json-rpc' };
    case 'acp':
      return { path: 'rpc', trigger: 'acp' };
    case 'rest':
    case 'websocket':
    case 'openai':
      return { path: 'gateway', trigger: origin.kind };
    case 'cron':
    case 'heartbeat':
    case 'subagent':
    case 'run':
      return { path: 'loop', trigger: origin.kind };
    case 'delegate':
      return { path: 'delegate', trigger: 'bounded' };
    case 'sop':
      return { path: 'sop', trigger: origin.parent === 'none' ? 'headless' : 'live' };
    case 'peer':
      return { path: 'channel', trigger: 'peer' };
  }
};

const channelTrigger = (binding: string): Trigger =>
  triggersByPath.channel.find((name) => name === binding.split('.', 1)[0]) ?? 'webhook';
