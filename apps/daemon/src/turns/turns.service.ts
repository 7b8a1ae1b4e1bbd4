import {
  evolve,
  initialState,
  type ChildLink,
  type DecidedBy,
  type Position,
  type TurnAnswer,
  type TurnCommand,
} from '@lockstep/engine';
import { answerOf, droppedAnswer, placeOf, queuedAnswer } from './answer.ts';
import { childResult } from './child-result.ts';
import { gatesFrom, gatesIn, type FamilyMember } from './families.ts';
import { Waiters } from './waiters.ts';
import { Approvals } from './approvals.ts';
import { Deltas } from './deltas.ts';
import type { Dispatch } from './dispatch-turn.command.ts';
import { LaunchTurn } from './launch-turn.ts';
import { originPath } from './origin-path.ts';
import { PastTurns } from './past-turns.ts';
import { recordedBelow } from './recorded-below.ts';
import { Records } from './records-of.ts';
import { recover } from './recovery.ts';
import { RunningTurns } from './running-turns.ts';
import { StandingGrants } from './standing-grants.ts';
import { settleOutcome } from './settle-outcome.ts';
import { SeenDigests } from './seen-digests.ts';
import { Spending } from './spending.ts';
import { ToolCatalogs } from './tool-catalog.ts';
import { hydrate, type Texts } from './turn-contents.ts';
import type { TurnParts } from './turn-parts.ts';
import type { TurnRunner } from './turn-runner.ts';
import type {
  ApprovalDecision,
  DeciderRights,
  Delta,
  DecisionResult,
  GateDecider,
  LaunchResult,
  TurnRequest,
  Turns,
} from './turns.port.ts';

/** What other parts of the daemon may ask of running turns. */
export class TurnsService implements Turns {
  readonly running: RunningTurns;
  readonly #parts: TurnParts;
  readonly #launcher: LaunchTurn;
  readonly #approvals: Approvals;
  readonly #grants: StandingGrants;
  readonly #deltas: Deltas;
  readonly #listeners = new Set<(turn: string) => void>();
  readonly #flagListeners = new Set<() => void>();
  readonly #settling = new Waiters();
  #stopping = false;
  /** Answers of the last turns that ended: who waited for one asks at once. */
  readonly #ended = new Map<string, Promise<TurnAnswer>>();

