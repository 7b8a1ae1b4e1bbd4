import type { PathName, SurfaceName, Trigger } from './names.ts';
import type { PolicySnapshot } from './snapshot.ts';
import type { ResolveRecords, ResolveRequest } from './request.ts';
import type {
  AppliedConfig,
  AppliedNarrowing,
  ProvenanceEntry,
  ResolutionProblem,
} from './resolution.ts';
import type { SettingKey } from './setting-key.ts';

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

export type { Sealed as ResolvedPolicy };
export const isResolvedPolicy = (x: unknown): x is Sealed => Sealed.is(x);

export type Resolution =
  | { readonly ok: true; readonly policy: Sealed }
  | { readonly ok: false; readonly problems: readonly ResolutionProblem[] };

/** Derives the policy of one request from config and records. Pure, total, deterministic: the only way to a policy. */
export const resolve = (
  _applied: AppliedConfig,
  _request: ResolveRequest,
  _records: ResolveRecords,
): Resolution => {
  void new Sealed(key, {} as PolicyParts);
  throw new Error('not built yet');
};

/** Meets a newly resolved policy with the effective one of a running turn. Nothing widens in a turn: provider, model and prices
 * stay as at the start. `keys` are the settings whose value changed; empty = nothing to record. */
export const narrowPolicy = (
  _effective: PolicySnapshot,
  _resolved: Sealed,
): { readonly policy: Sealed; readonly keys: readonly SettingKey[] } => {
  throw new Error('not built yet');
};

const deepFreeze = <T>(value: T): T => {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const part of Object.values(value)) deepFreeze(part);
  }
  return value;
};
