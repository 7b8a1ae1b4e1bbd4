import {
  canonicalJson,
  findSopStep,
  inheritedNarrowings,
  type AppliedConfig,
  type ResolveRecords,
} from '@lockstep/policy';
import type { EventOf } from '../../events/event.ts';
import type { Recording } from '../recording.ts';
import type { PoliciesUnder } from './policies-under.ts';

interface Under {
  readonly recording: Recording;
  readonly policies: PoliciesUnder;
  readonly applied: AppliedConfig;
}

/** Records of a request as another config makes them, or why what stood above the request would not have begun. */
export type RecordsUnder =
  | { readonly ok: true; readonly records: ResolveRecords; readonly notes: readonly string[] }
  | { readonly ok: false; readonly why: string };

/** What the log said of a request's origin, with everything that config has a part in made again: the tools of a job and of a step, and
 * the policies of the turns above, one by one from the root. */
export const recordsUnder = (under: Under, records: ResolveRecords): RecordsUnder => {
  const own = { ...records, ...jobUnder(under, records), ...stepUnder(under, records) };
  return records.parent === undefined
    ? { ok: true, records: own, notes: [] }
    : withParent(under, { ...own, parent: records.parent });
};

const patternsOf = (written: '*' | readonly string[]): string[] =>
  written === '*' ? ['*'] : [...written];

/** A job of config follows an edit of it; one that a tool made stands in the log alone. */
const jobUnder = ({ applied }: Under, { job }: ResolveRecords): Pick<ResolveRecords, 'job'> => {
  if (job?.depth !== 0 || !Object.hasOwn(applied.config.cron, job.name)) return {};
  const written = applied.config.cron[job.name];
  if (written === undefined) return {};
  const { agent, tools, uses_memory: usesMemory } = written;
  return {
    job: { ...job, agent, usesMemory, tools: tools === undefined ? null : patternsOf(tools) },
  };
};

const stepUnder = (
  { applied }: Under,
  { sopRun }: ResolveRecords,
): Pick<ResolveRecords, 'sopRun'> => {
  if (sopRun === undefined || !Object.hasOwn(applied.config.sops, sopRun.sop)) return {};
  const step = findSopStep(applied.config.sops[sopRun.sop]?.steps ?? [], sopRun.step);
  if (step === null) return {};
  const { tools } = step;
  // Every tool is what a scope that takes nothing says.
  return { sopRun: { ...sopRun, scope: tools === undefined || tools === '*' ? null : [...tools] } };
};

type Parent = NonNullable<ResolveRecords['parent']>;

const withParent = (
  under: Under,
  records: ResolveRecords & { readonly parent: Parent },
): RecordsUnder => {
  const { recording, policies, applied } = under;
  const { parent } = records;
  const above = requestedIn(recording, parent.turn);
  if (above === null)
    return {
      ok: true,
      records,
      notes: [
        `the history does not hold the turn \`${parent.turn}\` above this one: its policy was taken as recorded`,
      ],
    };
  const found = recordsUnder(under, above.data.records);
  if (!found.ok) return found;
  const now = policies(applied, above.data.request, found.records);
  if (!now.ok) {
    const why = now.problems[0]?.message ?? 'its request is refused';
    return { ok: false, why: `the turn \`${parent.turn}\` above would not have begun: ${why}` };
  }
  const { snapshot, narrowings } = now.policy.parts;
  const changed: Parent = {
    ...parent,
    snapshot,
    narrowings: [...inheritedNarrowings(narrowings), ...addedLater(under, above, parent)],
    depth: snapshot.delegation.max_depth,
  };
  return { ok: true, records: { ...records, parent: changed }, notes: found.notes };
};

/** What narrowed the turn above while it ran: skills that it had read by then. */
const addedLater = (
  { recording, policies }: Under,
  above: EventOf<'TurnRequested'>,
  parent: Parent,
): Parent['narrowings'] => {
  const config = recording.config(above.data.config);
  if (!config.ok) return [];
  const before = policies(config.value, above.data.request, above.data.records);
  if (!before.ok) return [];
  const known = new Set(
    inheritedNarrowings(before.policy.parts.narrowings).map((one) => canonicalJson(one)),
  );
  return parent.narrowings.filter((one) => !known.has(canonicalJson(one)));
};

const requestedIn = (recording: Recording, turn: string): EventOf<'TurnRequested'> | null => {
  const [first] = recording.stream(`turn-${turn}`);
  return first?.type === 'TurnRequested' ? first : null;
};
