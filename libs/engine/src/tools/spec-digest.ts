import { canonicalJson, digestOfText } from '@lockstep/policy';
import type { ToolSpec } from '../events/parts.ts';

/** Canonical text of what a tool is: identity, description, schema, effects, operands, repeatability. The alias is not a part of it,
 * since it depends on the other tools that are there. As an artifact it has the spec's digest.
 * @throws when the schema is no JSON */
export const specText = (spec: Omit<ToolSpec, 'alias' | 'digest'>): string =>
  canonicalJson({
    id: spec.id,
    description: spec.description,
    inputSchema: spec.inputSchema,
    effects: spec.effects,
    operands: spec.operands,
    repeatable: spec.repeatable,
  });

/** Digest of `specText`.
 * @throws when the schema is no JSON */
export const specDigest = (spec: Omit<ToolSpec, 'alias' | 'digest'>): string =>
  digestOfText(specText(spec));
