import type { LockstepEvent, TurnFact } from '../events/event.ts';
import type { ComparedStep } from './counterfactual/report.ts';
import type { ReplayReport } from './report.ts';

/** The two timelines of a strict replay. What stands behind the first difference was not made again: it lies beyond the horizon.
 * @param events those of the turn
 * @returns empty for a history that was refused */
export const replaySteps = (
  report: ReplayReport,
  events: readonly LockstepEvent[],
): readonly ComparedStep[] => {
  if (report.outcome === 'refused') return [];
  const steps = events.map((event, at): ComparedStep => {
    const { revision, id, type, time, position } = event;
    const fact = { type, data: event.data } as TurnFact;
    const recorded = { at: { revision, id, type, time, position }, fact };
    if (at < report.events) return { recorded, now: fact, state: 'same', fields: [] };
    return report.outcome === 'diverged' && at === report.events
      ? { recorded, now: report.replayed, state: 'differs', fields: report.fields }
      : { recorded, now: null, state: 'beyond_horizon', fields: [] };
  });
  // The replay records more than the history holds.
  return report.outcome === 'diverged' && report.at === null && report.replayed !== null
    ? [...steps, { recorded: null, now: report.replayed, state: 'differs', fields: [] }]
    : steps;
};
