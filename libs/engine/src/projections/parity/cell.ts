import type { EnforcedKey, Trigger } from '@lockstep/policy';
import { registryVersion } from '@lockstep/policy';
import type { ParityCellDetail, TriggerCell } from '../parity-matrix.view.ts';
import { baselineOf } from './baseline.ts';
import { decidedBefore } from './decided-before.ts';
import type { Expected } from './expectations.ts';
import { evidenceKey, refusedKey } from './judge-parity.ts';
import { laneKey, type Evidence, type Lane, type ParityState } from './parity-state.ts';
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
  const { state, agent, trigger, version } = question;
  const expected = baselineOf(state, agent, trigger, version);
  const found = relevant(question, key);
  const gap = found.find((evidence) => evidence.gap !== null)?.gap ?? null;
  const turns = found.reduce((sum, evidence) => sum + evidence.turns, 0);
  const lastSeen = turns === 0 ? null : Math.max(...found.map((evidence) => evidence.lastSeen));
  const base = { since: sinceOf(question, key, expected), turns, lastSeen };
  if (gap !== null) return { state: 'gap', kind: gap.kind, reason: gap.reason, ...base };
  const closed = whyClosed(question, key, expected);
  if (closed !== null) return { state: 'n/a', reason: closed, ...base };
  if (turns === 0) return { state: 'unobserved', ...base };
  const bitten = found.some((evidence) => evidence.bites > 0);
  return { state: bitten ? 'enforced' : 'held', ...base };
};

/** The evidence that a cell rests on, one entry by expected value. */
export const evidenceIn = (question: CellQuestion, key: EnforcedKey): readonly Row[] => {
  const { agent, trigger } = question;
  const found = relevant(question, key);
  if (found.length > 0) return found.map((evidence) => rowOf(question, evidence));
  const { state, kind, reason } = cellOf(question, key);
  const expected = baselineOf(question.state, agent, trigger, question.version);
  if (state === 'n/a' && !expected.ok) return [];
  return [
    {
      agent,
      trigger,
      state,
      ...(kind === undefined ? {} : { kind }),
      ...(reason === undefined ? {} : { reason }),
      expected: expected.ok ? expected.values[key].text : 'null',
      seen: null,
      turns: 0,
      bites: 0,
      firstSeen: null,
      lastSeen: null,
      turnIds: [],
      events: [],
    },
  ];
};

const rowOf = ({ agent, trigger }: CellQuestion, evidence: Evidence): Row => {
  const { gap, expected, seen, turns, bites, firstSeen, lastSeen, turnIds, events } = evidence;
  const state = gap !== null ? 'gap' : bites > 0 ? 'enforced' : 'held';
  const why = gap === null ? {} : { kind: gap.kind, reason: gap.reason };
  const values = { expected, seen, turns, bites, firstSeen, lastSeen, turnIds, events };
  return { agent, trigger, state, ...why, ...values };
};

/** Evidence under the values that this config version expects of the requests that came, and of the plain one. */
const relevant = (question: CellQuestion, key: EnforcedKey): readonly Evidence[] => {
  const { state, lanes, agent, trigger, version, since } = question;
  const byValue = lanes.get(laneKey(agent, trigger))?.keys.get(key);
  if (byValue === undefined) return [];
  const lane = lanes.get(laneKey(agent, trigger));
  const applied = version === null ? null : appliedConfig(state, version);
  const wanted = new Set([refusedKey]);
  const want = (expected: Expected): void => {
    if (expected.ok) wanted.add(evidenceKey(registryVersion, expected.values[key].digest));
  };
  want(baselineOf(state, agent, trigger, version));
  for (const variant of lane?.variants.values() ?? [])
    if (applied !== null) want(state.expectations.first(applied, variant));
  return [...byValue]
    .filter(([id, evidence]) => wanted.has(id) && evidence.lastSeen >= since)
    .map(([, evidence]) => evidence);
};

/** Why a cell can have no evidence: the build, config, or a stronger rule keeps it from ever mattering. */
const whyClosed = (
  { state, trigger, agent }: CellQuestion,
  key: EnforcedKey,
  expected: Expected,
): string | null => {
  if (!state.supported.includes(trigger)) return `\`${trigger}\` is not part of this build`;
  if (!expected.ok) return `config cannot start \`${agent}\` here: ${expected.why}`;
  return decidedBefore(key, expected.snapshot);
};

/** The first of the config versions, up to the one asked for, that have expected this value without a break. */
const sinceOf = (
  { state, agent, trigger, version }: CellQuestion,
  key: EnforcedKey,
  expected: Expected,
): number | null => {
  if (version === null || !expected.ok) return null;
  const wanted = expected.values[key].digest;
  const earlier = [...state.configs.keys()].filter((v) => v < version).sort((a, b) => b - a);
  let since = version;
  for (const v of earlier) {
    const then = baselineOf(state, agent, trigger, v);
    if (!then.ok || then.values[key].digest !== wanted) break;
    since = v;
  }
  return since;
};
