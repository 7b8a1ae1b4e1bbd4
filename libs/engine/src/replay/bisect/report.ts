import type { SettingKey } from '@lockstep/policy';
import type { VerdictSeen } from '../counterfactual/report.ts';
import type { EventRef, HistoryProblem } from '../report.ts';

/** Which config version and which keys flipped a verdict. */
export type BisectReport =
  | {
      readonly outcome: 'found';
      readonly turn: string;
      readonly call: string;
      readonly tool: string;
      /** The last version that gives the one verdict, and the first after it that gives the other. */
      readonly before: { readonly version: number; readonly verdict: VerdictSeen };
      readonly after: {
        readonly version: number;
        readonly verdict: VerdictSeen;
        readonly by: string;
        readonly time: number;
      };
      /** The smallest change of config that flips it, as paths in the file with both values in canonical JSON. */
      readonly keys: readonly BisectKey[];
      readonly tried: number;
    }
  /** No version gives another verdict, or the turn was judged otherwise than its own config says: the fault is not in config. */
  | {
      readonly outcome: 'not_config';
      readonly turn: string;
      readonly call: string;
      readonly why: string;
      /** The first event that does not follow from the turn's own config; null = all do. */
      readonly at: EventRef | null;
    }
  | { readonly outcome: 'stopped'; readonly turn: string; readonly missing: string }
  | {
      readonly outcome: 'refused';
      readonly turn: string;
      readonly problems: readonly HistoryProblem[];
    };

/** One key of a config that changed. */
export interface BisectKey {
  readonly path: string;
  readonly before: string | null;
  readonly after: string | null;
  readonly setting: SettingKey | null;
}
