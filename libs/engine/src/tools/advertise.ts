import type { PolicySnapshot } from '@lockstep/policy';
import type { ToolSpec } from '../events/parts.ts';
import { withheldByCeiling } from './effect-ceiling.ts';
import { leastEffects } from './effects.ts';
import {
  withheldByAllowed,
  withheldByDenied,
  withheldByScripts,
  type Withheld,
} from './withheld.ts';
import { withheldBySurface } from './withheld-surface.ts';

/** The rule that keeps a tool out of the advertised set whatever its arguments are, or null when it is offered. */
export const whyWithheld = (policy: PolicySnapshot, spec: ToolSpec): Withheld | null =>
  withheldByDenied(policy, spec.id) ??
  withheldByAllowed(policy, spec.id) ??
  withheldByScripts(policy, spec.id) ??
  withheldBySurface(policy, spec.id) ??
  withheldByCeiling(policy, spec.id, leastEffects(spec));

/** The tools that a model is offered under a policy, sorted by id. The gate asks the same functions again at dispatch. */
export const advertise = (
  policy: PolicySnapshot,
  specs: readonly ToolSpec[],
): readonly ToolSpec[] =>
  specs
    .filter((spec) => whyWithheld(policy, spec) === null)
    .toSorted((a, b) => (a.id < b.id ? -1 : a.id > b.id ? 1 : 0));
