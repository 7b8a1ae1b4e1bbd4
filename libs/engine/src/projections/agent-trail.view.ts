import type { PathName, Trigger } from '@lockstep/policy';
import type { Position } from '../events/envelope.ts';
import type { EventType } from '../events/event.ts';
import type { RuleId } from '../events/parts.ts';
import type { StepTone } from './turn-detail.view.ts';

/** One entry of an agent's audit trail. */
export interface TrailEntry {
  readonly event: string;
  readonly type: EventType;
  readonly position: Position;
  readonly agentSeq: number | null;
  readonly at: number;
  readonly agent: string;
  readonly path: PathName | null;
  readonly trigger: Trigger | null;
  readonly turn: string | null;
  readonly session: string | null;
  readonly principal: string | null;
  readonly person: string | null;
  readonly tone: StepTone;
  readonly title: string;
  readonly detail: string | null;
  readonly tool: string | null;
  readonly verdict: 'allow' | 'ask' | 'refuse' | null;
  readonly rule: RuleId | null;
  readonly pattern: string | null;
  readonly approver: string | null;
}
