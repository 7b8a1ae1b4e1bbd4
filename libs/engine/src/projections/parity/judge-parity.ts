import {
  registryVersion,
  type AppliedConfig,
  type EnforcedKey,
  type PathName,
  type Trigger,
} from '@lockstep/policy';
import type { TurnEvent } from '../../events/event.ts';
import type { ConfigRef } from '../../events/parts.ts';
import { bitesOf, judgeTurn, type Bite } from '../../monitors/judge-turn.ts';
import { recordTurn, type PolicySpan, type RecordedTurn } from '../../monitors/recorded-turn.ts';
import type { GapKind, Objection } from '../parity-matrix.view.ts';
import { baselineOf } from './baseline.ts';
import type { Expected, Valued } from './expectations.ts';
import type { OpenTurn, ParityState, Variant } from './parity-state.ts';
import { evidenceKey, gapBetween } from './setting-values.ts';
import { appliedConfig, surroundingsOf } from './surroundings.ts';

/** What one span of a turn says of one setting. */
export interface Comparison {
  /** Registry version and digest of the expected value; `refusedKey` where no policy at all was expected. */
  readonly id: string;
  readonly registry: number;
  readonly expected: string;
  readonly seen: string | null;
  readonly gap: { readonly kind: GapKind; readonly reason: string } | null;
}

/** A part of a turn under one policy. */
export interface Segment {
  /** Index of its first event. */
  readonly from: number;
  compare(key: EnforcedKey): Comparison;
}

/** One turn, judged: what its evidence will be. */
export interface Judgement {
  readonly turn: string;
  readonly agent: string;
  readonly path: PathName;
  readonly trigger: Trigger;
  readonly variant: Variant | null;
  readonly at: number;
  /** The build that ran it, and whether it was a probe. */
  readonly build: string;
  readonly probe: boolean;
  readonly segments: readonly Segment[];
  eventAt(index: number): TurnEvent | undefined;
  readonly bites: readonly Bite[];
  readonly objections: readonly (Objection & {
    readonly index: number;
    readonly position: string;
  })[];
}

/** Names evidence of turns that should have got no policy: it counts under every config. */
export const refusedKey = 'refused';

/** Judges one turn, ended or not. Null for a stream that names no agent or no path, or in which nothing was decided. */
export const judgeParity = (state: ParityState, open: OpenTurn): Judgement | null => {
  const { events } = open;
  const meta = events[0]?.meta;
  if (meta === undefined || meta.agent === null || meta.path === null || meta.trigger === null)
    return null;
  const turn = recordTurn(events, surroundingsOf(state, open));
  const asked = turn.all('TurnRequested')[0]?.event.data;
  const variant =
    asked === undefined
      ? null
      : { request: asked.request, records: asked.records, version: asked.config.version };
  const segments = segmentsOf(state, turn, variant);
  if (segments.length === 0) return null;
  const placed = (position: string): string => open.recorded?.position ?? position;
  const places = new Map(turn.events.map(({ event, index }) => [event.id, index]));
  return {
    turn: turn.id,
    agent: meta.agent,
    path: meta.path,
    trigger: meta.trigger,
    variant,
    at: open.recorded?.time ?? events.at(-1)?.time ?? 0,
    build: events.at(-1)?.meta.build ?? meta.build,
    probe: meta.probe !== undefined,
    segments,
    eventAt: (index) => {
      const event = events[index];
      return event === undefined ? event : { ...event, position: placed(event.position) };
    },
    bites: bitesOf(turn).map((bite) => ({ ...bite, position: placed(bite.position) })),
    objections: judgeTurn(turn).map((objection) => {
      const index = objection.event === null ? -1 : (places.get(objection.event) ?? -1);
      return { ...objection, index, position: placed(events[Math.max(0, index)]?.position ?? '') };
    }),
  };
};

const segmentsOf = (
  state: ParityState,
  turn: RecordedTurn,
  variant: Variant | null,
): readonly Segment[] => {
  if (turn.spans.length === 0) return unpolicied(state, turn, variant);
  let inForce: Valued | null = null;
  return turn.spans.map((span) => {
    const expected = expectedOf(state, variant, span, inForce);
    const seen = span.policy === null ? null : state.expectations.recorded(span.policy);
    inForce = seen;
    const registry =
      span.event.type === 'PolicyResolved'
        ? span.event.data.registry
        : (span.policy?.registry ?? registryVersion);
    return { from: span.index, compare: comparing(expected, seen, registry) };
  });
};

