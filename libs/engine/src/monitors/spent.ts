import type { RecordedTurn } from './recorded-turn.ts';
import { waitsForOthers } from './tool-facts.ts';

/** What a turn has used up before an index, by the outcomes that it recorded. */
export interface Spent {
  readonly tokens: number;
  /** Micro-dollars. */
  readonly cost: number | 'unknown';
  /** Time in which a model call or a tool certainly ran, in ms: overlaps count once, waiting not at all. */
  readonly activeMs: number;
}

/** Adds up tokens, cost and certain activity before an index. */
export const usedBefore = (turn: RecordedTurn, index: number): Spent => {
  let tokens = 0;
  let cost: number | 'unknown' = 0;
  const spans: (readonly [from: number, to: number])[] = [];
  const waits = waitingCalls(turn);
  for (const { event, index: at } of turn.events) {
    if (at >= index) break;
    if (event.type === 'ModelCallCompleted' || event.type === 'ModelCallFailed') {
      const { settled, durationMs } = event.data;
      tokens += settled.tokens;
      cost = cost === 'unknown' || settled.cost === 'unknown' ? 'unknown' : cost + settled.cost;
      spans.push([event.time - durationMs, event.time]);
    } else if (event.type === 'ToolCallCompleted' || event.type === 'ToolCallFailed') {
      if (!waits.has(event.data.call))
        spans.push([event.time - event.data.durationMs, event.time]);
    }
  }
  return { tokens, cost, activeMs: covered(spans) };
};

/** Calls in flight after each start, by the start's index. A call that waits for a person or a child holds no place. */
export const inFlightAfter = (turn: RecordedTurn): ReadonlyMap<number, number> => {
  const after = new Map<number, number>();
  const open = new Set<string>();
  const waits = waitingCalls(turn);
  for (const { event, index } of turn.events)
    switch (event.type) {
      case 'ToolCallStarted':
        if (!waits.has(event.data.call)) open.add(event.data.call);
        after.set(index, open.size);
        break;
      case 'ToolCallCompleted':
      case 'ToolCallFailed':
      case 'ToolCallCancelled':
      case 'ToolCallOutcomeUnknown':
        open.delete(event.data.call);
        break;
    }
  return after;
};

const waitingCalls = (turn: RecordedTurn): ReadonlySet<string> =>
  new Set(
    turn
      .all('ToolCallStarted')
      .flatMap(({ event }) => (waitsForOthers.has(event.data.tool) ? [event.data.call] : [])),
  );

/** Total length of a union of spans. */
const covered = (spans: (readonly [from: number, to: number])[]): number => {
  let total = 0;
  let end = -Infinity;
  for (const [from, to] of spans.sort((a, b) => a[0] - b[0])) {
    total += Math.max(0, to - Math.max(from, end));
    end = Math.max(end, to);
  }
  return total;
};
