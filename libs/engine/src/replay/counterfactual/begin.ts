import {
  registryVersion,
  type AppliedConfig,
  type PolicySnapshot,
  type Resolution,
  type ResolvedPolicy,
  type ResolveRecords,
  type ResolveRequest,
} from '@lockstep/policy';
import type { EventOf, LockstepEvent, TurnFact } from '../../events/event.ts';
import { initialState, type TurnState } from '../../turn/state.ts';
import type { Fed } from '../fed.ts';
import { asItActed } from '../other-registry.ts';
import type { CounterfactualAsk } from './ask.ts';
import { policyNow } from './policy-now.ts';
import { recordsUnder } from './records-under.ts';
import type { CounterfactualStart } from './report.ts';
import { callsIn } from './turn-index.ts';
import type { Shared, Walk } from './walk.ts';

/** What becomes of a request under the other config or on the other path. */
export type Beginning =
  | { readonly kind: 'walk'; readonly walk: Walk; readonly start: CounterfactualStart }
  /** It is refused now, or was then. */
  | { readonly kind: 'refused'; readonly start: CounterfactualStart; readonly why: string }
  | { readonly kind: 'allowed'; readonly start: CounterfactualStart; readonly stopped: boolean }
  | { readonly kind: 'unfed'; readonly unfed: Extract<Fed<never>, { ok: false }> };

interface Asked {
  readonly requested: EventOf<'TurnRequested'>;
  readonly second: LockstepEvent;
  readonly ask: CounterfactualAsk;
}

/** Resolves the request anew and puts both turns at their beginning. */
export const begin = (shared: Shared, turn: string, asked: Asked): Beginning => {
  const { requested, second, ask } = asked;
  const recorded = shared.recording.config(requested.data.config);
  const applied = ask.config ?? (recorded.ok ? recorded.value : null);
  if (applied === null) return { kind: 'unfed', unfed: recorded.ok ? notHere : recorded };
  const made = requestNow(shared, asked, applied);
  const at = startOf(asked, applied);
  if (!made.ok) return { kind: 'refused', start: at, why: made.why };
  const found = shared.policies(applied, made.request, made.records);
  if (!found.ok)
    return {
      kind: 'refused',
      start: at,
      why: found.problems[0]?.message ?? 'the request is refused',
    };
  const { path, trigger } = found.policy.parts;
  const start = { ...at, path, trigger };
  if (second.type !== 'PolicyResolved') {
    const stopped = second.type === 'TurnRefused' && second.data.code === 'stopped';
    return { kind: 'allowed', start, stopped };
  }
  const baseline = (): Resolution | null =>
    recorded.ok
      ? shared.policies(recorded.value, requested.data.request, requested.data.records)
      : null;
  return walkFrom(shared, turn, { ...asked, second, start, made, found, baseline });
};

const notHere = { ok: false, missing: 'the config' } as const;

const startOf = ({ requested, ask }: Asked, applied: AppliedConfig): CounterfactualStart => ({
  path: ask.start?.path ?? requested.data.path,
  trigger: ask.start?.trigger ?? requested.data.trigger,
  config: {
    version: applied.version === 0 ? null : applied.version,
    digest: applied.digest,
  },
});

type Made =
  | {
      readonly ok: true;
      readonly request: ResolveRequest;
      readonly records: ResolveRecords;
      readonly notes: readonly string[];
    }
  | { readonly ok: false; readonly why: string };

const requestNow = (
  { recording, policies }: Shared,
  { requested, ask }: Asked,
  applied: AppliedConfig,
): Made => {
  if (ask.start !== undefined) return { ok: true, notes: [], ...ask.start };
  const { request, records } = requested.data;
  if (ask.config === undefined) return { ok: true, request, records, notes: [] };
  const under = recordsUnder({ recording, policies, applied }, records);
  return under.ok ? { ...under, request } : under;
};

interface Start extends Asked {
  readonly second: EventOf<'PolicyResolved'>;
  readonly start: CounterfactualStart;
  readonly made: Extract<Made, { ok: true }>;
  readonly found: Extract<Resolution, { ok: true }>;
  readonly baseline: () => Resolution | null;
}

