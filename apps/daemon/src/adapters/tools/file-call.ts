import type { RootsFact, Touched } from '@lockstep/engine';
import type { PolicySnapshot } from '@lockstep/policy';
import type { PathOperand } from './inspect-path.ts';
import { ToolFailure } from './tool-failure.ts';

/** A call of a file tool whose path was authorized. */
export interface FileCall {
  readonly args: Readonly<Record<string, unknown>>;
  readonly operand: PathOperand;
  /** The authorized real path: the only one that is opened. */
  readonly real: string;
  readonly policy: PolicySnapshot;
  readonly roots: RootsFact;
  readonly signal: AbortSignal;
  /** Grows as things are opened. */
  readonly touched: Touched[];
}

/** @throws ToolFailure when an argument is not the text that the tool's schema asks for */
export const textArg = (args: Readonly<Record<string, unknown>>, key: string): string => {
  const value = args[key];
  if (typeof value !== 'string')
    throw new ToolFailure('protocol', `the argument \`${key}\` is missing`);
  return value;
};
