import { builtinEffects, type Effect } from '@lockstep/policy';
import type { ToolSpec } from '../events/parts.ts';

/** What one call may do to the world. Only a built-in tool's set depends on its arguments; every other has what its spec says. */
export const effectsOf = (spec: ToolSpec, args: unknown): readonly Effect[] => {
  if (!spec.id.startsWith('builtin:')) return spec.effects;
  return builtinEffects(spec.id, args) ?? spec.effects;
};

/** The fewest effects that a call of the tool can have, over all arguments. */
export const leastEffects = (spec: ToolSpec): readonly Effect[] => effectsOf(spec, {});

/** Whether a set of effects changes nothing: the empty set and `read` alone. */
export const isReadOnly = (effects: readonly Effect[]): boolean =>
  effects.every((effect) => effect === 'read');
