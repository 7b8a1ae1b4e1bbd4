import { perTurn } from './monitor.ts';
import type { RecordedTurn } from './recorded-turn.ts';
import { waitsForOthers } from './tool-facts.ts';

/** What a turn has used up before an index, by the outcomes that it recorded. */
export interface Spent {
  readonly tokens: number;
  /** Micro-dollars. */
  readonly cost: number | 'unknown';
  /** Sum of the times in which a model call or a tool ran, in ms: overlaps count as often as they are. */
  readonly busyMs: number;
}

/** Adds up tokens, cost and activity before an index. */
export const usedBefore = (turn: RecordedTurn, index: number): Spent =>
  sums(turn)[index] ?? nothing;

/** Time before an index in which a model call or a tool certainly ran, in ms: overlaps count once, waiting not at all. */
export const activeBefore = (turn: RecordedTurn, index: number): number => {
  const waits = waitingCalls(turn);
  const spans: (readonly [from: number, to: number])[] = [];
  for (const { event, index: at } of turn.events) {
    if (at >= index) break;
    const ms = busy(event, waits);
    if (ms > 0) spans.push([event.time - ms, event.time]);
  }
  return covered(spans);
};

/** Calls in flight after each start, by the start's index. A call that waits for a person or a child holds no place. */
export const inFlightAfter = perTurn((turn): ReadonlyMap<number, number> => {
  const after = new Map<number, number>();
  const open = new Set<string>();
  const waits = waitingCalls(turn);
  for (const { event, index } of turn.events)
    if (event.type === 'ToolCallStarted') {
      if (!waits.has(event.data.call)) open.add(event.data.call);
      after.set(index, open.size);
    } else if (
      event.type === 'ToolCallCompleted' ||
      event.type === 'ToolCallFailed' ||
      event.type === 'ToolCallCancelled' ||
      event.type === 'ToolCallOutcomeUnknown'
    )
      open.delete(event.data.call);
  return after;
});

type Recorded = RecordedTurn['events'][number]['event'];

const nothing: Spent = { tokens: 0, cost: 0, busyMs: 0 };

const sums = perTurn((turn): readonly Spent[] => {
  const waits = waitingCalls(turn);
  let spent = nothing;
  return turn.events.map(({ event }) => {
    const before = spent;
    const busyMs = before.busyMs + busy(event, waits);
    if (event.type === 'ModelCallCompleted' || event.type === 'ModelCallFailed') {
      const { tokens, cost } = event.data.settled;
      spent = {
        tokens: before.tokens + tokens,
        cost: before.cost === 'unknown' || cost === 'unknown' ? 'unknown' : before.cost + cost,
        busyMs,
      };
    } else if (busyMs !== before.busyMs) spent = { ...before, busyMs };
    return before;
  });
});

const busy = (event: Recorded, waits: ReadonlySet<string>): number => {
  if (event.type === 'ModelCallCompleted' || event.type === 'ModelCallFailed')
    return event.data.durationMs;
  if (event.type === 'ToolCallCompleted' || event.type === 'ToolCallFailed')
    return waits.has(event.data.call) ? 0 : event.data.durationMs;
  return 0;
};

const waitingCalls = perTurn(
  (turn): ReadonlySet<string> =>
    new Set(
      turn
        .all('ToolCallStarted')
        .flatMap(({ event }) => (waitsForOthers.has(event.data.tool) ? [event.data.call] : [])),
    ),
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
