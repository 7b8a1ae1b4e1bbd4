import {
  eventLimitBytes,
  type Artifacts,
  type DataOf,
  type Fact,
  type LockstepEvent,
} from '@lockstep/engine';
import type { FactRecorder } from '../record-fact.ts';
import type { TrialRecord } from './trial-record.ts';

/** Stream of a run. */
export const streamOf = (run: string): string => `probe-${run}`;

type Record = DataOf<'ProbeRecorded'>;

/** Room for the envelope around what is recorded. */
const mostBytes = eventLimitBytes - 16 * 1024;

/** Keeps a trial in the log: its events inside events of their own kind, on the stream of the run. Answers the number of its turns.
 * @throws RangeError when one of its events is larger than an event may be */
export const recordTrial = async (
  { artifacts, recorder }: { readonly artifacts: Artifacts; readonly recorder: FactRecorder },
  run: string,
  { agent, trigger, attack, events, texts }: TrialRecord,
): Promise<number> => {
  for (const text of texts) await artifacts.put(text);
  for (const part of partsOf(events.map((event) => marked(event, run)))) {
    const fact: Fact = { type: 'ProbeRecorded', data: { agent, trigger, attack, events: part } };
    await recorder.record(streamOf(run), [fact], { principal: null, probe: run });
  }
  return events.filter(({ type }) => type === 'TurnRequested').length;
};

const marked = (event: LockstepEvent, run: string): Record['events'][number] => ({
  ...event,
  data: { ...event.data },
  meta: { ...event.meta, probe: run },
});

const partsOf = (events: Record['events']): readonly Record['events'][] => {
  const parts: Record['events'][] = [];
  let bytes = 0;
  for (const event of events) {
    const size = Buffer.byteLength(JSON.stringify(event), 'utf8') + 1;
    const last = parts.at(-1);
    if (last === undefined || bytes + size > mostBytes) {
      parts.push([event]);
      bytes = size;
    } else {
      last.push(event);
      bytes += size;
    }
  }
  return parts;
};
