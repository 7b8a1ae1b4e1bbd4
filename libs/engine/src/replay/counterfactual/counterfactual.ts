import type { LockstepEvent } from '../../events/event.ts';
import { thisBuild, type Engine } from '../engine.ts';
import { recordingOf, type Recording } from '../recording.ts';
import type { ReplayHistory } from '../replay-turn.ts';
import type { CounterfactualAsk } from './ask.ts';
import type { CounterfactualReport } from './report.ts';

/** Compares turns of one history with what would have become of them. What they share is worked out once. */
export interface Counterfactuals {
  /** Ids of the turns that the history holds, in the order in which they began. */
  readonly turns: readonly string[];
  compare(turn: string, end: ReplayHistory['end'], ask: CounterfactualAsk): CounterfactualReport;
}

/** What would have become of a recorded turn on another path or under another policy. Pure: model, tools, people, timers and clock are
 * what the history says, and nothing is performed. */
export const counterfactual = (
  history: ReplayHistory,
  ask: CounterfactualAsk,
  engine: Engine = thisBuild,
): CounterfactualReport =>
  counterfactuals(history.events, engine).compare(history.turn, history.end, ask);

/** The same over a history of one or many turns. */
export const counterfactuals = (
  events: readonly LockstepEvent[],
  engine: Engine = thisBuild,
): Counterfactuals => counterfactualsOver(recordingOf(events), engine);

/** The same over a recording whose events are looked up as they are needed. */
export const counterfactualsOver = (
  recording: Recording,
  _engine: Engine = thisBuild,
): Counterfactuals => {
  return {
    turns: recording.turns,
    compare: (turn) => ({ outcome: 'stopped', turn, at: null, missing: 'the comparison' }),
  };
};
