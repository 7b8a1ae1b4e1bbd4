import type { TurnFact } from '../../events/event.ts';
import type { CommandOf } from '../commands.ts';
import { nothing, record, type Decision } from '../decision.ts';
import { closeOpenItems, endWithout } from '../ending.ts';
import { finish, isFinishDue } from '../finish.ts';
import { timeCaps, timeKey } from '../time-caps.ts';
import type { Ending, OpenTurn } from '../state.ts';

/** Who cancels a turn that an emergency stop reaches; whose stop it is stands in the reason. */
export const emergencyStop = 'emergency-stop';

/** A cancelled turn ends in the append of the request: what runs is cancelled, whatever it may yet do. */
export const cancel = ({ by, why, now }: CommandOf<'Cancel'>, state: OpenTurn): Decision => {
  const requested: TurnFact = { type: 'CancelRequested', data: { by, why } };
  return record([requested, ...endAtOnce(state, { code: 'cancelled', data: { by, why } }, now)]);
};

/** Active time is used up, of this turn with those below it or of one above: what runs is cancelled. */
export const timeOut = ({ now, outside = [] }: CommandOf<'TimeOut'>, state: OpenTurn): Decision => {
  const up = timeCaps(state, outside, now).find(
    ({ cap, used }) => cap !== 'unlimited' && used !== 'unknown' && used >= cap,
  );
  if (up === undefined || up.used === 'unknown' || up.cap === 'unlimited') return nothing;
  const { scope, cap, used } = up;
  const whose = scope === state.turn ? 'the turn' : `turn \`${scope}\`, above this one,`;
  const data = {
    key: timeKey,
    scope,
    cap,
    used,
    wanted: 0,
    why: `${whose} has used ${used} of ${cap} seconds of active time`,
  } as const;
  const exhausted: TurnFact = { type: 'BudgetExhausted', data };
  return record([exhausted, ...endAtOnce(state, { code: 'turn_timeout', data }, now)]);
};

/** A turn that the program cannot go on with fails: better than to stand still for ever. */
export const fail = ({ now, message, key }: CommandOf<'Fail'>, state: OpenTurn): Decision => {
  const data = key === undefined ? { message } : { message, key };
  return record(endAtOnce(state, { code: 'internal', data }, now));
};

/** Ends a turn of which nothing is left to do. */
export const finishTurn = ({ now }: CommandOf<'Finish'>, state: OpenTurn): Decision =>
  isFinishDue(state) ? record(finish(state, now)) : nothing;

/** More words for a running turn; the next model call sees them. */
export const steer = ({ text, by }: CommandOf<'Steer'>): Decision =>
  record([{ type: 'TurnSteered', data: { text: { inline: text }, by } }]);

const endAtOnce = (state: OpenTurn, ending: Ending, now: number): readonly TurnFact[] => {
  const cancelled = ending.code === 'cancelled';
  const why = cancelled ? ending.data.why : 'the turn ended';
  const reason = cancelled && ending.data.by === emergencyStop ? 'emergency_stop' : null;
  return [
    ...closeOpenItems(state, {
      reason: reason ?? (cancelled ? 'turn_cancelled' : 'turn_ended'),
      why,
    }),
    endWithout(state, ending, now),
  ];
};
