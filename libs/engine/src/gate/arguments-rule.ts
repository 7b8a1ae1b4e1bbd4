import type { ToolSpec } from '../events/parts.ts';
import { checkArguments } from '../tools/check-arguments.ts';
import { operandPointers } from '../tools/operand-pointers.ts';
import type { Withheld } from '../tools/withheld.ts';
import type { GateCall } from './verdict.ts';

export type JudgedArguments =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly withheld: Withheld; readonly shown: string };

/** Whether the arguments are JSON, fit the schema of the tool, and have text wherever an operand is declared. */
export const judgeArguments = (spec: ToolSpec, args: GateCall['args']): JudgedArguments => {
  if (!args.ok) return misfit(`the arguments are no JSON: ${args.message}`);
  const check = checkArguments(spec, args.value);
  if (!check.ok)
    return check.kind === 'mismatch'
      ? misfit(check.message)
      : misfit(`the schema of \`${spec.id}\` cannot be used: ${check.message}`, unusable);
  const [wrong] = operandPointers(spec, args.value).wrong;
  if (wrong !== undefined) return misfit(`\`${wrong}\` must be text`);
  return args;
};

const unusable = 'the call was refused: the tool cannot be used';

const misfit = (why: string, shown = `the call was refused: ${why}`): JudgedArguments => ({
  ok: false,
  withheld: { rule: 'gate.arguments', pattern: null, why },
  shown,
});
