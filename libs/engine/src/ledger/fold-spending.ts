import type { PolicySnapshot } from '@lockstep/policy';
import { addCost } from '../budget/price-of.ts';
import type { EventOf, LockstepEvent } from '../events/event.ts';
import type { ActionCount, BelowSpending, SpendingRecord } from '../ports/ledger.ts';
import { askerOf } from './asker.ts';
import { dropRow, setRow, type LedgerState } from './ledger-state.ts';

/** Length of the window of `max_actions_per_hour`, in ms. */
const hourMs = 3_600_000;
const minuteMs = 60_000;
const dayMs = 86_400_000;

/** The UTC day of a time, in days since the epoch. */
export const dayOf = (time: number): number => Math.floor(time / dayMs);

/** Key of the minute in which an agent made calls; an alias has no space. */
const minuteKey = (agent: string, time: number): string =>
  `${agent} ${Math.floor(time / minuteMs)}`;

const nothingBelow: BelowSpending = {
  tools: 0,
  tokens: 0,
  cost: 0,
  heldTokens: 0,
  heldCost: 0,
  activeMs: 0,
};

const turnOf = (event: LockstepEvent): string =>
  event.meta.turn ?? event.stream.replace(/^turn-/, '');

/** A turn joins the tree of the turn that started it. */
export const openSpending = (state: LedgerState, event: EventOf<'TurnRequested'>): void => {
  const turn = turnOf(event);
  const parent = event.meta.parent === null ? undefined : row(state, event.meta.parent);
  const { request } = event.data;
  const { agent } = request;
  const record: SpendingRecord = {
    turn,
    agent,
    parent: parent?.turn ?? null,
    root: parent?.root ?? turn,
    asker: parent?.asker ?? askerOf(state, request.principal, request.origin),
    open: true,
    budgets: null,
    started: { tools: 0, models: 0 },
    own: { tokens: 0, cost: 0 },
    held: { tokens: 0, cost: 0 },
    below: nothingBelow,
    tree: parent === undefined ? { members: [turn], open: 1 } : null,
  };
  setRow(state, 'spending', turn, record);
  if (parent === undefined) return;
  // The request of a child says what held for its parent.
  const { snapshot } = event.data.records.parent ?? {};
  if (snapshot !== undefined) limit(state, parent.turn, snapshot);
  changeTree(state, record.root, ({ members, open }) => ({
    members: [...members, turn],
    open: open + 1,
  }));
};

/** The budgets of a turn, where its policy stands inside the event. */
export const limitSpending = (
  state: LedgerState,
  event: EventOf<'PolicyResolved'> | EventOf<'PolicyNarrowed'>,
): void => {
  const { snapshot } = event.data;
  if ('inline' in snapshot) limit(state, turnOf(event), snapshot.inline);
};

const limit = (state: LedgerState, turn: string, { budgets }: PolicySnapshot): void => {
  const known = row(state, turn);
  if (known !== undefined) setRow(state, 'spending', turn, { ...known, budgets });
};

/** A tool call starts: an action of the agent, unless it is a further attempt of one. */
export const startTool = (state: LedgerState, event: EventOf<'ToolCallStarted'>): void => {
  if (event.data.attempt > 1) return;
  const known = row(state, turnOf(event));
  const agent = known?.agent ?? event.meta.agent;
  if (agent !== null) addAction(state, agent, event.time);
  if (known === undefined) return;
  const started = { ...known.started, tools: known.started.tools + 1 };
  setRow(state, 'spending', known.turn, { ...known, started });
  above(state, known, (below) => ({ ...below, tools: below.tools + 1 }));
};

const addAction = (state: LedgerState, agent: string, time: number): void => {
  const key = minuteKey(agent, time);
  const known = state.rows.actions.get(key);
  if (known === undefined) dropOldActions(state, time);
  const second = Math.floor(time / 1_000);
  const last = known?.at(-1);
  const before = known ?? [];
  const now: readonly ActionCount[] =
    last?.[0] === second ? before.with(-1, [second, last[1] + 1]) : [...before, [second, 1]];
  setRow(state, 'actions', key, now);
};

