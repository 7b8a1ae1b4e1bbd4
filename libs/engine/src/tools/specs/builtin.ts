import type { Effect } from '@lockstep/policy';
import type { ToolSpec } from '../../events/parts.ts';
import { specDigest } from '../spec-digest.ts';

export type Schema = Exclude<ToolSpec['inputSchema'], string | number | boolean | null | undefined>;

interface BuiltinOptions {
  readonly properties: Readonly<Record<string, Schema>>;
  readonly required: readonly string[];
  /** Every effect that a call can have. */
  readonly effects: readonly Effect[];
  readonly operands: ToolSpec['operands'];
  readonly repeatable: boolean;
}

/** One tool of the program itself. */
export const builtin = (name: string, description: string, options: BuiltinOptions): ToolSpec => {
  const spec = {
    id: `builtin:${name}`,
    description,
    inputSchema: {
      type: 'object',
      properties: { ...options.properties },
      required: [...options.required],
      additionalProperties: false,
    },
    effects: [...options.effects],
    operands: options.operands,
    repeatable: options.repeatable,
  };
  return { ...spec, alias: name, digest: specDigest(spec) };
};

/** A text argument. */
export const text = (description: string, rest: Readonly<Record<string, number>> = {}): Schema => ({
  type: 'string',
  description,
  ...rest,
});

/** A whole number from 1. */
export const count = (description: string, maximum: number): Schema => ({
  type: 'integer',
  description,
  minimum: 1,
  maximum,
});
