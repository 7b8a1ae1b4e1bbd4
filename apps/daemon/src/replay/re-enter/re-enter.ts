import type { CounterfactualAsk, EventOf, OtherStart, Recording } from '@lockstep/engine';
import {
  resolve,
  triggersByPath,
  type AppliedConfig,
  type PathName,
  type Trigger,
} from '@lockstep/policy';
import { resolvable, type Asking, type Candidate, type FindCandidates } from './candidate.ts';
import {
  delegateCandidates,
  liveCandidates,
  peerCandidates,
  subagentCandidates,
} from './ways-below.ts';
import { channelCandidates } from './ways-channel.ts';
import {
  acpCandidates,
  jsonRpcCandidates,
  openAiCandidates,
  restCandidates,
  webSocketCandidates,
} from './ways-outside.ts';
import {
  cronCandidates,
  headlessCandidates,
  heartbeatCandidates,
  runCandidates,
} from './ways-work.ts';

/** How a request comes in by each trigger: a trigger without a way does not compile. */
const ways = {
  telegram: channelCandidates('telegram'),
  slack: channelCandidates('slack'),
  discord: channelCandidates('discord'),
  mqtt: channelCandidates('mqtt'),
  webhook: channelCandidates('webhook'),
  peer: peerCandidates,
  'json-rpc': jsonRpcCandidates,
  acp: acpCandidates,
  rest: restCandidates,
  websocket: webSocketCandidates,
  openai: openAiCandidates,
  cron: cronCandidates,
  heartbeat: heartbeatCandidates,
  subagent: subagentCandidates,
  run: runCandidates,
  bounded: delegateCandidates,
  independent: delegateCandidates,
  live: liveCandidates,
  headless: headlessCandidates,
} satisfies Record<Trigger, FindCandidates>;

/** Where a recorded request would come in. */
export interface OtherWay {
  readonly path: PathName;
  /** Absent = the first of the path's that leads to the agent. */
  readonly trigger?: Trigger | undefined;
}

export type ReEntered =
  /** It came in by that very way. */
  | { readonly kind: 'recorded' }
  | { readonly kind: 'start'; readonly start: OtherStart }
  | { readonly kind: 'not_reachable'; readonly trigger: Trigger; readonly why: string };

/** Whether a path has a trigger of this name. */
export const hasTrigger = ({ path, trigger }: OtherWay): boolean =>
  trigger === undefined || (triggersByPath[path] as readonly Trigger[]).includes(trigger);

/** The request of a recorded turn as it would come in on another path: through that path's adapter, with what the config says of who
 * may come from there. The first way that `resolve()` lets through is taken. */
export const reEnter = (asking: Asking, way: OtherWay): ReEntered => {
  const { path, trigger } = asking.requested;
  if (way.path === path && (way.trigger ?? trigger) === trigger) return { kind: 'recorded' };
  const triggers: readonly Trigger[] =
    way.trigger === undefined ? triggersByPath[way.path] : [way.trigger];
  const refusals: string[] = [];
  for (const one of triggers) {
    const found = firstOf(asking, way.path, one);
    if (typeof found !== 'string') return { kind: 'start', start: found };
    refusals.push(triggers.length === 1 ? found : `\`${one}\`: ${found}`);
  }
  const [first = trigger] = triggers;
  return { kind: 'not_reachable', trigger: first, why: refusals.join('; ') };
};

/** The first request over a trigger that gets a policy, or why none does. */
const firstOf = (asking: Asking, path: PathName, trigger: Trigger): OtherStart | string => {
  const candidates = ways[trigger](asking);
  if (typeof candidates === 'string') return candidates;
  let why = 'config has no way in there';
  for (const candidate of candidates) {
    const request = resolvable(candidate.request, asking.turn);
    const found = resolve(asking.applied, request, candidate.records);
    if (!found.ok) why = found.problems[0]?.message ?? why;
    else if (found.policy.parts.trigger === trigger)
      return startOf(asking, { path, trigger }, candidate);
    else why = `the edge is ${found.policy.parts.trigger}`;
  }
  return why;
};

const startOf = (
  asking: Asking,
  at: Pick<OtherStart, 'path' | 'trigger'>,
  { request, records, notes }: Candidate,
): OtherStart => {
  const resolved = resolvable(request, asking.turn);
  const { requested } = asking;
  const alone = resolved.session !== requested.request.session;
  const had = requested.history.length > 0 || (requested.earlier ?? []).length > 0;
  return {
    ...at,
    request: resolved,
    records,
    ...(request.input === asking.input ? {} : { input: request.input }),
    ...(alone && had ? { history: 'none' } : {}),
    notes: [
      ...notes,
      ...(alone && had
        ? ['the turn would have begun in a session of its own, without earlier turns']
        : []),
    ],
  };
};

/** What is asked of a turn of a recording, from the way and the config that somebody named; or why there is nothing to compare. */
export const askOf = (
  recording: Recording,
  turn: string,
  asked: { readonly way: OtherWay | null; readonly config: AppliedConfig | null },
):
  | { readonly kind: 'ask'; readonly ask: CounterfactualAsk }
  | {
      readonly kind: 'not_reachable';
      readonly trigger: Trigger;
      readonly why: string;
      readonly under: AppliedConfig;
    } => {
  const config = asked.config === null ? {} : { config: asked.config };
  const requested = requestedIn(recording, turn);
  // What the recording lacks, the comparison says.
  if (asked.way === null || requested === null) return { kind: 'ask', ask: config };
  const recorded = recording.config(requested.data.config);
  const input = recording.textOf(requested.data.input);
  const applied = asked.config ?? (recorded.ok ? recorded.value : null);
  if (applied === null || !input.ok) return { kind: 'ask', ask: config };
  const found = reEnter(
    { turn, requested: requested.data, input: input.value, applied },
    asked.way,
  );
  switch (found.kind) {
    case 'recorded':
      return { kind: 'ask', ask: config };
    case 'start':
      return { kind: 'ask', ask: { ...config, start: found.start } };
    case 'not_reachable':
      return { ...found, under: applied };
  }
};

const requestedIn = (recording: Recording, turn: string): EventOf<'TurnRequested'> | null => {
  const [first] = recording.stream(`turn-${turn}`);
  return first?.type === 'TurnRequested' ? first : null;
};
