import type { AppliedNarrowing, Principal, PolicySnapshot } from '@lockstep/policy';
import type { DataOf } from '../events/event.ts';
import type { Operand, RootsFact, ToolSpec, Touched } from '../events/parts.ts';
import type { StartedToolCall } from '../turn/started.ts';
import type { AbortSignalLike } from './model.ts';

/** Who a tool works for: decides which connection, workspace and secrets it sees. */
export interface ToolScope {
  readonly agent: string;
  readonly principal: Principal;
  readonly session: string;
  readonly turn: string;
  readonly policy: PolicySnapshot;
  /** The policy's digest. */
  readonly policyDigest: string;
  /** What took something away when the policy was resolved. */
  readonly narrowings: readonly AppliedNarrowing[];
}

/** What the machine says about the operands of a call: real paths, addresses, content digests. Pure facts, no verdict. */
export interface OperandFacts {
  readonly operands: readonly Operand[];
  readonly roots: RootsFact | null;
  readonly confined: boolean;
  /** Old content of the text file that the call writes, masked, for the view of an approval. Null or absent = there is none, or it
   * is too large or no text. */
  readonly before?: string | null;
  /** Turns that the call would start; their ids follow from the turn and the call, so that a restart finds them again. */
  readonly children?: readonly { readonly turn: string; readonly agent: string | null }[];
}

export type ToolOutcome =
  | {
      readonly ok: true;
      /** Unmasked only inside the port; masked here. */
      readonly text: string;
      readonly isError: boolean;
      readonly masked: number;
      readonly touched: readonly Touched[];
      /** Rows that a recall gave: recorded before the outcome. */
      readonly recalled?: Omit<DataOf<'MemoryRecalled'>, 'by' | 'call'>;
      /** The skill that was read: recorded before the outcome. */
      readonly activated?: Omit<DataOf<'SkillActivated'>, 'call'>;
    }
  | {
      readonly ok: false;
      readonly kind: 'timeout' | 'unavailable' | 'io' | 'protocol' | 'late_swap' | 'too_large';
      readonly message: string;
      readonly touched: readonly Touched[];
    }
  /** The call was handed over and nothing is known of its end (a server that died in mid call). */
  | {
      readonly ok: false;
      readonly kind: 'unknown';
      readonly message: string;
      readonly touched: readonly Touched[];
    };

/** All tool sources behind one port. It lists, looks and runs; it never judges. */
export interface ToolPort {
  /** Every tool that exists for this scope: built-in ones, and those of the servers that the policy's bundles name. Not filtered
   * by `tools.*`; that is the engine's work. Problems name servers that could not be listed. */
  list(scope: ToolScope): Promise<{
    readonly tools: readonly ToolSpec[];
    readonly problems: readonly { readonly server: string; readonly message: string }[];
  }>;
  /** Looks at the operands that the arguments name. */
  inspect(
    scope: ToolScope,
    spec: ToolSpec,
    args: unknown,
    /** The call that is looked at, unique in its turn. */
    call: string,
  ): Promise<OperandFacts>;
  /** Performs a call whose ToolCallStarted is in the log. */
  run(scope: ToolScope, started: StartedToolCall, signal: AbortSignalLike): Promise<ToolOutcome>;
}
