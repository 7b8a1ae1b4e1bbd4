import { artifactStream, type EventStore, type LockstepEvent } from '@lockstep/engine';

/** What of a log is asked. */
export type Streams = Pick<EventStore, 'readStream'>;

/** One turn and all that hang below it, with everything that their events cite: the turns of a session before them, the runs of
 * procedures whose steps they are, config versions, artifacts. In log order.
 * @returns empty when there is no such turn */
export const gatherHistory = async (
  store: Streams,
  turn: string,
): Promise<readonly LockstepEvent[]> => {
  const own = await readTree(store, turn);
  if (own.length === 0) return [];
  const earlier = new Set(
    own.flatMap((event) => (event.type === 'TurnRequested' ? event.data.history : [])),
  );
  const past = await Promise.all([...earlier].map((id) => store.readStream(`turn-${id}`)));
  const runs = await Promise.all([...runsOf(own)].map((run) => store.readStream(`sop-${run}`)));
  const turns = [...past.flat(), ...own, ...runs.flat()];
  const versions = configsIn(own);
  const configs = (await store.readStream('config')).filter(
    (event) => event.type === 'ConfigApplied' && versions.has(event.data.version),
  );
  const cited = new Set([...turns, ...configs].flatMap(citedBy));
  const artifacts = await Promise.all(
    [...cited].map((digest) => store.readStream(artifactStream(digest))),
  );
  return [...configs, ...artifacts.flat(), ...turns].sort((a, b) =>
    a.position < b.position ? -1 : 1,
  );
};

/** A turn with those that its calls started, at every depth: turns, and the steps of runs. */
const readTree = async (store: Streams, turn: string): Promise<readonly LockstepEvent[]> => {
  const own = await store.readStream(`turn-${turn}`);
  const started = new Set(
    own.flatMap((event) =>
      event.type === 'ToolCallStarted' ? (event.data.children ?? []).map((one) => one.turn) : [],
    ),
  );
  const steps = await Promise.all([...started].map((run) => store.readStream(`sop-${run}`)));
  for (const event of steps.flat())
    if (event.type === 'SopStepStarted') started.add(event.data.turn);
  const below = await Promise.all([...started].map((child) => readTree(store, child)));
  return [...own, ...below.flat()];
};

/** Runs of procedures that began these turns as their steps. */
const runsOf = (events: readonly LockstepEvent[]): ReadonlySet<string> =>
  new Set(
    events.flatMap((event) =>
      event.type === 'TurnRequested' && event.data.request.origin.kind === 'sop'
        ? [event.data.request.origin.run]
        : [],
    ),
  );

/** Config versions that a turn was resolved, judged or cancelled under. */
const configsIn = (events: readonly LockstepEvent[]): ReadonlySet<number> => {
  const versions = new Set<number>();
  for (const event of events) {
    if ('config' in event.data) versions.add(event.data.config.version);
    if ('facts' in event.data) versions.add(event.data.facts.config.version);
    if (event.type === 'CancelRequested') {
      const [, version] = /^config version (\d+): /.exec(event.data.why) ?? [];
      if (version !== undefined) versions.add(Number(version));
    }
  }
  return versions;
};

/** Digests of the artifacts that an event cites, in fields of its own or under a name that others use for other digests. */
const citedBy = (event: LockstepEvent): readonly string[] => {
  const found = digestsIn(event.data);
  if (event.type === 'SkillActivated') return [...found, event.data.digest];
  if (event.type !== 'ModelCallStarted' || event.data.made === undefined) return found;
  const { identity, skills } = event.data.made;
  return [...found, ...[...identity, ...skills].map(({ digest }) => digest)];
};

/** Fields that cite an artifact by its digest. */
const citing: ReadonlySet<string> = new Set(['artifact', 'system', 'tools', 'spec']);

const digestsIn = (value: unknown): readonly string[] => {
  if (Array.isArray(value)) return value.flatMap(digestsIn);
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, part]: [string, unknown]) =>
    typeof part === 'string'
      ? citing.has(key) && /^[0-9a-f]{64}$/.test(part)
        ? [part]
        : []
      : digestsIn(part),
  );
};
