import type { PathName, SurfaceName, Trigger } from './names.ts';
import type { ResolveRecords, ResolveRequest } from './request.ts';
import type {
  AppliedConfig,
  AppliedNarrowing,
  ProvenanceEntry,
  ResolutionProblem,
} from './resolution.ts';
import { frozenCopy } from './resolving/frozen-copy.ts';
import { meetRunning } from './resolving/running.ts';
import { resolving } from './resolving/resolving.ts';
import { deepFreeze } from './resolving/snapshot-parts.ts';
import type { SettingKey } from './setting-key.ts';
import type { PolicySnapshot } from './snapshot.ts';
import { registryVersion } from './surfaces/registry.ts';
import type { Place } from './surfaces/setting.ts';

const key: unique symbol = Symbol('policy');

/** All that a sealed policy holds; becomes the event PolicyResolved. */
interface PolicyParts {
  readonly config: { readonly version: number; readonly digest: string };
  readonly registry: number;
  readonly request: ResolveRequest;
  readonly records: ResolveRecords;
  readonly path: PathName;
  readonly trigger: Trigger;
  readonly snapshot: PolicySnapshot;
  readonly digest: string;
  readonly surfaces: Readonly<Record<SurfaceName, string>>;
  readonly provenance: readonly ProvenanceEntry[];
  readonly narrowings: readonly AppliedNarrowing[];
}

class Sealed {
  readonly #sealed = true;
  readonly parts: PolicyParts;
  constructor(k: typeof key, parts: PolicyParts) {
    if (k !== key) throw new TypeError('a policy is minted only by resolve()');
    this.parts = deepFreeze(parts);
    Object.freeze(this);
  }
  static is(x: unknown): x is Sealed {
    return typeof x === 'object' && x !== null && #sealed in x;
  }
}

// A policy leads to its class by `constructor`: nothing about the class may be changed through it.
Object.freeze(Sealed.prototype);
Object.freeze(Sealed);

export type { Sealed as ResolvedPolicy };
/** Whether a value is a policy that resolve() made: no literal, clone, copy or proxy of one is. */
export const isResolvedPolicy = (x: unknown): x is Sealed => Sealed.is(x);

/** A policy, or every reason why the request has none. */
export type Resolution =
  | { readonly ok: true; readonly policy: Sealed }
  | { readonly ok: false; readonly problems: readonly ResolutionProblem[] };

/** Derives the policy of one request from config and records. Pure, total, deterministic: the only way to a policy.
 * A refused request answers with every problem found. */
export const resolve = (
  applied: AppliedConfig,
  request: ResolveRequest,
  records: ResolveRecords,
): Resolution => seal(applied, request, records, 'first');

/** The same for a request that was resolved before, under a newer config. What its client asked for then still narrows, but is
 * not refused where the newer config grants less; and a person that config names only now is not demanded. */
export const resolveAgain = (
  applied: AppliedConfig,
  request: ResolveRequest,
  records: ResolveRecords,
): Resolution => seal(applied, request, records, 'again');

/** Meets a newly resolved policy with the effective one of a running turn. Nothing widens in a turn: provider, model and prices
 * stay as at the start. `keys` are the settings whose value changed; empty = nothing to record. A change of what no setting holds
 * is named by the setting it serves: siblings and protected paths by `workspace.forbidden_paths`, servers by `mcp.bundles`. */
export const narrowPolicy = (
  effective: PolicySnapshot,
  resolved: Sealed,
): { readonly policy: Sealed; readonly keys: readonly SettingKey[] } => {
  const place = places.get(resolved);
  if (place === undefined) throw new TypeError('a policy is narrowed only by a resolved one');
  const { parts } = resolved;
  const { finished, keys } = meetRunning(place, effective, parts);
  const policy = new Sealed(key, {
    ...parts,
    ...finished.parts,
    provenance: finished.entries,
  });
  places.set(policy, place);
  return { policy, keys };
};

/** What each policy was derived for: needed when it is met with another, and nobody else's business. */
const places = new WeakMap<Sealed, Place>();

const seal = (
  applied: AppliedConfig,
  given: ResolveRequest,
  known: ResolveRecords,
  mode: 'first' | 'again',
): Resolution => {
  const request = frozenCopy(given);
  const records = frozenCopy(known);
  const found = resolving(applied, { request, records, mode });
  if (!found.ok) return found;
  const policy = new Sealed(key, {
    config: { version: applied.version, digest: applied.digest },
    registry: registryVersion,
    request,
    records,
    path: found.path,
    trigger: found.trigger,
    ...found.finished.parts,
    provenance: found.finished.entries,
    narrowings: found.narrowings,
  });
  places.set(policy, found.place);
  return { ok: true, policy };
};
