import type { Effect as ToolEffect } from '@lockstep/policy';
import type { Operand } from '../events/parts.ts';

/** What two calls are compared by. */
export interface Reach {
  readonly operands: readonly Operand[];
  readonly effects: readonly ToolEffect[];
}

/** Whether the order of two calls matters: one writes where the other reads or writes. Calls that nobody can place and that may
 * write count as writing everywhere. */
export const overlap = (a: Reach, b: Reach): boolean => writesInto(a, b) || writesInto(b, a);

const writesInto = (writer: Reach, other: Reach): boolean => {
  if (writesAnywhere(writer)) return writesAnywhere(other) || other.operands.some(isPath);
  return writer.operands.some(
    (one) =>
      one.kind === 'path' &&
      one.access !== 'read' &&
      other.operands.some((two) => two.kind === 'path' && isSameOrBelow(one, two)),
  );
};

const isPath = (operand: Operand): boolean => operand.kind === 'path';

const writesAnywhere = ({ operands, effects }: Reach): boolean =>
  // Where a process writes stands in no operand.
  effects.includes('execute') ||
  (effects.includes('write') && operands.some((operand) => operand.kind === 'undeclared'));

type PathOperand = Extract<Operand, { kind: 'path' }>;

const isSameOrBelow = (a: PathOperand, b: PathOperand): boolean => {
  const one = placeOf(a);
  const two = placeOf(b);
  return one === two || one.startsWith(`${two}/`) || two.startsWith(`${one}/`);
};

const placeOf = (operand: PathOperand): string => operand.real ?? operand.lexical;
