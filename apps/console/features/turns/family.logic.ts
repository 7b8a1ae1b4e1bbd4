import type { FoldedTurn, LockstepEvent } from '@lockstep/engine';
import { foldTurns, type TurnPage } from './turns.logic.ts';

type Origin = NonNullable<FoldedTurn['origin']>;

/** Where a turn came from: words, and the place where that stands. */
export interface Cause {
  readonly text: string;
  readonly href: string | null;
}

/** What started a turn, in words, with the way there. */
export const causeOf = (origin: Origin): Cause => {
  switch (origin.kind) {
    case 'channel':
      return { text: `channel ${origin.binding}`, href: '/work?tab=channels' };
    case 'json_rpc':
      return { text: `JSON-RPC connection ${origin.connection}`, href: null };
    case 'acp':
      return { text: `ACP connection ${origin.connection}`, href: null };
    case 'rest':
    case 'websocket':
    case 'openai':
      return { text: `a caller of ${callerWords[origin.kind]}`, href: null };
    case 'cron':
      return { text: `job ${origin.job}`, href: `/work?tab=jobs&job=${origin.job}` };
    case 'heartbeat':
      return { text: 'the heartbeat of the agent', href: '/work?tab=jobs' };
    case 'run':
      return { text: 'lockstep run', href: null };
    case 'subagent':
      return { text: 'the same agent, by spawn', href: `/turns/${origin.parent}` };
    case 'delegate':
      return { text: `another agent, by delegation`, href: `/turns/${origin.parent}` };
    case 'sop':
      return {
        text: `step ${origin.step} of a procedure`,
        href: `/work?tab=procedures&run=${origin.run}`,
      };
    case 'peer':
      return {
        text: `a peer of group ${origin.group} on ${origin.channel}`,
        href: `/turns/${origin.parent}`,
      };
  }
};

const callerWords = {
  rest: 'REST',
  websocket: 'the WebSocket',
  openai: 'chat completions',
} as const;

/** The turns that one turn started, after one more event: others of the log leave the list alone. */
export const foldChildren =
  (parent: string) =>
  (page: TurnPage, event: LockstepEvent): TurnPage =>
    event.meta.parent === parent ? foldTurns(page, event) : page;

/** The event that is looked at stands in the address with its turn, when that is a child. */
export const eventPlace = (
  event: string,
  of: string,
  page: string,
): Readonly<Record<'event' | 'of', string | null>> => ({ event, of: of === page ? null : of });
