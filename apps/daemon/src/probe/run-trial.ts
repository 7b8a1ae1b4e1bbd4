import type { PolicySnapshot } from '@lockstep/policy';
import type { Inside } from '../outside.ts';
import type { Attack } from './attacks/attack.ts';
import { answer, askedBy } from './answerer.ts';
import type { Board, SeenTurn } from './board.ts';
import type { Errands } from './errands.ts';
import type { ProbeClock } from './probe-clock.ts';
import type { Way } from './way.ts';

export interface TrialParts {
  readonly board: Board;
  readonly clock: ProbeClock;
  readonly errands: Errands;
  readonly inside: Inside;
}

/** Keeps as many rows as one recall may bring, of those whom the turn before could recall of, in its own words. */
const keepRows = async (
  { board, inside, clock }: TrialParts,
  agent: string,
  { memory }: PolicySnapshot,
): Promise<void> => {
  const [turn] = board.playing;
  const recall = board.turn(turn ?? '')?.events.find(({ type }) => type === 'MemoryRecalled');
  if (recall?.type !== 'MemoryRecalled' || memory.backend === 'none') return;
  const { scope, query } = recall.data;
  const words = 'inline' in query ? query.inline : 'a probe';
  const limit = memory.recall_limit === 'unlimited' ? 1 : Math.min(memory.recall_limit, mostRows);
  const { retention_days: days } = memory;
  const { session, principal } = recall.meta;
  for (let n = 0; n <= limit; n += 1)
    await inside.memory.store(
      {
        row: `probe-${agent}-${recall.id}-${n}`,
        agent,
        person: scope.person.kind === 'person' ? scope.person.id : null,
        text: `${words} (${n})`,
        tags: [],
        turn: turn ?? '',
        call: `probe-${n}`,
        backend: memory.backend,
        expires: days === 'unlimited' ? 'never' : clock.now() + days * 24 * hourMs,
      },
      { principal, agent, session: session ?? '' },
    );
};

const mostRows = 50;

/** How long nothing may happen before a turn is given up, and how often it is looked at. */
const patienceMs = 5_000;
const lookMs = 40;
const hourMs = 3_600_000;
/** Words that a trigger can carry to the agent, where it carries any. */
const shortest = 'a probe';

export type TrialEnd =
  | { readonly kind: 'done' }
  /** No turn began: the way did not lead to one. */
  | { readonly kind: 'not_started' }
  /** Something of it neither ended nor asked. */
  | { readonly kind: 'stuck'; readonly turns: readonly string[] };

/** Plays one attack over one way: its turns one after the other, each to its end. */
export const runTrial = async (
  parts: TrialParts,
  way: Way,
  { agent, attack, policy }: { agent: string; attack: Attack; policy: PolicySnapshot },
): Promise<TrialEnd> => {
  const { board, clock, errands } = parts;
  // What the turns before used of an agent's hour is over.
  if (attack.sameHour !== true) clock.jump(hourMs + 60_000);
  errands.send(null);
  const turns = way.keepsSession ? (attack.turns?.(policy) ?? 1) : 1;
  let session: string | null = null;
  for (let n = 0; n < turns; n += 1) {
    board.begin({ agent, trigger: way.trigger, attack });
    const input = attack.input?.(policy) ?? shortest;
    await way.start(input, session);
    const end = await settled(parts, attack, policy);
    if (end.kind !== 'done') return end;
    const [turn] = board.playing;
    const first = turn === undefined ? null : board.turn(turn)?.events[0];
    session = first?.meta.session ?? session;
    if (attack.keepsRows === true && n === 0) await keepRows(parts, agent, policy);
  }
  return { kind: 'done' };
};

/** Answers what is asked and puts the clock forward until every turn has ended. */
const settled = async (
  parts: TrialParts,
  attack: Attack,
  policy: PolicySnapshot,
): Promise<TrialEnd> => {
  const { board } = parts;
  const answered = new Set<string>();
  let seen = -1;
  let quiet = 0;
  for (;;) {
    const count = board.turns().reduce((sum, { events }) => sum + events.length, 0);
    quiet = count === seen ? quiet + 1 : 0;
    seen = count;
    const open = board.turns().filter(({ ended }) => !ended);
    const isBegun = board.playing.size > 0 || board.turns().some(({ events }) => isRefused(events));
    if (open.length === 0 && isBegun && board.waits().length === 0) return { kind: 'done' };
    if (quiet * lookMs > patienceMs) return givenUp(parts, open, isBegun);
    const more = await answerAll(parts, attack, answered);
    // Not before all has come to rest: what still works would be charged with the time.
    if (!more && quiet >= 2 && isQuiet(parts, attack)) putForward(parts, attack, policy);
    await board.changed(lookMs);
  }
};

const givenUp = async (
  { inside }: TrialParts,
  open: readonly SeenTurn[],
  isBegun: boolean,
): Promise<TrialEnd> => {
  if (!isBegun) return { kind: 'not_started' };
  for (const { id } of open) await inside.turns.cancel(id, 'token:probe', 'given up');
  return { kind: 'stuck', turns: open.map(({ id }) => id) };
};

/** Whether something was answered that had not been. */
const answerAll = async (
  { board, inside }: TrialParts,
  attack: Attack,
  answered: Set<string>,
): Promise<boolean> => {
  const before = answered.size;
  for (const event of board.waits()) {
    const asked = askedBy(event);
    if (asked === null || answered.has(asked.id)) continue;
    answered.add(asked.id);
    const { turn, principal: asker } = event.meta;
    const isPlayed = turn !== null && board.playing.has(turn);
    const how = isPlayed ? (attack.answers ?? 'once') : 'once';
    await answer(inside, asked, { how, asker });
  }
  return answered.size > before;
};

const isRefused = (events: readonly { readonly type: string }[]): boolean =>
  events.at(-1)?.type === 'TurnRefused';

/** Whether the attack waits for the clock alone. */
const isQuiet = ({ board, inside }: TrialParts, attack: Attack): boolean => {
  if (board.hanging !== null) return true;
  if (attack.answers !== 'never' || board.waits().length === 0) return false;
  // A turn that still works, and only slowly, has not come to rest.
  return board.turns().every(({ id, ended }) => ended || inside.turns.isWaiting(id));
};

const putForward = ({ board, clock }: TrialParts, attack: Attack, policy: PolicySnapshot): void => {
  const { approval, budgets } = policy;
  const limit =
    board.hanging === 'model'
      ? budgets.turn_timeout_secs
      : board.hanging === 'tool'
        ? budgets.tool_timeout_secs
        : approval.timeout_secs;
  board.hanging = null;
  if (attack.answers !== 'never' && attack.hangs === undefined) return;
  clock.jump(limit === 'unlimited' ? hourMs : limit * 1_000 + 1_000);
};
