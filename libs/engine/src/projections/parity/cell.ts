import { registryVersion, type EnforcedKey, type Trigger } from '@lockstep/policy';
import { actsSince } from '../../monitors/judge-turn.ts';
import type { CellState, ParityCellDetail, TriggerCell } from '../parity-matrix.view.ts';
import { baselineOf, underConfig, type Baseline } from './baseline.ts';
import { decidedBefore } from './decided-before.ts';
import type { Expected } from './expectations.ts';
import { refusedKey } from './judge-parity.ts';
import { laneKey, type Evidence, type Lane, type ParityState } from './parity-state.ts';
import { evidenceKey } from './setting-values.ts';
import { appliedConfig } from './surroundings.ts';

/** Which cell: one agent over one trigger, under one config version. */
export interface CellQuestion {
  readonly state: ParityState;
  readonly lanes: ReadonlyMap<string, Lane>;
  readonly agent: string;
  readonly trigger: Trigger;
  readonly version: number | null;
  /** Evidence last seen before this time does not count. */
  readonly since: number;
}

type Row = ParityCellDetail['evidence'][number];

/** One setting of one agent over one trigger. */
export const cellOf = (question: CellQuestion, key: EnforcedKey): TriggerCell => {
  const lane = laneOf(question);
  const found = relevant(question, lane, key);
  const gap = found.find((evidence) => isOpen(question, evidence))?.gap ?? null;
  const turns = sum(found, ({ turns: n }) => n);
  const probes = sum(found, ({ probeTurns }) => probeTurns);
  const probe = sum(found, ({ probeBites }) => probeBites);
  const bites = { live: sum(found, ({ bites: n }) => n) - probe, probe };
  const lastSeen = turns === 0 ? null : Math.max(...found.map((evidence) => evidence.lastSeen));
  const base = { since: sinceOf(question, key), turns, lastSeen, bites, probes };
  if (gap !== null) return { state: 'gap', kind: gap.kind, reason: gap.reason, ...base };
  const closed = whyClosed(question, key);
  // What has acted was not decided before it.
  if (closed !== null && bites.live + bites.probe === 0)
    return { state: 'n/a', reason: closed, ...base };
  if (turns === 0) return { state: 'unobserved', ...base };
  return { state: bites.live + bites.probe > 0 ? 'enforced' : 'held', ...base };
};

/** The evidence that a cell rests on, one entry by expected value. */
export const evidenceIn = (question: CellQuestion, key: EnforcedKey): readonly Row[] => {
  const { agent, trigger } = question;
  const found = relevant(question, laneOf(question), key);
  if (found.length > 0) return found.map((evidence) => rowOf(question, evidence));
  const { state, kind, reason } = cellOf(question, key);
  const { expected } = laneOf(question);
  const [first] = expected;
  if (state === 'n/a' && first === undefined) return [];
  return [
    {
      agent,
      trigger,
      state,
      ...(kind === undefined ? {} : { kind }),
      ...(reason === undefined ? {} : { reason }),
      expected: first === undefined ? 'null' : first.values[key].text,
      seen: null,
      turns: 0,
      bites: 0,
      live: { turns: 0, bites: 0 },
      probe: { turns: 0, bites: 0 },
      ended: null,
      firstSeen: null,
      lastSeen: null,
      turnIds: [],
      events: [],
    },
  ];
};

const sum = (found: readonly Evidence[], of: (evidence: Evidence) => number): number =>
  found.reduce((total, evidence) => total + of(evidence), 0);

/** A gap counts if it was seen in the time that is asked about. */
const isOpen = ({ since }: CellQuestion, { gap }: Evidence): boolean =>
  gap !== null && gap.at >= since;

const rowOf = (question: CellQuestion, evidence: Evidence): Row => {
  const { agent, trigger } = question;
  const { expected, seen, turns, bites, firstSeen, lastSeen, turnIds, events, ended } = evidence;
  const gap = isOpen(question, evidence) ? evidence.gap : null;
  const state = gap !== null ? 'gap' : bites > 0 ? 'enforced' : 'held';
  const why = gap === null ? {} : { kind: gap.kind, reason: gap.reason };
  const probe = { turns: evidence.probeTurns, bites: evidence.probeBites };
  const live = { turns: turns - probe.turns, bites: bites - probe.bites };
  const values = { expected, seen, turns, bites, live, probe, ended };
  return { agent, trigger, state, ...why, ...values, firstSeen, lastSeen, turnIds, events };
};

