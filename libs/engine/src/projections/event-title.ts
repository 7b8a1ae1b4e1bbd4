import type { EventType, LockstepEvent } from '../events/event.ts';
import { otherTitles } from './titles/other-titles.ts';
import type { Said, SayAll } from './titles/said.ts';
import { turnTitles } from './titles/turn-titles.ts';

/** The words of every event type: one that has none does not compile. */
const titles: SayAll<EventType> = { ...turnTitles, ...otherTitles };

/** One event in plain words, for timelines and trails; what a replay would record, too. */
export const eventTitle = (event: Pick<LockstepEvent, 'type' | 'data'>): Said => {
  const say = titles[event.type] as (data: LockstepEvent['data']) => Said;
  return say(event.data);
};
