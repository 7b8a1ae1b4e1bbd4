import type { EventOf, LockstepEvent } from '../../events/event.ts';
import { registryVersion, type SettingKey } from '@lockstep/policy';
import type { CounterfactualAsk } from './ask.ts';
import { policyDifferences } from './policy-now.ts';
import type { CounterfactualReport, CounterfactualStart, PolicyDifference } from './report.ts';
import { comparedSteps } from './timeline.ts';
import { callsIn } from './turn-index.ts';
import { comparedCall, refOf } from './verdicts.ts';
import type { Shared, Walk } from './walk.ts';

type Compared = Extract<CounterfactualReport, { outcome: 'compared' }>;

/** How the recorded turn started. */
export const startThen = ({ data }: EventOf<'TurnRequested'>): CounterfactualStart => ({
  path: data.path,
  trigger: data.trigger,
  config: data.config,
});

/** What came of a walk. */
export const comparedReport = (
  walk: Walk,
  recorded: CounterfactualStart,
  now: CounterfactualStart,
): Compared => {
  const { events, horizon, turn } = walk;
  const at = horizon === null ? undefined : events[horizon];
  const { began } = walk;
  const policy =
    began.recordedDigest === began.nowDigest
      ? []
      : policyDifferences(began.written, began.shown, began.recordedDigest);
  return {
    outcome: 'compared',
    turn,
    agent: walk.recordedPolicy.agent,
    recorded,
    now,
    policy,
    verdicts: [...walk.calls].flatMap(
      ([call, record]) => comparedCall(call, record, walk.verdicts.get(call) ?? []) ?? [],
    ),
    steps: walk.ask.steps === 'all' ? comparedSteps(walk) : [],
    horizon: at === undefined ? null : refOf(at),
    notes: [...walk.notes, ...registryNotes(walk), ...unseenNotes(policy), ...openNotes(walk)],
  };
};

/** A turn of which no call can be judged: it was refused then, or nothing tells whether it would have begun.
 * @param from where nothing more can be known, and why; null = it goes as it went */
export const nothingJudged = (
  { recording }: Shared,
  of: {
    readonly turn: string;
    readonly ask: CounterfactualAsk;
    readonly recorded: CounterfactualStart;
    readonly now: CounterfactualStart;
    readonly from: { readonly event: LockstepEvent; readonly note: string } | null;
  },
): Compared => {
  const { turn, ask, recorded, now, from } = of;
  const events = recording.stream(`turn-${turn}`);
  const [first] = events;
  const state = from === null ? 'same' : 'beyond_horizon';
  return {
    outcome: 'compared',
    turn,
    agent: first?.type === 'TurnRequested' ? first.data.request.agent : '',
    recorded,
    now,
    policy: [],
    verdicts: [...callsIn(events)].flatMap(
      ([call, record]) => comparedCall(call, record, []) ?? [],
    ),
    steps:
      ask.steps === 'all'
        ? events.map((event) => {
            const fact = { type: event.type, data: event.data } as never;
            const seen = { at: refOf(event), fact };
            return { recorded: seen, now: from === null ? fact : null, state, fields: [] };
          })
        : [],
    horizon: from === null ? null : refOf(from.event),
    notes: from === null ? [] : [from.note],
  };
};

const registryNotes = ({ events }: Walk): readonly string[] => {
  const second = events[1];
  return second?.type === 'PolicyResolved' && second.data.registry !== registryVersion
    ? [
        `the policy was resolved by registry ${second.data.registry} and this build has registry ${registryVersion}: settings that did not act then were taken as recorded`,
      ]
    : [];
};

/** Settings that act where a replay does not look: on what a tool gives back, and on what memory gives. */
const unseen: ReadonlySet<SettingKey> = new Set<SettingKey>([
  'output.redact',
  'secrets.unseal',
  'shell.env_passthrough',
  'shell.sandbox',
  'memory.backend',
  'memory.share',
  'memory.read_memory_from',
  'memory.recall_limit',
]);

const unseenNotes = (policy: readonly PolicyDifference[]): readonly string[] =>
  policy.flatMap(({ key }) =>
    unseen.has(key)
      ? [`\`${key}\` would be another: what tools and memory gave was taken as recorded`]
      : [],
  );

/** A turn that still runs has no later event at which a difference could show. */
const openNotes = ({ then, now, horizon, events }: Walk): readonly string[] =>
  then.status === 'open' && horizon === null && events.length > 0 && now.status !== 'open'
    ? ['the recorded turn has not ended, and this one would have']
    : [];