  /** @param dispatch null = without a bus: straight to the runner */
  constructor(parts: TurnParts, dispatch: Dispatch | null) {
    this.#parts = parts;
    this.#deltas = new Deltas();
    const records = new Records({
      ...parts,
      live: (turn) => {
        const runner = this.running.find(turn);
        return runner === null ? null : { state: runner.state, meta: runner.log.meta };
      },
    });
    this.running = new RunningTurns({
      ...parts,
      records,
      spending: new Spending({
        ledger: parts.ledger,
        clock: parts.clock,
        live: (turn) => {
          const state = this.running.find(turn)?.state;
          return state?.status === 'open' ? state : null;
        },
      }),
      deltas: this.#deltas,
      catalogs: new ToolCatalogs(parts.tools),
      past: new PastTurns(parts),
      recorded: new SeenDigests(),
      startedAt: parts.clock.now(),
    });
    this.#launcher = new LaunchTurn(
      parts,
      records,
      dispatch ?? ((command) => this.running.begin(command)),
    );
    this.#approvals = new Approvals(parts, this.running);
    this.#grants = new StandingGrants(parts);
    this.running.onRest((runner, turn) => {
      this.#rested(runner, turn);
    });
  }

  /** Takes up what an earlier run left. Call once, before the first request. */
  async recover(): Promise<{ readonly turns: number; readonly messages: number }> {
    // Config may have changed while no daemon ran: nothing goes on under a grant that it denies.
    await this.#grants.judge();
    const found = await recover(this.#parts, { running: this.running, launcher: this.#launcher });
    for (const { turn } of this.#parts.ledger.openTurns()) await this.#report(turn);
    return found;
  }

  /** Takes no more turns, and lets what runs come to an end or to a point from which it can be taken up.
   * @returns false when `boundMs` passed first */
  async stop(boundMs: number): Promise<boolean> {
    this.#stopping = true;
    this.#launcher.stop();
    let cancel = (): void => undefined;
    const bound = new Promise<boolean>((resolve) => {
      cancel = this.#parts.alarms.at(this.#parts.clock.now() + boundMs, () => {
        resolve(false);
      });
    });
    const done = this.running.drain().then(() => true);
    const inTime = await Promise.race([done, bound]);
    cancel();
    return inTime;
  }

  launch(request: TurnRequest): Promise<LaunchResult> {
    return this.#launcher.launch(request);
  }

  async answer(turn: string): Promise<TurnAnswer | null> {
    const queued = this.#launcher.find(turn);
    if (queued !== null) {
      const position = await this.#parts.store.head();
      const { path } = originPath(queued.request.origin);
      const { session } = queued;
      return queuedAnswer({ turn, session, agent: queued.request.agent, path, position });
    }
    const runner = this.running.find(turn);
    const known = runner === null ? this.#ended.get(turn) : this.#live(runner, turn);
    return known ?? this.#recorded(turn);
  }

  /** The answer of a turn that this daemon runs; null for one that was refused, which the log alone can tell. */
  #live(runner: TurnRunner, turn: string): Promise<TurnAnswer> | null {
    const { state, log } = runner;
    const open = state.status === 'ended' ? state.before : state;
    if (open?.status !== 'open') return null;
    const { session, agent } = open.request;
    const { artifacts, store } = this.#parts;
    const { families } = this.running;
    const below = {
      isWaiting: families.isWaiting(runner),
      approvals: [
        ...gatesIn(open, gatesFrom(this.#parts.ledger)),
        ...families.members(turn).flatMap(({ approvals }) => approvals),
      ],
    };
    const from = { artifacts, texts: log.texts, below };
    const at = { turn, session, agent, path: open.path };
    return log.position === ''
      ? store.head().then((position) => answerOf(state, { ...at, position }, from))
      : answerOf(state, { ...at, position: log.position }, from);
  }

  async settled(turn: string, signal: AbortSignal): Promise<TurnAnswer | null> {
    if (this.#isAtWork(turn)) await this.#settling.next(turn, signal);
    return this.answer(turn);
  }

  async ended(turn: string, signal: AbortSignal): Promise<TurnAnswer | null> {
    while (this.#isOpen(turn) && !signal.aborted) await this.#settling.next(turn, signal);
    return this.answer(turn);
  }

  onRest(listener: (turn: string) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  isWaiting(turn: string): boolean {
    const runner = this.running.find(turn);
    return runner !== null && this.running.families.isWaiting(runner);
  }

  family(turn: string): readonly FamilyMember[] {
    return this.running.families.members(turn);
  }

  async link(turn: string, child: ChildLink): Promise<void> {
    await this.running.find(turn)?.post({ type: 'LinkChild', child });
    // It may have ended before it was known here.
    if (child.background) await this.#report(turn);
  }

  askedBelow(turn: string): void {
    this.#tellWaiting([turn, ...(this.running.find(turn)?.log.meta.chain ?? [])]);
  }

  /** Tells a turn what those that it does not wait for have left. */
  async #report(turn: string): Promise<void> {
    const runner = this.running.find(turn);
    if (runner?.log.recorded.status !== 'open') return;
    for (const child of runner.log.recorded.children) {
      if (!child.background || child.told || this.#isOpen(child.turn)) continue;
      const answer = await this.answer(child.turn);
      const left = answer === null ? null : childResult(answer);
      if (left !== null)
        await runner.post({ type: 'ReportChild', child: child.turn, text: left.text });
    }
  }

  #isOpen(turn: string): boolean {
    if (this.#launcher.find(turn) !== null || this.running.find(turn) !== null) return true;
    // It halted for a while, or is about to be taken up; unless nothing is taken up any more.
    return !this.#stopping && this.#parts.ledger.openTurns().some((open) => open.turn === turn);
  }

  deltas(turn: string, listener: (delta: Delta) => void): () => void {
    return this.#deltas.listen(turn, listener);
  }

  decide(
    approval: string,
    decision: ApprovalDecision,
    by: DecidedBy,
    rights?: DeciderRights,
  ): Promise<DecisionResult> {
    return this.#approvals.decide(approval, decision, by, rights);
  }

  onGate(decider: GateDecider): void {
    this.#approvals.gates = decider;
  }

  answerQuestion(
    question: string,
    answer: { readonly text: string; readonly revision: number },
    by: DecidedBy,
    rights?: DeciderRights,
  ): Promise<DecisionResult> {
    return this.#approvals.answer(question, answer, by, rights);
  }

  onFlags(listener: () => void): () => void {
    this.#flagListeners.add(listener);
    return () => this.#flagListeners.delete(listener);
  }

  flagsChanged(): void {
    this.running.checkFlags();
    for (const listener of this.#flagListeners) listener();
  }

  settleOutcome(
    turn: string,
    call: string,
    settlement: { readonly as: 'retry' | 'done' | 'failed'; readonly by: DecidedBy },
  ): Promise<'settled' | 'not_found'> {
    return settleOutcome(this.#parts, this.running, { turn, call, ...settlement });
  }

  async cancel(
    turn: string,
    by: string,
    why: string,
  ): Promise<'requested' | 'ended' | 'not_found'> {
    if (await this.#launcher.drop(turn, by, why)) {
      this.#settling.wake(turn);
      return 'requested';
    }
    const command = { type: 'Cancel', now: this.#parts.clock.now(), by, why } as const;
    const posted = await this.#post(turn, command);
    return posted === 'recorded' ? 'requested' : posted;
  }

  async steer(turn: string, text: string, by: string): Promise<'recorded' | 'ended' | 'not_found'> {
    const masked = this.#parts.masker.mask(text.toWellFormed(), { formats: true });
    return this.#post(turn, { type: 'Steer', text: masked.text, by });
  }

  async #post(turn: string, command: TurnCommand): Promise<'recorded' | 'ended' | 'not_found'> {
    await this.#launcher.started(turn);
    const runner = this.running.find(turn);
    if (runner !== null) {
      const posted = await runner.post(command);
      return posted.kind === 'recorded' ? 'recorded' : 'ended';
    }
    const answer = await this.answer(turn);
    return answer === null ? 'not_found' : 'ended';
  }

  #isAtWork(turn: string): boolean {
    if (this.#launcher.find(turn) !== null) return true;
    const runner = this.running.find(turn);
    return runner !== null && !this.running.families.isWaiting(runner);
  }

  #rested(runner: TurnRunner, turn: string): void {
    if (runner.rest === 'ended') this.#keep(turn, this.#live(runner, turn));
    const { session, parent, chain } = runner.log.meta;
    this.#tellRest(turn);
    if (runner.rest === 'ended' && session !== null) this.#launcher.queues.ended(session, turn);
    this.#tellWaiting(chain);
    if (runner.rest === 'ended' && parent !== null)
      this.#report(parent).catch((error: unknown) => {
        this.#parts.report({ turn: parent, error });
      });
  }

  /** Turns above what came to rest may have come to rest with it. */
  #tellWaiting(turns: readonly string[]): void {
    for (const turn of turns) if (this.isWaiting(turn)) this.#tellRest(turn);
  }

  #tellRest(turn: string): void {
    this.#settling.wake(turn);
    for (const listener of this.#listeners) listener(turn);
  }

  #keep(turn: string, answer: Promise<TurnAnswer> | null): void {
    if (answer === null) return;
    const oldest = this.#ended.keys().next();
    if (this.#ended.size >= keptAnswers && oldest.done !== true) this.#ended.delete(oldest.value);
    // Whoever asks hears of a failure; keeping the answer must not be one.
    answer.catch(() => this.#ended.delete(turn));
    this.#ended.set(turn, answer);
  }

  async #recorded(turn: string): Promise<TurnAnswer | null> {
    const events = await this.#parts.store.readStream(`turn-${turn}`);
    const place = placeOf(turn, events);
    if (place === null) return this.#dropped(turn);
    const texts: Texts = new Map();
    let state = initialState(turn);
    for (const event of events)
      state = evolve(state, await hydrate(event, this.#parts.artifacts, texts));
    const below = state.status === 'open' ? await recordedBelow(this.#parts, state) : null;
    return answerOf(state, place, { artifacts: this.#parts.artifacts, texts, below });
  }

  /** A turn that was taken back has no stream of its own; what is known of it stands in its session's. */
  async #dropped(turn: string): Promise<TurnAnswer | null> {
    const filter = { types: ['MessageDropped'] } as const;
    for (let after: Position | 'start' = 'start'; ;) {
      const read = await this.#parts.store.readAll({ after, filter, limit: 500 });
      for (const event of read.events)
        if (event.type === 'MessageDropped' && event.meta.turn === turn)
          return droppedAnswer(turn, event);
      if (read.end) return null;
      after = read.next;
    }
  }
}

const keptAnswers = 500;
