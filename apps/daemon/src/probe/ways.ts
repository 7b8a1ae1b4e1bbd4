import type { Trigger } from '@lockstep/policy';
import type { FindWays } from './way.ts';
import { openAiWays, restWays, runWays, webSocketWays } from './ways-http.ts';
import { channelWays, childWays, cronWays, headlessWays, heartbeatWays } from './ways-inside.ts';
import { acpWays, jsonRpcWays } from './ways-socket.ts';

/** How a probe starts a turn over each trigger: a trigger without a way does not compile. */
export const ways = {
  telegram: channelWays('telegram'),
  slack: channelWays('slack'),
  discord: channelWays('discord'),
  mqtt: channelWays('mqtt'),
  webhook: channelWays('webhook'),
  peer: childWays('peer'),
  'json-rpc': jsonRpcWays,
  acp: acpWays,
  rest: restWays,
  websocket: webSocketWays,
  openai: openAiWays,
  cron: cronWays,
  heartbeat: heartbeatWays,
  subagent: childWays('subagent'),
  run: runWays,
  bounded: childWays('bounded'),
  independent: childWays('independent'),
  live: childWays('live'),
  headless: headlessWays,
} satisfies Record<Trigger, FindWays>;
