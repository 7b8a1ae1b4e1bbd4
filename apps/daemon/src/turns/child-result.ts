import type { TurnAnswer } from '@lockstep/engine';

/** What the turn of a child leaves to the one that started it: its reply, or how it came to no reply. */
export interface ChildResult {
  readonly text: string;
  readonly isError: boolean;
}

/** Null while the turn is open. */
export const childResult = (answer: TurnAnswer): ChildResult | null => {
  const { status, agent, reply, reason } = answer;
  const because = reason === null ? '' : `: ${reason}`;
  switch (status) {
    case 'queued':
    case 'running':
    case 'waiting':
      return null;
    case 'completed':
      return { text: reply ?? '', isError: false };
    case 'failed':
      return { text: `the turn of agent \`${agent}\` failed${because}`, isError: true };
    case 'cancelled':
      return { text: `the turn of agent \`${agent}\` was cancelled${because}`, isError: true };
    case 'refused':
      return { text: `the turn of agent \`${agent}\` was refused${because}`, isError: true };
  }
};
