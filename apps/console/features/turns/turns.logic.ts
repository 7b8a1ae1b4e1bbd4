import {
  foldTurnDetail,
  turnList,
  type FoldedTurn,
  type LockstepEvent,
  type StepTone,
  type TurnEvent,
  type TurnListRow,
  type TurnStatus,
} from '@lockstep/engine';

export const turnStatuses: readonly TurnStatus[] = [
  'queued',
  'running',
  'waiting',
  'completed',
  'failed',
  'cancelled',
  'refused',
];

export const statusTone: Readonly<Record<TurnStatus, StepTone>> = {
  queued: 'neutral',
  running: 'neutral',
  waiting: 'waiting',
  completed: 'good',
  failed: 'bad',
  cancelled: 'neutral',
  refused: 'refused',
};

export const hasEnded = (status: TurnStatus): boolean =>
  status !== 'queued' && status !== 'running' && status !== 'waiting';

/** A page of turns. Rows may come without input and reply, where the reader's role does not show them. */
export type ShownRow = Omit<TurnListRow, 'input'> & { readonly input: string | null };
export interface TurnPage {
  readonly items: readonly ShownRow[];
  readonly next: string | null;
}

/** What of the list is wanted; null = all. */
export interface TurnFilter {
  readonly agent: string | null;
  readonly path: string | null;
  readonly status: string | null;
}

export const matchesTurn = (row: ShownRow, { agent, path, status }: TurnFilter): boolean =>
  (agent === null || row.agent === agent) &&
  (path === null || row.path === path) &&
  (status === null || row.status === status);

/** The list after one more event: a known row changes where it stands, a turn that just began stands first. */
export const foldTurns = (page: TurnPage, event: LockstepEvent): TurnPage => {
  const id = turnList.keyOf(event);
  if (id === null) return page;
  const known = page.items.find((row) => row.id === id) ?? null;
  if (known === null && !begins(event)) return page;
  if (known !== null && known.position >= event.position) return page;
  const next = turnList.fold(known === null ? null : { ...known, input: known.input ?? '' }, event);
  if (next === null) return page;
  return {
    ...page,
    items:
      known === null
        ? [next, ...page.items]
        : page.items.map((row) => (row === known ? next : row)),
  };
};

const begins = ({ type }: LockstepEvent): boolean =>
  type === 'MessageAccepted' || type === 'TurnRequested';

/** A new reading of the first page over what was there: rows that were fetched further down stay. */
export const mergeTurns = (before: TurnPage, read: TurnPage): TurnPage => {
  const fresh = new Set(read.items.map(({ id }) => id));
  const oldest = read.items.at(-1)?.startedAt ?? Number.POSITIVE_INFINITY;
  const further = before.items.filter((row) => !fresh.has(row.id) && row.startedAt <= oldest);
  if (read.next === null || further.length === 0) return read;
  return { items: [...read.items, ...further], next: before.next };
};

/** An older page under what is there. */
export const appendTurns = (before: TurnPage, older: TurnPage): TurnPage => {
  const known = new Set(before.items.map(({ id }) => id));
  return {
    items: [...before.items, ...older.items.filter(({ id }) => !known.has(id))],
    next: older.next,
  };
};

/** Rows that may be drawn now: new ones are held back while a person has the pointer on the list or looks further down. */
export const splitHeld = <Row extends { readonly id: string }>(
  rows: readonly Row[],
  shown: ReadonlySet<string> | null,
): { readonly drawn: readonly Row[]; readonly held: number } => {
  if (shown === null) return { drawn: rows, held: 0 };
  const first = rows.findIndex(({ id }) => shown.has(id));
  return first <= 0 ? { drawn: rows, held: 0 } : { drawn: rows.slice(first), held: first };
};

/** An open turn after one more event. */
export const foldOneTurn = <T extends FoldedTurn>(turn: T, event: LockstepEvent): T => {
  if (!isEventOf(turn.row.id, event) || event.position <= turn.row.position) return turn;
  const next = foldTurnDetail(turn, event);
  return next === null ? turn : { ...turn, ...next };
};

const isEventOf = (id: string, event: LockstepEvent): event is TurnEvent =>
  event.stream === `turn-${id}`;
