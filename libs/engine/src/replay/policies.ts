import type {
  AppliedConfig,
  Resolution,
  ResolvedPolicy,
  ResolveRecords,
  ResolveRequest,
  SettingKey,
} from '@lockstep/policy';
import type { OpenTurn } from '../turn/state.ts';
import type { Engine } from './engine.ts';

/** What a newer config does to a running turn. */
export type ReplayedNarrowing =
  | {
      readonly kind: 'narrow';
      readonly policy: ResolvedPolicy;
      readonly keys: readonly SettingKey[];
    }
  /** The request would be refused now. */
  | { readonly kind: 'cancel'; readonly why: string };

/** Policies derived anew from recorded configs, requests and records. The same question is answered once. */
export interface Policies {
  first(applied: AppliedConfig, request: ResolveRequest, records: ResolveRecords): Resolution;
  narrowed(applied: AppliedConfig, state: OpenTurn, records: ResolveRecords): ReplayedNarrowing;
}

/** A fresh memory over an engine's `resolve`. */
export const policiesOf = (engine: Engine): Policies => {
  const known = new Map<string, Resolution>();
  return {
    first: (applied, request, records) => {
      const key = JSON.stringify([applied.version, applied.digest, request, records]);
      const found = known.get(key);
      if (found !== undefined) return found;
      const made = engine.resolve(applied, request, records);
      if (known.size >= most) known.clear();
      known.set(key, made);
      return made;
    },
    narrowed: (applied, state, records) => {
      const resolved = engine.resolveAgain(applied, state.request, records);
      if (resolved.ok) {
        const { policy, keys } = engine.narrowPolicy(state.policy, resolved.policy);
        return { kind: 'narrow', policy, keys };
      }
      const [problem] = resolved.problems;
      return {
        kind: 'cancel',
        why: `config version ${applied.version}: ${problem?.message ?? 'the request is refused'}`,
      };
    },
  };
};

const most = 500;
