import type { LockstepEvent } from '@lockstep/engine';
import type { SettingKey } from '@lockstep/policy';
import type { ProbeProgress, ProbeRun } from './probes.port.ts';

/** A run as its stream tells it. `live`: how far it is, where this daemon runs it; null = it does not.
 * Null for a stream that is not of a run. */
export const probeRunOf = (
  id: string,
  events: readonly LockstepEvent[],
  live: ProbeProgress | null,
): ProbeRun | null => {
  const [first] = events;
  if (first?.type !== 'ProbesStarted') return null;
  const { by, agent, path, setting, config } = first.data;
  const turns = events.flatMap((event) => (event.type === 'ProbeRecorded' ? turnsOf(event) : []));
  const last = events.at(-1) ?? first;
  const base = {
    id,
    by,
    agent,
    path,
    setting: setting as SettingKey | null,
    configVersion: config.version,
    started: first.time,
    progress: live ?? { done: 0, of: 0, what: '' },
    tried: 0,
    recorded: countOf(events),
    problems: [],
    failure: null,
    turns,
  };
  if (last.type === 'ProbesCompleted') {
    const { tried, recorded, problems } = last.data;
    return { ...base, status: 'completed', ended: last.time, tried, recorded, problems };
  }
  if (last.type === 'ProbesFailed')
    return { ...base, status: 'failed', ended: last.time, failure: last.data.why };
  if (live !== null) return { ...base, status: 'running', ended: null };
  const failure = 'the daemon ended before the probes did';
  return { ...base, status: 'failed', ended: last.time, failure };
};

type Recorded = Extract<LockstepEvent, { readonly type: 'ProbeRecorded' }>;

/** The turns of a record that are what the trial is about, not those that started them or that they started. */
const turnsOf = ({ data: { agent, trigger, attack, events } }: Recorded) =>
  events.flatMap(({ type, meta }) =>
    type === 'TurnRequested' &&
    meta.agent === agent &&
    meta.trigger === trigger &&
    meta.turn !== null
      ? [{ turn: meta.turn, agent, trigger, attack }]
      : [],
  );

/** How many turns of any kind the records of a run hold. */
export const countOf = (events: readonly LockstepEvent[]): number =>
  events.reduce(
    (sum, event) =>
      event.type === 'ProbeRecorded'
        ? sum + event.data.events.filter(({ type }) => type === 'TurnRequested').length
        : sum,
    0,
  );
