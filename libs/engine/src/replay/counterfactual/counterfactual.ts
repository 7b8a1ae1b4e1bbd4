import type { LockstepEvent } from '../../events/event.ts';
import { checkOrder, checkTurn } from '../check-history.ts';
import { thisBuild, type Engine } from '../engine.ts';
import type { Unfed } from '../fed.ts';
import { pastOf } from '../past.ts';
import { recordingOf, type Recording } from '../recording.ts';
import type { HistoryProblem } from '../report.ts';
import type { ReplayHistory } from '../replay-turn.ts';
import type { CounterfactualAsk } from './ask.ts';
import { begin } from './begin.ts';
import { comparedReport, nothingJudged, startThen } from './compared-report.ts';
import { policiesUnder } from './policies-under.ts';
import type { CounterfactualReport } from './report.ts';
import { callAbove } from './call-above.ts';
import { refOf } from './verdicts.ts';
import { walkTurn } from './walk-turn.ts';
import type { Shared } from './walk.ts';

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
): Counterfactuals => over(recordingOf(events), engine, checkOrder(events));

/** The same over a recording whose events are looked up as they are needed. */
export const counterfactualsOver = (
  recording: Recording,
  engine: Engine = thisBuild,
): Counterfactuals => over(recording, engine, []);

const over = (
  recording: Recording,
  engine: Engine,
  disorder: readonly HistoryProblem[],
): Counterfactuals => {
  const shared: Shared = {
    ...workedOut(engine),
    engine,
    recording,
    past: pastOf(recording, engine),
  };
  const compare: Counterfactuals['compare'] = (turn, end, ask) => {
    const problems = [...disorder, ...checkTurn(recording, turn, end)];
    return problems.length > 0
      ? { outcome: 'refused', turn, problems }
      : compareTurn(shared, { turn, ask, compare });
  };
  return { turns: recording.turns, compare };
};

/** Policies and lists of tools do not depend on the history: they are kept from one to the next. */
const workedOut = (engine: Engine): Pick<Shared, 'policies' | 'offered'> => {
  const known = kept.get(engine);
  if (known !== undefined) return known;
  const made = { policies: policiesUnder(engine), offered: new Map() };
  kept.set(engine, made);
  return made;
};

const kept = new WeakMap<Engine, Pick<Shared, 'policies' | 'offered'>>();

interface Asked {
  readonly turn: string;
  readonly ask: CounterfactualAsk;
  readonly compare: Counterfactuals['compare'];
}

const compareTurn = (shared: Shared, { turn, ask, compare }: Asked): CounterfactualReport => {
  const [requested, second] = shared.recording.stream(`turn-${turn}`);
  if (requested?.type !== 'TurnRequested' || second === undefined)
    return { outcome: 'stopped', turn, at: null, missing: 'the request of the turn' };
  const began = begin(shared, turn, { requested, second, ask });
  const recorded = startThen(requested);
  switch (began.kind) {
    case 'unfed':
      return unfedReport(turn, requested, began.unfed);
    case 'refused':
      return second.type === 'TurnRefused'
        ? nothingJudged(shared, { turn, ask, recorded, now: began.start, from: null })
        : { outcome: 'not_reachable', turn, now: began.start, why: began.why };
    case 'allowed': {
      const from = began.stopped ? null : { event: second, note: 'the turn would have begun' };
      return nothingJudged(shared, { turn, ask, recorded, now: began.start, from });
    }
    case 'walk': {
      const above = callAbove(shared, { requested, ask, compare });
      if (above?.kind === 'not_begun')
        return { outcome: 'not_reachable', turn, now: began.start, why: above.why };
      if (above !== null) {
        const from = { event: requested, note: above.note };
        return nothingJudged(shared, { turn, ask, recorded, now: began.start, from });
      }
      const { walk } = began;
      walkTurn(walk);
      const event = walk.events[walk.at] ?? null;
      return walk.unfed === null
        ? comparedReport(walk, recorded, began.start)
        : unfedReport(turn, event, walk.unfed);
    }
  }
};

const unfedReport = (
  turn: string,
  event: LockstepEvent | null,
  unfed: Unfed,
): CounterfactualReport =>
  'damaged' in unfed
    ? { outcome: 'refused', turn, problems: [unfed.damaged] }
    : {
        outcome: 'stopped',
        turn,
        at: event === null ? null : refOf(event),
        missing: unfed.missing,
      };
