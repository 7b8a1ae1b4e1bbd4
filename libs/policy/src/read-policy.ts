import type { SurfaceName } from './names.ts';
import type { AppliedConfig, ProvenanceEntry, ResolutionProblem } from './resolution.ts';
import { agentPolicyOf } from './resolving/agent-policy.ts';
import type { PolicySnapshot } from './snapshot.ts';

/** What an agent may do when nothing is taken away, to be shown or compared. It is no policy that a turn can run under. */
export interface ReadPolicy {
  readonly snapshot: PolicySnapshot;
  readonly digest: string;
  readonly surfaces: Readonly<Record<SurfaceName, string>>;
  readonly provenance: readonly ProvenanceEntry[];
}

/** The policy of an agent before any request, or why it has none. */
export const readPolicy = (
  applied: AppliedConfig,
  agent: string,
):
  | { readonly ok: true; readonly policy: ReadPolicy }
  | { readonly ok: false; readonly problem: ResolutionProblem } => {
  const found = agentPolicyOf(applied, agent);
  if ('code' in found) return { ok: false, problem: found };
  return { ok: true, policy: { ...found.parts, provenance: found.entries } };
};
