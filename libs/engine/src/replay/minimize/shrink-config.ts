import { canonicalJson, digestOfText } from '@lockstep/policy';
import type { EventOf, LockstepEvent } from '../../events/event.ts';
import { inlineLimitBytes } from '../../events/content.ts';
import { utf8Bytes } from '../../log/size.ts';
import { recordingOf } from '../recording.ts';
import {
  isConfigTable,
  placesAt,
  withoutPlaces,
  type ConfigPlace,
  type ConfigTable,
} from './config-tree.ts';
import { ddmin } from './ddmin.ts';
import type { Shrink } from './minimize.ts';

/** Sections, then aliases, then keys, then what lies in them. */
const depths = [1, 2, 3, 4];

/** Each config without what does not matter, outer tables first: what is gone there is not looked into. */
export const shrinkConfig: Shrink = (events, { holds }) =>
  events
    .filter((event): event is EventOf<'ConfigApplied'> => event.type === 'ConfigApplied')
    .reduce<readonly LockstepEvent[]>((left, { id }) => shrinkOne(left, id, holds), events);

const shrinkOne = (
  events: readonly LockstepEvent[],
  id: string,
  holds: (part: readonly LockstepEvent[]) => boolean,
): readonly LockstepEvent[] => {
  const applied = events.find((event) => event.id === id);
  if (applied?.type !== 'ConfigApplied') return events;
  const text = recordingOf(events).textOf(applied.data.content);
  const config: unknown = text.ok ? JSON.parse(text.value) : null;
  if (!isConfigTable(config)) return events;
  const withConfig = (other: ConfigTable): readonly LockstepEvent[] =>
    rewritten(events, applied, other);
  const smallest = depths.reduce<ConfigTable>((left, depth) => {
    const places = placesAt(left, depth);
    const part = (kept: readonly ConfigPlace[]): ConfigTable => {
      const keep = new Set(kept);
      return withoutPlaces(
        left,
        places.filter((place) => !keep.has(place)),
      );
    };
    const kept = ddmin(places, (some) => holds(withConfig(part(some))));
    const smaller = part(kept);
    // What is smallest by parts is only taken where it holds: the whole may not have been tried.
    return holds(withConfig(smaller)) ? smaller : left;
  }, config);
  return smallest === config ? events : withConfig(smallest);
};

/** The history with another config in the place of one: all that cites it by its digest cites the other. */
const rewritten = (
  events: readonly LockstepEvent[],
  applied: EventOf<'ConfigApplied'>,
  config: ConfigTable,
): readonly LockstepEvent[] => {
  const text = canonicalJson(config);
  if (utf8Bytes(text) > inlineLimitBytes) return events;
  const digest = digestOfText(text);
  return events.map((event) => {
    if (event.id === applied.id)
      return {
        ...applied,
        data: { ...applied.data, content: { inline: text }, digest, diff: [], widens: [] },
      };
    return event.stream.startsWith('turn-')
      ? { ...event, data: cited(event.data, applied.data.digest, digest) }
      : event;
  }) as readonly LockstepEvent[];
};

const cited = (value: unknown, from: string, to: string): unknown => {
  if (value === from) return to;
  if (Array.isArray(value)) return value.map((one) => cited(one, from, to));
  if (!isConfigTable(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, cited(one, from, to)]));
};
