import type { AppliedConfig } from '@lockstep/policy';
import type { EventOf, LockstepEvent } from '../../events/event.ts';
import { thisBuild, type Engine } from '../engine.ts';
import type { ExpectedVerdict } from '../history/header.ts';
import { recordingOf } from '../recording.ts';
import { configLines } from './config-tree.ts';
import { ddmin } from './ddmin.ts';
import { divergenceOf, isSameDivergence, type Divergence } from './divergence.ts';
import type { MinimizeReport } from './report.ts';
import { shrinkConfig } from './shrink-config.ts';
import { shrinkTurn } from './shrink-turn.ts';

/** Which divergence is to be shrunk. */
export interface MinimizeAsk {
  readonly turn: string;
  /** The config that is right, where the recorded one is the fault. Absent = the turn does not follow from its own config. */
  readonly under?: AppliedConfig;
  /** Which call; absent = the first whose verdict differs. */
  readonly call?: string;
  /** What is right where build and record differ: what this build gives (`replayed`, absent), or what was recorded, when the build is the
   * fault. */
  readonly right?: 'recorded' | 'replayed';
}

/** Events tried at most: a case that is not smallest then is still a case. */
const mostTries = 4_000;

/** The smallest history that diverges as the given one does: without turns, events, calls and parts of the config that do not matter.
 * Pure: nothing is performed. */
export const minimize = (
  events: readonly LockstepEvent[],
  ask: MinimizeAsk,
  engine: Engine = thisBuild,
): MinimizeReport => {
  const { turn } = ask;
  const found = divergenceOf(events, { ...ask, engine });
  switch (found.kind) {
    case 'same':
      return { outcome: 'does_not_diverge', turn };
    case 'stopped':
      return { outcome: 'stopped', turn, missing: found.missing };
    case 'refused':
      return { outcome: 'refused', turn, problems: found.problems };
    case 'diverges':
      return shrunk(events, { ask, engine, divergence: found.divergence });
  }
};

const shrunk = (
  events: readonly LockstepEvent[],
  {
    ask,
    engine,
    divergence,
  }: { readonly ask: MinimizeAsk; readonly engine: Engine; readonly divergence: Divergence },
): MinimizeReport => {
  let tried = 0;
  const holds = (part: readonly LockstepEvent[]): boolean => {
    if (tried >= mostTries) return false;
    tried += 1;
    return isSameDivergence(divergenceOf(part, { ...ask, engine }), divergence);
  };
  const { turn } = ask;
  const steps = [
    dropStreams,
    ...(divergence.verdict === null ? [] : [shrinkTurn(divergence.verdict.call)]),
    shrinkConfig,
    dropStreams,
  ];
  const smallest = steps.reduce((left, step) => step(left, { turn, holds }), events);
  return {
    outcome: 'minimized',
    turn,
    events: smallest,
    before: sizeOf(events, turn),
    after: sizeOf(smallest, turn),
    expected: expectedOf(divergence, ask),
    tried,
  };
};

/** One way to make a history smaller. */
export type Shrink = (
  events: readonly LockstepEvent[],
  at: { readonly turn: string; readonly holds: (part: readonly LockstepEvent[]) => boolean },
) => readonly LockstepEvent[];

/** Without streams and configs that the turn does not need. */
const dropStreams: Shrink = (events, { turn, holds }) => {
  const own = `turn-${turn}`;
  const groups = new Map<string, LockstepEvent[]>();
  for (const event of events) {
    const key = event.stream === 'config' ? `config@${event.revision}` : event.stream;
    groups.set(key, [...(groups.get(key) ?? []), event]);
  }
  const others = [...groups.keys()].filter((key) => key !== own);
  const part = (keys: readonly string[]): readonly LockstepEvent[] => {
    const kept = new Set(keys);
    return events.filter(
      ({ stream, revision }) =>
        stream === own || kept.has(stream === 'config' ? `config@${revision}` : stream),
    );
  };
  return part(ddmin(others, (keys) => holds(part(keys))));
};

const sizeOf = (
  events: readonly LockstepEvent[],
  turn: string,
): { readonly events: number; readonly configLines: number } => {
  const requested = events.find(
    (event): event is EventOf<'TurnRequested'> =>
      event.type === 'TurnRequested' && event.stream === `turn-${turn}`,
  );
  const applied = events.find(
    (event): event is EventOf<'ConfigApplied'> =>
      event.type === 'ConfigApplied' && event.data.version === requested?.data.config.version,
  );
  const text = applied === undefined ? null : recordingOf(events).textOf(applied.data.content);
  return {
    events: events.length,
    configLines: text?.ok === true ? configLines(JSON.parse(text.value)) : 0,
  };
};

const expectedOf = (
  { verdict }: Divergence,
  { turn, right = 'replayed' }: MinimizeAsk,
): ExpectedVerdict | null => {
  if (verdict === null) return null;
  const { call, tool, recorded, now } = verdict;
  return { turn, call, tool, ...(right === 'replayed' ? now : recorded) };
};
