import {
  counterfactuals,
  replayer,
  type CounterfactualReport,
  type LockstepEvent,
  type ReplayReport,
} from '@lockstep/engine';
import { canonicalJson, type AppliedConfig } from '@lockstep/policy';
import { expect } from 'vitest';

/** A log of the doubles as it would be exported: with the events of its configs before everything else. */
export const exported = (
  events: readonly LockstepEvent[],
  configs: readonly AppliedConfig[],
): readonly LockstepEvent[] => {
  const [first] = events;
  if (first === undefined) return [];
  const versions = new Map(configs.map((applied) => [applied.version, applied]));
  const applied = [...versions.values()].map((config, revision) =>
    configEvent(config, revision, first),
  );
  return [...applied, ...events].map((event, index) => ({
    ...event,
    position: String(index + 1).padStart(20, '0'),
  }));
};

const configEvent = (
  { version, digest, config, host }: AppliedConfig,
  revision: number,
  { time, meta }: LockstepEvent,
): LockstepEvent => ({
  id: `00000000-0000-7000-8000-${String(version).padStart(12, '0')}`,
  stream: 'config',
  revision,
  position: '',
  type: 'ConfigApplied',
  schema: 1,
  time,
  meta: { ...meta, agent: null, turn: null, session: null, agentSeq: null },
  data: {
    version,
    content: { inline: canonicalJson(config) },
    digest,
    by: 'file',
    diff: [],
    widens: [],
    host,
  },
});

/** What of a comparison is not as it was recorded; null = nothing. */
export const whatChanged = (report: CounterfactualReport): unknown => {
  if (report.outcome !== 'compared') return report;
  const { turn, horizon, verdicts, policy, steps, notes } = report;
  const changed = verdicts.filter(({ change }) => change !== 'unchanged');
  const others = steps.filter(({ state }) => state !== 'same');
  return horizon === null && changed.length + policy.length + others.length === 0
    ? null
    : { turn, horizon, changed, policy, others, notes };
};

/** Makes every turn of a log again and holds it to what was recorded: as it was, and put to the same config and path. Answers how many
 * there were. */
export const expectSameAgain = (
  events: readonly LockstepEvent[],
  configs: readonly AppliedConfig[],
): number => {
  const history = exported(events, configs);
  const all = replayer(history);
  const others = all.turns
    .map((turn): ReplayReport => all.replay(turn, 'open'))
    .filter((report) => report.outcome !== 'same');
  expect(others, 'turns that came out otherwise').toEqual([]);
  const compared = counterfactuals(history);
  const changed = all.turns.flatMap(
    (turn) => whatChanged(compared.compare(turn, 'open', { steps: 'all' })) ?? [],
  );
  expect(changed, 'turns that nothing else was put to, and that change').toEqual([]);
  return all.turns.length;
};
