import type { PathName } from '@lockstep/policy';
import type { Position } from '../events/envelope.ts';
import type { TurnStatus } from './turn-list.view.ts';

/** What a caller gets of a turn, finished or not. */
export interface TurnAnswer {
  readonly id: string;
  readonly status: TurnStatus;
  readonly session: string;
  readonly agent: string;
  readonly path: PathName;
  readonly reply: string | null;
  /** Why it was refused, failed or cancelled, for the caller. */
  readonly reason: string | null;
  readonly usage: {
    readonly inputTokens: number;
    readonly outputTokens: number;
    readonly tokens: number;
    /** Micro-dollars. */
    readonly cost: number | 'unknown';
    readonly modelCalls: number;
    readonly toolCalls: number;
  };
  /** Approvals and questions that the turn waits for. */
  readonly approvals: readonly string[];
  readonly position: Position;
}
