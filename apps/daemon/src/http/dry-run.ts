import type { RuleId } from '@lockstep/engine';
import type { PathName, Resolution, Trigger } from '@lockstep/policy';
import type { Caller } from '../access/caller.ts';

/** What the gate would say of a call now, on one path. Nothing is run and nothing recorded. */
export interface Explanation {
  readonly tool: string;
  readonly path: PathName;
  readonly trigger: Trigger;
  readonly verdict: 'allow' | 'ask' | 'refuse';
  readonly rule: RuleId;
  readonly pattern: string | null;
  readonly why: string;
  readonly config: { readonly version: number; readonly digest: string };
}

/** Which way a turn would come. */
export interface Way {
  readonly path?: PathName | undefined;
  readonly trigger?: Trigger | undefined;
}

/** Policies and verdicts for reading only. */
export interface DryRun {
  policy(agent: string, way: Way, caller: Caller): Resolution;
  explain(
    agent: string,
    call: { readonly tool: string; readonly args: unknown } & Way,
    caller: Caller,
  ): Promise<
    | { readonly ok: true; readonly explanation: Explanation }
    | Extract<Resolution, { readonly ok: false }>
  >;
}
