import { registryVersion, settingKeys, valueAt, type PolicySnapshot } from '@lockstep/policy';
import type { LockstepEvent, TurnFact } from '../events/event.ts';
import type { RecordedFact } from '../turn/evolve.ts';
import type { Cursor } from './cursor.ts';

/** How many of the next events hold a policy that another registry of settings resolved, with the request it came from. Such a
 * policy cannot be made again as a whole. 0 = the next event is made again like any other. */
export const settledByOther = (cursor: Cursor, event: LockstepEvent): number => {
  if (event.type === 'PolicyNarrowed') return cursor.otherRegistry === null ? 0 : 1;
  if (event.type !== 'TurnRequested') return 0;
  const resolved = cursor.events[cursor.at + 1];
  if (resolved?.type !== 'PolicyResolved' || resolved.data.registry === registryVersion) return 0;
  cursor.otherRegistry = resolved.data.registry;
  return 2;
};

/** The recorded policy with the value that this build derives for each setting that acted then; null = nothing can be derived. What
 * the registry of then did not enforce is taken as it stands. */
export const derivedAnew = (cursor: Cursor, event: LockstepEvent): TurnFact | null => {
  const [first] = cursor.events;
  if (event.type !== 'PolicyResolved' || first?.type !== 'TurnRequested') return null;
  const fact = cursor.recording.hydrated(event);
  const config = cursor.recording.config(first.data.config);
  if (!fact.ok || !config.ok || fact.value.type !== 'PolicyResolved') return null;
  const { snapshot, provenance } = fact.value.data;
  const found = cursor.policies.first(config.value, first.data.request, first.data.records);
  if (!found.ok || !('inline' in snapshot)) return null;
  const acted = new Set(provenance.filter((e) => e.source !== 'later').map(({ key }) => key));
  const inline = settingKeys
    .filter((key) => acted.has(key))
    .reduce<PolicySnapshot>(
      (into, key) => withValue(into, key.split('.'), valueAt(found.policy.parts.snapshot, key)),
      snapshot.inline,
    );
  return { type: 'PolicyResolved', data: { ...fact.value.data, snapshot: { inline } } };
};

const withValue = <T extends object>(into: T, path: readonly string[], value: unknown): T => {
  const [key = '', ...rest] = path;
  if (rest.length === 0) return { ...into, [key]: value };
  const inner = (into as Readonly<Record<string, object>>)[key] ?? {};
  return { ...into, [key]: withValue(inner, rest, value) };
};

/** A recorded policy as it acted then. The first registry held the narrowest value of settings that nothing enforced yet: those
 * that would count or ask now are opened, so that the turn comes out as it did. */
export const asItActed = (fact: RecordedFact): RecordedFact => {
  if (fact.type !== 'PolicyResolved' && fact.type !== 'PolicyNarrowed') return fact;
  const { snapshot } = fact.data;
  if (!('inline' in snapshot) || snapshot.inline.registry > 1) return fact;
  return {
    ...fact,
    data: { ...fact.data, snapshot: { inline: opened(snapshot.inline) } },
  } as RecordedFact;
};

const opened = (policy: PolicySnapshot): PolicySnapshot => ({
  ...policy,
  approval: { ...policy.approval, approvers_required: 1, four_eyes: false },
  budgets: {
    ...policy.budgets,
    max_actions_per_hour: 'unlimited',
    max_cost_usd_per_day: 'unlimited',
    warn_at_percent: 100,
  },
});

/** What of a decision a turn of that registry could record: it had no warnings. */
export const asRecordedThen = (
  { otherRegistry }: Cursor,
  facts: readonly TurnFact[],
): readonly TurnFact[] =>
  otherRegistry === 1 ? facts.filter(({ type }) => type !== 'BudgetWarning') : facts;

/** What a report says of a policy that was taken as it stands. */
export const notesOf = ({ otherRegistry }: Cursor): { readonly notes?: readonly string[] } =>
  otherRegistry === null
    ? {}
    : {
        notes: [
          `the policy was resolved by registry ${otherRegistry} and this build has registry ${registryVersion}: settings that did not act then were taken as recorded`,
        ],
      };
