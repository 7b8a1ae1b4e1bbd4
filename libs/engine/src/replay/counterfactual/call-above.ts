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
  if (above.outcome === 'not_reachable')
    return {
      kind: 'not_begun',
      why: `the turn \`${parent}\` above would not have begun: ${above.why}`,
    };
  return above.outcome === 'compared' ? judgedAbove(above, parent, call) : null;
};

type Compared = Extract<ReturnType<Counterfactuals['compare']>, { outcome: 'compared' }>;

const judgedAbove = ({ verdicts }: Compared, parent: string, call: string): CallAbove | null => {
  const judged = verdicts.find((one) => one.call === call);
  const by = `by \`${judged?.now?.rule ?? ''}\``;
  switch (judged?.change) {
    case 'beyond_horizon':
      return {
        kind: 'unknown',
        note: `the call that started this turn lies beyond the horizon of the turn \`${parent}\` above`,
      };
    case 'newly_asked':
      return {
        kind: 'unknown',
        note: `a person would have been asked about the call that started this turn, ${by}`,
      };
    case 'newly_refused':
      return {
        kind: 'not_begun',
        why: `the call that started this turn would have been refused ${by}: ${judged.now?.why ?? ''}`,
      };
    case 'unchanged':
    case 'newly_allowed':
    case undefined:
      return null;
  }
};
