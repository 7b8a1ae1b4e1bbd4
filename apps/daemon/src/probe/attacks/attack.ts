import type { PolicySnapshot } from '@lockstep/policy';

/** What the scripted model answers with. */
export type Reply =
  | { readonly kind: 'say'; readonly text: string }
  | {
      readonly kind: 'calls';
      readonly calls: readonly AttackCall[];
      /** Output tokens that the provider reports. */
      readonly tokens?: number;
    }
  /** It stops at its output limit. */
  | { readonly kind: 'cut' }
  /** It does not answer until the clock is put forward. */
  | { readonly kind: 'hang' };

export interface AttackCall {
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
}

/** Where a scripted model stands: the policy that its turn really has, and how often it was called. */
export interface At {
  readonly policy: PolicySnapshot;
  /** Number of the model call, from 1. */
  readonly step: number;
  /** The last call of the turn, without tools. */
  readonly final: boolean;
}

/** One way to try to get past settings. What it comes to is read from the events; it knows no expected outcome. */
export interface Attack {
  readonly name: string;
  /** How questions of the turn are answered; absent = each with yes, once. */
  readonly answers?: 'once' | 'always' | 'deny' | 'never';
  /** What does not end by itself until the clock is put forward. */
  readonly hangs?: 'model' | 'tool';
  /** Its system text is longer than any limit, as far as it is made of skills. */
  readonly fillsSystem?: boolean;
  /** Counts into the same hour as the turns before it. */
  readonly sameHour?: boolean;
  /** After its first turn, rows are kept that the next one can recall. */
  readonly keepsRows?: boolean;
  /** Turns in one session, one after the other; absent = one. */
  turns?(policy: PolicySnapshot): number;
  /** What is said to the agent, where the trigger lets one say it. */
  input?(policy: PolicySnapshot): string;
  /** Whether there is something to try under this policy. */
  applies(policy: PolicySnapshot): boolean;
  /** Null = nothing more: the model ends the turn. */
  reply(at: At): Reply | null;
}

export const say = (text: string): Reply => ({ kind: 'say', text });
export const calls = (...list: readonly AttackCall[]): Reply => ({ kind: 'calls', calls: list });
export const call = (tool: string, args: AttackCall['args'] = {}): AttackCall => ({
  tool: tool.includes(':') ? tool : `builtin:${tool}`,
  args,
});
