import type { PathName, Trigger } from '@lockstep/policy';
import type { Position } from '../events/envelope.ts';

export type TurnStatus =
  'queued' | 'running' | 'waiting' | 'completed' | 'failed' | 'cancelled' | 'refused';

/** One row of the list of turns. */
export interface TurnRow {
  readonly id: string;
  readonly agent: string;
  readonly path: PathName;
  readonly trigger: Trigger;
  readonly principal: string;
  readonly person: string | null;
  readonly session: string;
  readonly parent: string | null;
  readonly status: TurnStatus;
  readonly startedAt: number;
  readonly endedAt: number | null;
  readonly configVersion: number;
  readonly policyDigest: string | null;
  /** First 200 characters of the input, and of the reply. */
  readonly input: string;
  readonly reply: string | null;
  readonly modelCalls: number;
  readonly allowed: number;
  readonly refused: number;
  readonly asked: number;
  readonly tokens: number;
  /** Micro-dollars. */
  readonly cost: number | 'unknown';
  readonly position: Position;
}
