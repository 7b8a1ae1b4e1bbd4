import { enforcedKeys, type EnforcedKey } from '@lockstep/policy';
import { putFirst, setBounded } from './bounded.ts';
import { variantKey } from './expectations.ts';
import type { Comparison, Judgement, Segment } from './judge-parity.ts';
import {
  bounds,
  laneKey,
  type Evidence,
  type EvidenceEvent,
  type Gap,
  type Lane,
  type ParityState,
  type Variant,
} from './parity-state.ts';

/** Adds a judged turn to the evidence of its lane. */
export const addJudgement = (lanes: ParityState['lanes'], judgement: Judgement): void => {
  const lane = laneOf(lanes, judgement);
  if (judgement.variant !== null)
    setBounded(
      lane.variants,
      laneVariantKey(judgement.variant),
      judgement.variant,
      bounds.variants,
    );
  const marks = marksOf(judgement);
  for (const key of enforcedKeys) {
    const counted = judgement.segments.length > 1 ? new Set<string>() : null;
    for (const segment of judgement.segments) {
      const comparison = segment.compare(key);
      const evidence = evidenceOf(lane, key, comparison, judgement.at);
      if (counted?.has(comparison.id) !== true) countTurn(evidence, judgement);
      counted?.add(comparison.id);
      const all = marks.get(key);
      const own = all === undefined ? none : all.filter((mark) => mark.segment === segment);
      if (evidence.gap !== null) endGap(evidence, comparison, own, judgement);
      if (comparison.gap !== null) addGap(evidence, comparison, segment, judgement);
      addMarks(evidence, own, judgement);
    }
  }
};

/** Senders of a channel are many, and which of them wrote decides no setting. */
const laneVariantKey = (variant: Variant): string => {
  const { principal } = variant.request;
  return variantKey({
    ...variant,
    request: { ...variant.request, principal: { ...principal, id: '-', person: null } },
  });
};

/** A biting event or objection of one setting, with the segment that it belongs to. */
interface Mark {
  readonly segment: Segment | undefined;
  readonly event: EvidenceEvent;
  readonly gap: Pick<Gap, 'kind' | 'reason'> | null;
}

const none: readonly Mark[] = [];

const marksOf = (judgement: Judgement): ReadonlyMap<EnforcedKey, readonly Mark[]> => {
  const marks = new Map<EnforcedKey, Mark[]>();
  const add = (key: EnforcedKey, mark: Mark): void => {
    const known = marks.get(key);
    if (known === undefined) marks.set(key, [mark]);
    else known.push(mark);
  };
  const { turn, segments } = judgement;
  for (const { key, event, position, index, note } of judgement.bites)
    add(key, {
      segment: segmentAt(segments, index),
      event: { id: event, turn, position, what: 'witness', note },
      gap: null,
    });
  for (const { key, event, position, index, why, kind } of judgement.objections)
    add(key, {
      segment: index < 0 ? segments.at(-1) : segmentAt(segments, index),
      event: { id: event ?? turn, turn, position, what: 'objection', note: why },
      gap: { kind, reason: why },
    });
  return marks;
};

/** The last segment that began at or before an index; the first for what came before any. */
const segmentAt = (segments: readonly Segment[], index: number): Segment | undefined =>
  segments.findLast(({ from }) => from <= index) ?? segments[0];

const addMarks = (evidence: Evidence, marks: readonly Mark[], judgement: Judgement): void => {
  for (const mark of marks) {
    if (mark.gap !== null) openGap(evidence, { ...mark.gap, by: 'monitor' }, judgement);
    else {
      evidence.bites += 1;
      if (judgement.probe) evidence.probeBites += 1;
    }
    putFirst(evidence.events, mark.event, bounds.events);
  }
};

const openGap = (
  evidence: Evidence,
  gap: Pick<Gap, 'kind' | 'reason' | 'by'>,
  { at, build }: Judgement,
): void => {
  const before = evidence.gap?.builds.filter((known) => known !== build) ?? [];
  evidence.gap = { ...gap, at, builds: [...before.slice(1 - bounds.builds), build] };
};

/** A gap ends when another build than those that showed it ran under the same value without it: with an equal value where the values
 * differed, with a biting event and no objection where a monitor objected. */
const endGap = (
  evidence: Evidence,
  comparison: Comparison,
  marks: readonly Mark[],
  { at, build }: Judgement,
): void => {
  const { gap } = evidence;
  if (gap === null || comparison.gap !== null || gap.builds.includes(build)) return;
  if (marks.some((mark) => mark.gap !== null)) return;
  if (gap.by === 'monitor' && marks.length === 0) return;
  const { kind, reason, at: seen } = gap;
  evidence.ended = { kind, reason, seen, ended: at, build };
  evidence.gap = null;
};

const addGap = (
  evidence: Evidence,
  comparison: Comparison,
  segment: Segment,
  judgement: Judgement,
): void => {
  if (comparison.gap === null) return;
  openGap(evidence, { ...comparison.gap, by: 'value' }, judgement);
  evidence.seen = comparison.seen;
  const at = judgement.eventAt(segment.from);
  const event: EvidenceEvent = {
    id: at?.id ?? judgement.turn,
    turn: judgement.turn,
    position: at?.position ?? '',
    what: 'objection',
    note: comparison.gap.reason,
  };
  putFirst(evidence.events, event, bounds.events);
};

const countTurn = (evidence: Evidence, { turn, at, probe }: Judgement): void => {
  evidence.turns += 1;
  if (probe) evidence.probeTurns += 1;
  evidence.lastSeen = Math.max(evidence.lastSeen, at);
  putFirst(evidence.turnIds, turn, bounds.turnIds);
};

const evidenceOf = (lane: Lane, key: EnforcedKey, seen: Comparison, at: number): Evidence => {
  let byValue = lane.keys.get(key);
  if (byValue === undefined) lane.keys.set(key, (byValue = new Map<string, Evidence>()));
  const known = byValue.get(seen.id);
  if (known !== undefined) return known;
  const fresh: Evidence = {
    registry: seen.registry,
    expected: seen.expected,
    seen: seen.seen,
    turns: 0,
    bites: 0,
    probeTurns: 0,
    probeBites: 0,
    gap: null,
    ended: null,
    firstSeen: at,
    lastSeen: at,
    turnIds: [],
    events: [],
  };
  setBounded(byValue, seen.id, fresh, bounds.values);
  return fresh;
};

const laneOf = (lanes: ParityState['lanes'], { agent, path, trigger }: Judgement): Lane => {
  const name = laneKey(agent, trigger);
  const known = lanes.get(name);
  if (known !== undefined) return known;
  const lane: Lane = { agent, path, trigger, variants: new Map(), keys: new Map() };
  lanes.set(name, lane);
  return lane;
};
