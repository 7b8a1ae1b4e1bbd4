import type { DecidedBy, EndedSop, NewMeta, PendingRecord, SopState } from '@lockstep/engine';
import type { ApprovalDecision, DecisionResult } from '../../turns/turns.port.ts';
import { gateResult } from './gate-result.ts';
import { RunningSop } from './running-sop.ts';
import { SopLog } from './sop-log.ts';
import type { SopParts } from './sop-parts.ts';
import type { SopRuns, SopStart, SopStarted } from './sop-runs.port.ts';
import { startFacts } from './start-facts.ts';

/** A start whose run has its id. */
export interface FixedStart extends SopStart {
  readonly run: string;
}

interface Run {
  readonly running: RunningSop;
  readonly end: Promise<EndedSop | null>;
}

/** Starts runs, keeps those that are open at work, and takes up after a restart what an earlier daemon left. */
export class SopRunsService implements SopRuns {
  readonly #parts: SopParts;
  readonly #runs = new Map<string, Promise<Run>>();
  readonly #stopping = new AbortController();
  readonly #startedAt: number;
  #ready: () => void = () => undefined;
  /** Nothing is done before turns are recovered. */
  readonly #started: Promise<void>;
  #forget: () => void = () => undefined;

  constructor(parts: SopParts) {
    this.#parts = parts;
    this.#startedAt = parts.clock.now();
    this.#started = new Promise((resolve) => {
      this.#ready = resolve;
    });
  }

  /** Takes up every open run. Call once, when turns are recovered. */
  async begin(): Promise<number> {
    const look = (): void => {
      this.#lookAgain();
    };
    const forget = [
      this.#parts.turns.onRest((turn) => {
        this.#endBelow(turn);
      }),
      this.#parts.config.onApplied(look),
      this.#parts.turns.onFlags(look),
    ];
    this.#forget = () => {
      for (const one of forget) one();
    };
    const open = this.#parts.ledger.sopRuns();
    this.#ready();
    for (const { id, parent } of open) {
      await this.#take(id);
      if (parent !== null) this.#endBelow(parent.turn);
    }
    return open.length;
  }

  /** Does nothing more. What is open is taken up again at the next start. */
  stop(): void {
    this.#forget();
    this.#stopping.abort();
    this.#ready();
  }

  start(asked: SopStart): Promise<SopStarted> {
    return this.#start({ ...asked, run: asked.run ?? this.#parts.ids.next() });
  }

  async #start(start: FixedStart): Promise<SopStarted> {
    const known = await this.#known(start);
    if (known !== null) return known;
    if (this.#stopping.signal.aborted)
      return { kind: 'refused', code: 'stopped', message: 'the daemon is stopping' };
    const closed = this.#parts.intake?.('new') ?? null;
    if (closed !== null) return { kind: 'refused', code: 'disk_full', message: closed.message };
    const facts = await startFacts(this.#parts, start);
    if (!facts.ok) return facts.refused;
    const [first] = facts.command.definition.steps;
    const agent = first?.agent ?? null;
    const { stopped, paused } = this.#parts.ledger.flags(agent ?? '');
    if (stopped || paused) {
      const message = `agent \`${agent ?? ''}\` is stopped or paused: resume it first`;
      return { kind: 'refused', code: 'stopped', message };
    }
    const log = new SopLog(this.#parts, start.run);
    const posted = await log.post(facts.command, this.#meta(start, agent));
    if (posted.kind === 'unavailable') {
      // The same run may have been asked for at the same time.
      const meanwhile = await this.#known(start);
      return meanwhile ?? { kind: 'refused', code: 'disk_full', message: posted.message };
    }
    this.#runs.set(start.run, Promise.resolve(this.#work(log)));
    return { kind: 'started', run: start.run, repeat: false };
  }

  async state(run: string): Promise<SopState | null> {
    const live = await this.#runs.get(run);
    const log = live?.running.log ?? new SopLog(this.#parts, run);
    if (live === undefined) await log.load();
    return log.state.status === 'none' ? null : log.state;
  }

  async ended(run: string, signal: AbortSignal): Promise<EndedSop | null> {
    const taken = await this.#find(run);
    if (taken !== null) return orAborted(taken.end, signal);
    const state = await this.state(run);
    return state?.status === 'ended' ? state : null;
  }

  async cancel(run: string, by: string, why: string): Promise<'cancelled' | 'ended' | 'not_found'> {
    const taken = await this.#find(run);
    if (taken === null) return (await this.state(run)) === null ? 'not_found' : 'ended';
    await taken.running.cancel(by, why);
    const end = await taken.end;
    return end?.outcome.kind === 'failed' && end.outcome.code === 'cancelled'
      ? 'cancelled'
      : 'ended';
  }

  /** Takes a person's decision on a gate. Whether that person may decide was judged before. */
  async decideGate(
    record: PendingRecord,
    decision: ApprovalDecision,
    by: DecidedBy,
  ): Promise<DecisionResult> {
    const { choice, guidance, shown } = decision;
    if (choice === 'always')
      return { kind: 'invalid', message: 'a gate is opened once: there is no standing approval' };
    if (decision.arguments !== undefined)
      return { kind: 'invalid', message: 'a gate has no arguments that could be changed' };
    if (choice !== 'deny' && (decision.cut ?? []).length > 0)
      return { kind: 'invalid', message: 'what could not be shown whole may only be denied' };
    if (record.state === 'pending' && decision.revision !== record.revision)
      return { kind: 'stale_revision', revision: record.revision };
    const taken = record.state === 'pending' ? await this.#find(record.turn) : null;
    const { id: gate } = record;
    const masked =
      guidance === null
        ? null
        : this.#parts.masker.mask(guidance, { formats: true, agent: record.agent }).text;
    const posted =
      taken === null
        ? null
        : await taken.running.post({
            type: 'DecideGate',
            gate,
            by,
            choice,
            shown,
            guidance: masked,
          });
    const events = () => this.#parts.store.readStream(`sop-${record.turn}`);
    return gateResult(posted, { gate, by, choice, events });
  }

  /** A run that was started before under the same id. */
  async #known({ run, sop, from }: FixedStart): Promise<SopStarted | null> {
    const [first] = await this.#parts.store.readStream(`sop-${run}`, { limit: 1 });
    if (first?.type !== 'SopRunStarted') return null;
    if (first.data.sop !== sop || first.data.trigger !== from.kind)
      return { kind: 'refused', code: 'other_run', message: 'another run has this id' };
    return { kind: 'started', run, repeat: true };
  }

  /** The run at work; one that is open and not at work is taken up. */
  #find(run: string): Promise<Run | null> {
    const known = this.#runs.get(run);
    if (known !== undefined) return known;
    return this.#parts.ledger.sopRun(run) === null ? Promise.resolve(null) : this.#take(run);
  }

  #take(run: string): Promise<Run> {
    const known = this.#runs.get(run);
    if (known !== undefined) return known;
    const log = new SopLog(this.#parts, run);
    const taken = log.load().then(() => this.#work(log));
    this.#runs.set(run, taken);
    return taken;
  }

  #work(log: SopLog): Run {
    const options = { startedAt: this.#startedAt, stopping: this.#stopping.signal };
    const running = new RunningSop(this.#parts, log, options);
    const end = this.#started
      .then(() => running.work())
      .catch((error: unknown) => {
        this.#parts.report({ run: log.run, error });
        return null;
      })
      .finally(() => {
        this.#runs.delete(log.run);
      });
    return { running, end };
  }

  #lookAgain(): void {
    for (const run of this.#runs.values())
      void run.then(({ running }) => {
        running.look();
      });
  }

  /** A run is a part of the call that started it: it ends with the turn. */
  #endBelow(turn: string): void {
    for (const { id, parent } of this.#parts.ledger.sopRuns()) {
      if (parent?.turn !== turn) continue;
      this.#parts.turns
        .answer(turn)
        .then(async (answer) => {
          if (answer === null || !isOver(answer.status)) return;
          await this.cancel(id, `turn:${turn}`, 'the turn that started it has ended');
        })
        .catch((error: unknown) => {
          this.#parts.report({ run: id, error });
        });
    }
  }

  #meta({ run, by, from }: FixedStart, agent: string | null): NewMeta {
    const { id: daemon, build } = this.#parts.identity;
    const parent = from.kind === 'tool' ? from.parent.turn : null;
    return {
      agent,
      path: 'sop',
      trigger: parent === null ? 'headless' : 'live',
      principal: by,
      session: null,
      turn: null,
      root: null,
      parent,
      chain: parent === null ? [] : [parent],
      correlation: run,
      causation: from.kind === 'tool' ? from.parent.call : null,
      attempt: 1,
      daemon,
      build,
    };
  }
}

const isOver = (status: string): boolean =>
  status === 'completed' || status === 'failed' || status === 'cancelled' || status === 'refused';

const orAborted = <T>(work: Promise<T>, signal: AbortSignal): Promise<T | null> =>
  new Promise((resolve, reject) => {
    const stop = (): void => {
      resolve(null);
    };
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true });
    work.then(resolve, reject).finally(() => {
      signal.removeEventListener('abort', stop);
    });
  });
