import type { PolicySnapshot } from '@lockstep/policy';
import type { RuleId, ToolSpec } from '../events/parts.ts';
import type { SkillTools } from '../tools/skill-tools.ts';

/** One call as the gate sees it. */
export interface GateCall {
  readonly call: string;
  /** The name that the model used. */
  readonly alias: string;
  /** Null: no tool of that name exists for this agent. */
  readonly spec: ToolSpec | null;
  readonly args:
    | { readonly ok: true; readonly value: unknown }
    | { readonly ok: false; readonly message: string };
  readonly argsDigest: string;
}

/** What the gate reads of the turn: the effective policy and what the log says so far. */
export interface GateState {
  readonly policy: PolicySnapshot;
  /** Canonical ids that the model call which made this request was offered. */
  readonly advertised: readonly string[];
  /** Skills that were read in this turn: they narrow what may be called. */
  readonly skills: readonly SkillTools[];
  /** Session, principal and person that a binding names. */
  readonly session: string;
  readonly principal: string;
  /** A person's decision for this call, if one was made: the binding is computed again and compared. */
  readonly approval: { readonly id: string; readonly binding: string } | null;
}

/** The outcome of one judgement. Every member names the rule that decided. */
export type Verdict =
  | {
      readonly kind: 'allow';
      readonly rule: RuleId;
      readonly pattern: string | null;
      readonly why: string;
      readonly by: 'autonomy' | 'auto_approve' | 'grant' | 'approval';
      readonly grant: string | null;
      readonly approval: string | null;
      readonly binding: string;
    }
  | {
      readonly kind: 'ask';
      readonly rule: RuleId;
      readonly pattern: string | null;
      readonly why: string;
      readonly binding: string;
      /** False under `always_ask`: a standing grant is not offered. */
      readonly grantable: boolean;
    }
  | {
      readonly kind: 'refuse';
      readonly rule: RuleId;
      readonly pattern: string | null;
      /** For the operator. */
      readonly why: string;
      /** For the model: the outcome only. */
      readonly shown: string;
    };
