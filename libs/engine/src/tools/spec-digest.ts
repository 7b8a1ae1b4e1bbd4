import { digestOf } from '@lockstep/policy';
import type { ToolSpec } from '../events/parts.ts';

/** Digest of what a tool is: identity, description, schema, effects, operands, repeatability. The alias is not a part of it, since
 * it depends on the other tools that are there.
 * @throws when the schema is no JSON */
export const specDigest = (spec: Omit<ToolSpec, 'alias' | 'digest'>): string =>
  digestOf({
    id: spec.id,
    description: spec.description,
    inputSchema: spec.inputSchema,
    effects: spec.effects,
    operands: spec.operands,
    repeatable: spec.repeatable,
  });
