import type { DeclaredOperand, ToolSpec } from '../events/parts.ts';
import { own } from './own.ts';

export interface PointedOperands {
  /** Text at a declared place, in the order of the declarations. */
  readonly found: readonly { readonly declared: DeclaredOperand; readonly given: string }[];
  /** Places that hold something else than text: such a call is refused. */
  readonly wrong: readonly string[];
}

/** The values at the JSON pointers that a tool declares as operands; `*` is each item. A place that the arguments leave out is
 * no operand. Undeclared operands and `none` point at nothing. */
export const operandPointers = (spec: ToolSpec, args: unknown): PointedOperands => {
  if (typeof spec.operands === 'string') return nothing;
  const found: { declared: DeclaredOperand; given: string }[] = [];
  const wrong: string[] = [];
  for (const declared of spec.operands) {
    // A spawn and a look into memory stand at no place of the arguments.
    if (declared.at === '') continue;
    const steps = declared.at.split('/').slice(1).map(unescaped);
    for (const value of valuesAt(args, steps)) {
      if (typeof value === 'string') found.push({ declared, given: value });
      else wrong.push(declared.at);
    }
  }
  return { found, wrong };
};

/** The one value at a JSON pointer, or undefined when nothing stands there. `*` names a member here. */
export const valueAt = (value: unknown, pointer: string): unknown => {
  let at = value;
  for (const step of pointer.split('/').slice(1).map(unescaped)) {
    if (typeof at !== 'object' || at === null) return undefined;
    if (Array.isArray(at) && !/^(0|[1-9][0-9]*)$/.test(step)) return undefined;
    at = own(at as Record<string, unknown>, step);
  }
  return at;
};

const nothing: PointedOperands = { found: [], wrong: [] };

const unescaped = (step: string): string => step.replaceAll('~1', '/').replaceAll('~0', '~');

/** Values below `value`. Something that is no container where one is wanted comes back as it is, so that it is refused: text
 * where a list of paths is declared would be a path that nobody looks at. */
const valuesAt = (value: unknown, steps: readonly string[]): readonly unknown[] => {
  const [step, ...rest] = steps;
  if (step === undefined) return [value];
  if (typeof value !== 'object' || value === null) return [notAContainer];
  if (step === '*') return Object.values(value).flatMap((item) => valuesAt(item, rest));
  if (Array.isArray(value) && !/^(0|[1-9][0-9]*)$/.test(step)) return [notAContainer];
  const next = own(value as Record<string, unknown>, step);
  return next === undefined ? [] : valuesAt(next, rest);
};

const notAContainer = null;