/** What a cell needs of its lane, whatever the setting. */
interface LaneFacts {
  readonly lane: Lane | undefined;
  readonly baseline: Baseline;
  /** What this config version expects of the plain requests, and of those that came. */
  readonly expected: readonly (Expected & { readonly ok: true })[];
}

const laneOf = (question: CellQuestion): LaneFacts => {
  const known = facts.get(question);
  if (known !== undefined) return known;
  const { state, lanes, agent, trigger, version } = question;
  const lane = lanes.get(laneKey(agent, trigger));
  const baseline = baselineOf(state, agent, trigger, version);
  const applied = version === null ? null : appliedConfig(state, version);
  const plain = baseline.open ? baseline.expected : [];
  const came =
    applied === null
      ? []
      : [...(lane?.variants.values() ?? [])].map((variant) =>
          state.expectations.first(applied, underConfig(state, applied, variant)),
        );
  const expected = [...new Set([...plain, ...came])].filter((entry) => entry.ok);
  const found = { lane, baseline, expected };
  facts.set(question, found);
  return found;
};

/** Only saves work: one question is asked for every setting. */
const facts = new WeakMap<CellQuestion, LaneFacts>();

/** Evidence under the values that this config version expects of the requests that came, and of the plain one. */
const relevant = (
  { since }: CellQuestion,
  { lane, expected }: LaneFacts,
  key: EnforcedKey,
): readonly Evidence[] => {
  const byValue = lane?.keys.get(key);
  if (byValue === undefined) return [];
  const found: Evidence[] = [];
  const add = (id: string): void => {
    const evidence = byValue.get(id);
    if (evidence === undefined || evidence.lastSeen < since || found.includes(evidence)) return;
    found.push(evidence);
  };
  add(refusedKey);
  for (const { values } of expected) add(values[key].id);
  const own = found.some(({ registry }) => registry === registryVersion);
  // What was seen under an older registry counts until this one has something of its own.
  if (!own)
    for (let older = registryVersion - 1; older >= actsSince(key); older -= 1)
      for (const { values } of expected) add(evidenceKey(older, values[key].digest));
  return found;
};

/** The state of one setting of one agent over one trigger, without what else a cell shows. */
export const stateOf = (question: CellQuestion, key: EnforcedKey): CellState => {
  const found = relevant(question, laneOf(question), key);
  if (found.some((evidence) => isOpen(question, evidence))) return 'gap';
  if (found.some(({ bites }) => bites > 0)) return 'enforced';
  if (whyClosed(question, key) !== null) return 'n/a';
  return found.length === 0 ? 'unobserved' : 'held';
};

/** Why a cell can have no evidence: the build, config, or a stronger rule keeps it from ever mattering. */
const whyClosed = (question: CellQuestion, key: EnforcedKey): string | null => {
  const { state, trigger, agent } = question;
  if (!state.supported.includes(trigger)) return `\`${trigger}\` is not part of this build`;
  const { baseline, expected } = laneOf(question);
  if (expected.length === 0)
    return baseline.open ? null : `config cannot start \`${agent}\` here: ${baseline.why}`;
  // Only what decides first for every request that can come, or came, keeps a setting from mattering.
  const whys = expected.map(({ snapshot }) => decidedBefore(key, snapshot, trigger));
  return whys.every((why) => why !== null) ? (whys[0] ?? null) : null;
};

/** The first of the config versions, up to the one asked for, that have expected this value without a break. */
const sinceOf = (question: CellQuestion, key: EnforcedKey): number | null => {
  const { state, agent, trigger, version } = question;
  const wanted = laneOf(question).expected[0]?.values[key].digest;
  if (version === null || wanted === undefined) return null;
  const earlier = [...state.configs.keys()].filter((v) => v < version).sort((a, b) => b - a);
  let since = version;
  for (const v of earlier) {
    const then = baselineOf(state, agent, trigger, v);
    if (!then.open || then.expected[0]?.ok !== true) break;
    if (then.expected[0].values[key].digest !== wanted) break;
    since = v;
  }
  return since;
};