/** Whether a second may hold calls that are less than an hour old. */
export const isInHour = (second: number, now: number): boolean =>
  (second + 1) * 1_000 > now - hourMs;

/** What lies more than an hour back counts in no window any more, whoever's it is: the log's time never goes back. */
const dropOldActions = (state: LedgerState, now: number): void => {
  for (const [key, counts] of [...state.rows.actions])
    if (!isInHour(counts.at(-1)?.[0] ?? 0, now)) dropRow(state, 'actions', key);
};

/** A model call holds what it may use until its outcome settles it. */
export const startModel = (state: LedgerState, event: EventOf<'ModelCallStarted'>): void => {
  const known = row(state, turnOf(event));
  if (known === undefined) return;
  const { tokens, cost } = event.data.reserved;
  const held = { tokens, cost: cost === 'unknown' ? 0 : cost };
  const started = { ...known.started, models: known.started.models + 1 };
  setRow(state, 'spending', known.turn, { ...known, started, held });
  above(state, known, (below) => ({
    ...below,
    heldTokens: below.heldTokens + held.tokens,
    heldCost: below.heldCost + held.cost,
  }));
  const day = dayAt(state, known.agent, event.time);
  setRow(state, 'days', known.agent, { ...day, held: day.held + held.cost });
};

/** What a model call really used takes the place of what it held. */
export const settleModel = (
  state: LedgerState,
  event: EventOf<'ModelCallCompleted'> | EventOf<'ModelCallFailed'>,
): void => {
  const known = row(state, turnOf(event));
  if (known === undefined) return;
  const { tokens, cost } = event.data.settled;
  const { held } = known;
  setRow(state, 'spending', known.turn, {
    ...known,
    held: { tokens: 0, cost: 0 },
    own: { tokens: known.own.tokens + tokens, cost: addCost(known.own.cost, cost) },
  });
  above(state, known, (below) => ({
    ...below,
    tokens: below.tokens + tokens,
    cost: addCost(below.cost, cost),
    heldTokens: below.heldTokens - held.tokens,
    heldCost: below.heldCost - held.cost,
  }));
  const day = dayAt(state, known.agent, event.time);
  setRow(state, 'days', known.agent, {
    ...day,
    cost: addCost(day.cost, cost),
    held: day.held - held.cost,
  });
};

/** A turn ends: its active time counts for the turns above, and with the last one its tree is forgotten. */
export const closeSpending = (state: LedgerState, event: LockstepEvent): void => {
  const known = row(state, turnOf(event));
  if (known?.open !== true) return;
  setRow(state, 'spending', known.turn, { ...known, open: false });
  const activeMs = 'activeMs' in event.data ? event.data.activeMs : 0;
  above(state, known, (below) => ({ ...below, activeMs: below.activeMs + activeMs }));
  changeTree(state, known.root, ({ members, open }) => ({ members, open: open - 1 }));
  const tree = row(state, known.root)?.tree;
  if (tree == null || tree.open > 0) return;
  for (const member of tree.members) dropRow(state, 'spending', member);
};

const row = (state: LedgerState, turn: string): SpendingRecord | undefined =>
  state.rows.spending.get(turn);

const above = (
  state: LedgerState,
  { parent }: SpendingRecord,
  change: (below: BelowSpending) => BelowSpending,
): void => {
  for (let at = parent; at !== null;) {
    const known = row(state, at);
    if (known === undefined) return;
    setRow(state, 'spending', at, { ...known, below: change(known.below) });
    at = known.parent;
  }
};

type Tree = NonNullable<SpendingRecord['tree']>;

const changeTree = (state: LedgerState, root: string, change: (tree: Tree) => Tree): void => {
  const known = row(state, root);
  if (known?.tree == null) return;
  setRow(state, 'spending', root, { ...known, tree: change(known.tree) });
};

/** The day of an agent at a time; a new day starts with nothing, but what is in flight stays held. */
const dayAt = (state: LedgerState, agent: string, time: number) => {
  const known = state.rows.days.get(agent) ?? { day: 0, cost: 0, held: 0 };
  const day = dayOf(time);
  return day > known.day ? { day, cost: 0, held: known.held } : known;
};
