import type { LockstepEvent } from '../../events/event.ts';

/** Whether an event ends its turn. */
export const isTerminal = ({ type }: LockstepEvent): boolean =>
  type === 'TurnCompleted' ||
  type === 'TurnFailed' ||
  type === 'TurnCancelled' ||
  type === 'TurnRefused';
