import type { BacktestTally } from '@lockstep/engine';
import type { AppliedConfig } from '@lockstep/policy';
import type { ListedTurn } from './turn-index.ts';

/** What a judging thread is started with. */
export interface JudgeData {
  /** The log's file. */
  readonly log: string;
  /** Position of the last event that is looked at. */
  readonly upTo: number;
  readonly draft: AppliedConfig;
}

export type JudgeRequest =
  { readonly kind: 'judge'; readonly turns: readonly ListedTurn[] } | { readonly kind: 'finish' };

/** One reply per request, in order. */
export type JudgeReply =
  | { readonly kind: 'judged' }
  | { readonly kind: 'tally'; readonly tally: BacktestTally }
  | { readonly kind: 'failed'; readonly message: string };