const expectedOf = (
  state: ParityState,
  variant: Variant | null,
  span: PolicySpan,
  inForce: Valued | null,
): Expected => {
  const { config: ref } = span.event.data;
  if (variant === null) return { ok: false, why: 'no request was recorded for this turn' };
  const applied = citedConfig(state, ref);
  if (applied === null)
    return { ok: false, why: `config version ${ref.version} was never applied` };
  if (span.event.type === 'PolicyResolved') return state.expectations.first(applied, variant);
  if (inForce === null) return { ok: false, why: 'a policy was narrowed that was never resolved' };
  return state.expectations.narrowed(applied, variant, inForce.snapshot);
};

const citedConfig = (state: ParityState, ref: ConfigRef): AppliedConfig | null => {
  const applied = appliedConfig(state, ref.version);
  return applied?.digest === ref.digest ? applied : null;
};

/** A turn without a policy: nothing to say if nothing was done under it, a missing policy if something was, a wrong refusal if
 * the policy would have been there. */
const unpolicied = (
  state: ParityState,
  turn: RecordedTurn,
  variant: Variant | null,
): readonly Segment[] => {
  const worked = turn.all('ModelCallStarted').length + turn.all('ToolCallStarted').length > 0;
  const asked = turn.all('TurnRequested')[0]?.event.data;
  const applied = asked === undefined ? null : citedConfig(state, asked.config);
  const expected =
    variant === null || applied === null ? null : state.expectations.first(applied, variant);
  if (worked) return [missing(expected ?? plainly(state, turn))];
  if (!wasDenied(turn) || expected?.ok !== true) return [];
  const why = 'the turn was refused, and config permits it';
  return [{ from: 0, compare: (key) => against(expected, key, { kind: 'narrower', reason: why }) }];
};

/** What the plain request over the same trigger gets now: for a turn that recorded no request. */
const plainly = (state: ParityState, turn: RecordedTurn): Expected => {
  const trigger = turn.events[0]?.event.meta.trigger ?? null;
  const why = 'no request was recorded for this turn';
  if (trigger === null) return { ok: false, why };
  const baseline = baselineOf(state, turn.agent, trigger);
  return baseline.open
    ? (baseline.expected[0] ?? { ok: false, why })
    : { ok: false, why: baseline.why };
};

/** Whether the turn was refused for what config says, and not for what the machine lacks. */
const wasDenied = (turn: RecordedTurn): boolean => {
  const code = turn.all('TurnRefused')[0]?.event.data.code;
  return code === 'agent_unavailable' || code === 'not_permitted';
};

const missing = (expected: Expected): Segment => {
  const gap = { kind: 'missing', reason: 'no policy was recorded for this turn' } as const;
  return {
    from: 0,
    compare: (key) => (expected.ok ? against(expected, key, gap) : noPolicy(expected.why, null)),
  };
};

const against = (expected: Valued, key: EnforcedKey, gap: Comparison['gap']): Comparison => {
  const { text, id } = expected.values[key];
  return { id, registry: registryVersion, expected: text, seen: null, gap };
};

const noPolicy = (why: string, seen: string | null): Comparison => ({
  id: refusedKey,
  registry: registryVersion,
  expected: 'null',
  seen,
  gap: { kind: seen === null ? 'missing' : 'wider', reason: why },
});

/** Compares once for all turns with the same expected and seen policy. */
const comparing = (expected: Expected, seen: Valued | null, registry: number) => {
  if (seen === null || !expected.ok)
    return (key: EnforcedKey) => compare(expected, seen, registry, key);
  const bySeen = compared.get(expected) ?? new WeakMap<Valued, Compared>();
  compared.set(expected, bySeen);
  const known = bySeen.get(seen);
  const found =
    known?.registry === registry ? known : { registry, keys: new Map<EnforcedKey, Comparison>() };
  bySeen.set(seen, found);
  return (key: EnforcedKey): Comparison => {
    const comparison = found.keys.get(key) ?? compare(expected, seen, registry, key);
    found.keys.set(key, comparison);
    return comparison;
  };
};

interface Compared {
  readonly registry: number;
  readonly keys: Map<EnforcedKey, Comparison>;
}
const compared = new WeakMap<Expected, WeakMap<Valued, Compared>>();

const compare = (
  expected: Expected,
  seen: Valued | null,
  registry: number,
  key: EnforcedKey,
): Comparison => {
  if (!expected.ok) return noPolicy(expected.why, seen?.values[key].text ?? null);
  const { text, digest } = expected.values[key];
  const found = seen?.values[key] ?? null;
  const base = { id: evidenceKey(registry, digest), registry, expected: text };
  if (seen === null || found === null) {
    const reason = 'the recorded policy is not in the log';
    return { ...base, seen: null, gap: { kind: 'missing', reason } };
  }
  if (found.digest === digest) return { ...base, seen: found.text, gap: null };
  const kind = gapBetween(key, expected.snapshot, seen.snapshot);
  const reason = `the turn ran under a ${kind} value than config says`;
  return { ...base, seen: found.text, gap: { kind, reason } };
};
