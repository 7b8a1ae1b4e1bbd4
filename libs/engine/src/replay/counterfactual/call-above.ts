import type { EventOf } from '../../events/event.ts';
import type { CounterfactualAsk } from './ask.ts';
import type { Counterfactuals } from './counterfactual.ts';
import type { Shared } from './walk.ts';

/** What the other policy makes of the call that started a turn. */
export type CallAbove =
  | { readonly kind: 'not_begun'; readonly why: string }
  | { readonly kind: 'unknown'; readonly note: string };

/** Whether the call of the turn above that started this one would still have been let through; null = it would, or nothing above it is
 * asked about. */
export const callAbove = (
  { recording }: Shared,
  {
    requested,
    ask,
    compare,
  }: {
    readonly requested: EventOf<'TurnRequested'>;
    readonly ask: CounterfactualAsk;
    readonly compare: Counterfactuals['compare'];
  },
): CallAbove | null => {
  const { call, records } = requested.data;
  const parent = records.parent?.turn;
  if (call == null || parent === undefined || ask.config === undefined || ask.start !== undefined)
    return null;
  if (recording.stream(`turn-${parent}`).length === 0) return null;
  const above = compare(parent, 'open', { config: ask.config });
  switch (above.outcome) {
    case 'compared': {
      const judged = above.verdicts.find((one) => one.call === call);
      if (judged?.change === 'beyond_horizon')
        return {
          kind: 'unknown',
          note: `the call that started this turn lies beyond the horizon of the turn \`${parent}\` above`,
        };
      if (judged?.change === 'newly_asked')
        return {
          kind: 'unknown',
          note: `a person would have been asked about the call that started this turn, by \`${judged.now?.rule ?? ''}\``,
        };
      return judged?.change === 'newly_refused'
        ? {
            kind: 'not_begun',
            why: `the call that started this turn would have been refused by \`${judged.now?.rule ?? ''}\`: ${judged.now?.why ?? ''}`,
          }
        : null;
    }
    case 'not_reachable':
      return {
        kind: 'not_begun',
        why: `the turn \`${parent}\` above would not have begun: ${above.why}`,
      };
    case 'stopped':
    case 'refused':
      return null;
  }
};
