import type { OpenJobRun, TurnStatus } from '@lockstep/engine';
import { jobPrincipal, parseCron } from '../paths/loop/cron.path.ts';
import { parseHeartbeat } from '../paths/loop/heartbeat.path.ts';
import { contentText } from '../paths/shared/content-text.ts';
import type { TurnRequest } from '../turns/turns.port.ts';
import type { BookedJob, JobBook } from './job-book.ts';
import type { JobLog, JobOutcome } from './job-log.ts';
import type { SchedulerParts } from './scheduler.ts';

/** Starts runs whose time is recorded, and records how they end. */
export class JobRunner {
  readonly #parts: SchedulerParts;
  readonly #log: JobLog;
  readonly #book: JobBook;
  readonly #onEnd: (name: string) => void;
  readonly #watched = new Set<string>();
  #stopping = new AbortController();

  /** @param onEnd told of every job whose run has ended */
  constructor(parts: SchedulerParts, log: JobLog, book: JobBook, onEnd: (name: string) => void) {
    this.#parts = parts;
    this.#log = log;
    this.#book = book;
    this.#onEnd = onEnd;
  }

  start(): void {
    this.#stopping = new AbortController();
  }

  stop(): void {
    this.#stopping.abort();
  }

  /** Goes on with the open run of a job. Call it in the job's turn. */
  async takeUp(name: string): Promise<void> {
    const open = this.#parts.ledger.jobTimes(name)?.open ?? null;
    if (open !== null) await this.begin(name, open);
  }

  /** Starts a run whose time is recorded; one that was started before is only watched. Call it in the job's turn. */
  async begin(name: string, run: OpenJobRun): Promise<void> {
    if (this.#stopping.signal.aborted || this.#watched.has(run.turn)) return;
    const outcome = await this.#startOrReport(name, run);
    if (outcome === 'later') this.#again(name);
    else if (outcome === 'started') this.#watch(name, run);
    else await this.#end(name, run, outcome);
  }

  /** Lets an agent that is not there be refused, so that the refusal is recorded as on every path. */
  async refusal(job: BookedJob, run: OpenJobRun): Promise<void> {
    const request = await this.#requestOf(job, run);
    await this.#parts.turns.launch(request);
  }

  /** What was not foreseen is tried again too: a run whose time is fixed is never left alone. */
  async #startOrReport(name: string, run: OpenJobRun): Promise<JobOutcome | 'started' | 'later'> {
    try {
      return await (run.sop === null ? this.#startTurn(name, run) : this.#startSop(name, run));
    } catch (error) {
      this.#parts.report({ job: name, error });
      return 'later';
    }
  }

  async #startTurn(name: string, run: OpenJobRun): Promise<JobOutcome | 'started' | 'later'> {
    const job = this.#book.find(name);
    const known = await this.#parts.turns.answer(run.turn);
    if (known !== null) return outcomeOf(known.status) ?? 'started';
    // Its job is gone, and its turn was never begun.
    if (job === null) return 'refused';
    const launched = await this.#parts.turns.launch(await this.#requestOf(job, run));
    if (launched.kind === 'accepted') return 'started';
    if (launched.kind !== 'refused') return 'refused';
    // The log takes nothing, or the daemon stops: the time stays taken and its turn begins later.
    return launched.turn === null ? 'later' : 'refused';
  }

  async #startSop(name: string, run: OpenJobRun): Promise<JobOutcome | 'started' | 'later'> {
    const job = this.#book.find(name);
    if (job === null || run.sop === null) return 'refused';
    const started = await this.#parts.sops.start({
      sop: run.sop,
      input: (await contentText(job.prompt, this.#parts.artifacts)) ?? '',
      run: run.turn,
      by: jobPrincipal(name),
      from: { kind: 'cron', job: name, agent: run.agent },
    });
    if (started.kind === 'started') return 'started';
    return started.code === 'disk_full' || started.code === 'stopped' ? 'later' : 'refused';
  }

  async #requestOf(job: BookedJob, run: OpenJobRun): Promise<TurnRequest> {
    const prompt = (await contentText(job.prompt, this.#parts.artifacts)) ?? '';
    const { turn, agent } = run;
    return job.kind === 'heartbeat'
      ? parseHeartbeat({ agent, prompt, turn })
      : parseCron({ job: job.name, agent, prompt, turn });
  }

  #watch(name: string, run: OpenJobRun): void {
    this.#watched.add(run.turn);
    this.#outcome(run)
      .then(async (outcome) => {
        this.#watched.delete(run.turn);
        if (outcome !== null) await this.#log.inTurn(name, () => this.#end(name, run, outcome));
      })
      .catch((error: unknown) => {
        this.#watched.delete(run.turn);
        this.#parts.report({ job: name, error });
      });
  }

  /** How a run ended; null = the daemon stops before it does. */
  async #outcome(run: OpenJobRun): Promise<JobOutcome | null> {
    const { signal } = this.#stopping;
    if (run.sop === null) {
      const answer = await this.#parts.turns.ended(run.turn, signal);
      return answer === null ? null : outcomeOf(answer.status);
    }
    const ended = await this.#parts.sops.ended(run.turn, signal);
    if (ended === null) return null;
    if (ended.outcome.kind === 'completed') return 'completed';
    const { code } = ended.outcome;
    if (code === 'cancelled') return 'cancelled';
    return code === 'refused' || code === 'stopped' ? 'refused' : 'failed';
  }

  async #end(name: string, run: OpenJobRun, outcome: JobOutcome): Promise<void> {
    const times = this.#parts.ledger.jobTimes(name);
    if (times?.open?.turn !== run.turn) return;
    const { agent, due, turn } = run;
    const recorded = await this.#log.record(
      name,
      [{ type: 'JobRun', data: { name, agent, due, turn, outcome } }],
      {
        agent,
        trigger: this.#book.find(name)?.kind === 'heartbeat' ? 'heartbeat' : 'cron',
        principal: jobPrincipal(name),
        turn,
      },
    );
    if (recorded === null) this.#again(name);
    else {
      await this.takeUp(name);
      this.#onEnd(name);
    }
  }

  /** The log took nothing: what is open is looked at again in a while. */
  #again(name: string): void {
    const { clock, alarms, report } = this.#parts;
    if (this.#stopping.signal.aborted) return;
    const wake = (): void => {
      this.#log
        .inTurn(name, () => this.takeUp(name))
        .catch((error: unknown) => {
          report({ job: name, error });
        });
    };
    const takeBack = alarms.at(clock.now() + againMs, wake);
    this.#stopping.signal.addEventListener('abort', takeBack, { once: true });
  }
}

const againMs = 5_000;

const outcomeOf = (status: TurnStatus): JobOutcome | null => {
  switch (status) {
    case 'completed':
    case 'failed':
    case 'cancelled':
    case 'refused':
      return status;
    case 'queued':
    case 'running':
    case 'waiting':
      return null;
  }
};