const walkFrom = (shared: Shared, turn: string, from: Start): Beginning => {
  const { recording } = shared;
  const { requested, second, start, made, found, ask } = from;
  const fact = recording.hydrated(second);
  const input = recording.textOf(requested.data.input);
  if (!fact.ok || !input.ok) return { kind: 'unfed', unfed: fact.ok ? failed(input) : fact };
  const acted = asItActed(fact.value);
  const written = snapshotIn(fact.value);
  const recordedPolicy = snapshotIn(acted);
  if (written === null || recordedPolicy === null)
    return { kind: 'unfed', unfed: { ok: false, missing: 'the recorded policy' } };
  const now = policyNow(
    second.data,
    { acted: recordedPolicy, written },
    { now: found.policy, baseline: () => baselineOf(from) },
  );
  const { snapshot, digest, shown, sentTheSame } = now;
  const request = requestedNow(from);
  const events = recording.stream(`turn-${turn}`);
  return {
    kind: 'walk',
    start,
    walk: {
      ...shared,
      turn,
      ask,
      events,
      calls: callsIn(events),
      recordedPolicy,
      began: {
        recordedDigest: second.data.digest,
        nowDigest: digest,
        sentTheSame,
        written,
        shown,
      },
      at: 2,
      then: fold(shared, from, [asFact(requested), acted]),
      now: fold(shared, from, [request, resolvedNow(from, snapshot, digest)]),
      facts: [
        { at: 0, fact: request },
        { at: 1, fact: resolvedNow(from, shown, digest) },
      ],
      verdicts: new Map(),
      early: new Map(),
      notes: new Set([...(ask.start?.notes ?? []), ...made.notes]),
      horizon: null,
      refusal: null,
      unfed: null,
    },
  };
};

const baselineOf = ({ baseline }: Start): PolicySnapshot | null => {
  const made = baseline();
  return made?.ok === true ? made.policy.parts.snapshot : null;
};

/** A turn of its first two facts. */
const fold = (
  { engine }: Shared,
  { requested, second }: Start,
  [request, resolved]: readonly [TurnFact, TurnFact],
): TurnState => {
  const { turn } = requested.meta;
  const first = engine.evolve(initialState(turn ?? ''), { ...request, ...stampOf(requested) });
  return engine.evolve(first, { ...resolved, ...stampOf(second) });
};

const stampOf = ({ time, meta }: LockstepEvent) => ({ time, meta });

const resolvedNow = (
  { second, found }: Start,
  snapshot: PolicySnapshot,
  digest: string,
): TurnFact => {
  const { registry } = second.data;
  return {
    type: 'PolicyResolved',
    data: {
      // Of settings that did not act then, nothing else is known.
      ...(registry === registryVersion ? resolvedOf(found.policy) : second.data),
      config: found.policy.parts.config,
      registry,
      snapshot: { inline: snapshot },
      digest,
    },
  };
};

const snapshotIn = (fact: TurnFact): PolicySnapshot | null =>
  fact.type === 'PolicyResolved' && 'inline' in fact.data.snapshot
    ? fact.data.snapshot.inline
    : null;

const resolvedOf = ({ parts }: ResolvedPolicy) => ({
  surfaces: parts.surfaces,
  provenance: [...parts.provenance],
  narrowings: [...parts.narrowings],
});

const failed = (found: Fed<unknown>): Extract<Fed<never>, { ok: false }> =>
  found.ok ? notHere : found;

const asFact = ({ type, data }: LockstepEvent): TurnFact => ({ type, data }) as TurnFact;

const requestedNow = ({ requested, ask, start, made, found }: Start): TurnFact => {
  const { data } = requested;
  const input = ask.start?.input;
  const alone = ask.start?.history === 'none';
  return {
    type: 'TurnRequested',
    data: {
      ...data,
      request: made.request,
      records: made.records,
      config: found.policy.parts.config,
      path: start.path,
      trigger: start.trigger,
      ...(input === undefined ? {} : { input: { inline: input } }),
      ...(alone ? { history: [], earlier: [] } : {}),
    },
  };
};
