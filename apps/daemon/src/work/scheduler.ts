import type { Artifacts, Clock, EventStore, Ids, Job, Ledger, OpenJobRun } from '@lockstep/engine';
import { digestOf } from '@lockstep/policy';
import type { CurrentConfig } from '../config/current-config.port.ts';
import { jobPrincipal } from '../paths/loop/cron.path.ts';
import type { SopRuns } from '../paths/sop/sop-runs.port.ts';
import type { DaemonIdentity } from '../tokens.ts';
import type { Alarms } from '../turns/alarms.ts';
import type { Intake } from '../turns/intake.port.ts';
import type { Turns } from '../turns/turns.port.ts';
import { JobBook, type BookedJob } from './job-book.ts';
import { JobLog, type JobContext, type JobFact } from './job-log.ts';
import { JobRunner } from './job-runner.ts';
import type { JobChange, JobListing, Jobs, JobStart } from './jobs.port.ts';
import { MadeJobs, mostMadeJobs } from './made-jobs.ts';
import { planDue, type DuePlan } from './plan-due.ts';
import type { Timing } from './timing.ts';

export interface SchedulerParts {
  readonly store: EventStore;
  readonly ledger: Ledger;
  readonly artifacts: Artifacts;
  readonly config: CurrentConfig;
  readonly turns: Pick<Turns, 'launch' | 'answer' | 'ended'>;
  readonly sops: SopRuns;
  readonly clock: Clock;
  readonly alarms: Alarms;
  readonly ids: Ids;
  readonly identity: DaemonIdentity;
  /** Absent = every turn is taken in. */
  readonly intake?: Intake;
  /** Told of what should not happen and does not stop the daemon. */
  readonly report: (problem: { readonly job: string; readonly error: unknown }) => void;
}

/** The clock is looked at at least this often: it may be put forward, and the log may take events again. */
const lookMs = 30_000;

/** Next times that are listed of each job. */
const listedTimes = 3;

/** Fixes due times in the log, then starts what is due. A time is recorded before anything of it begins, and its turn's id follows from
 * job and time: after a restart what was begun goes on, and nothing runs twice. */
export class Scheduler implements Jobs {
  readonly #parts: SchedulerParts;
  readonly #book: JobBook;
  readonly #log: JobLog;
  readonly #runner: JobRunner;
  readonly #made: MadeJobs;
  /** The next time of each job, as long as neither its schedule nor what was taken of it changes. */
  readonly #next = new Map<
    string,
    { readonly timing: Timing; readonly until: number; readonly next: number | null }
  >();
  #since = 0;
  #running = false;
  #takeBack: () => void = () => undefined;
  #forget: () => void = () => undefined;

  constructor(parts: SchedulerParts) {
    this.#parts = parts;
    this.#book = new JobBook(parts);
    this.#log = new JobLog(parts);
    this.#made = new MadeJobs(parts.ledger);
    this.#runner = new JobRunner(parts, this.#log, this.#book, (name) => {
      this.#look(name);
    });
  }

  /** Takes up the runs that an earlier daemon began, then follows the clock. Call once, when turns and procedures are recovered. */
  async start(): Promise<void> {
    this.#since = this.#parts.clock.now();
    this.#running = true;
    this.#runner.start();
    for (const { name } of this.#parts.ledger.openJobs())
      await this.#log.inTurn(name, () => this.#runner.takeUp(name));
    this.#forget = this.#parts.config.onApplied(() => {
      this.#lookAtAll();
    });
    this.#lookAtAll();
  }

  /** Starts nothing more. What runs is taken up again at the next start. */
  stop(): void {
    this.#running = false;
    this.#takeBack();
    this.#forget();
    this.#runner.stop();
  }

  /** Resolves once everything that is due by now was looked at. */
  async settled(): Promise<void> {
    for (const { name } of this.#book.all()) await this.#log.inTurn(name, () => Promise.resolve());
  }

  list(agent: string | null): readonly JobListing[] {
    return this.#book
      .all()
      .filter((job) => agent === null || job.agent === agent)
      .map((job) => this.#listing(job));
  }

  find(name: string): JobListing | null {
    const job = this.#book.find(name);
    return job === null ? null : this.#listing(job);
  }

  runNow(name: string): Promise<JobStart> {
    return this.#log.inTurn(name, async (): Promise<JobStart> => {
      const job = this.#book.find(name);
      if (job === null) return { kind: 'not_found' };
      const hindered = this.#hindered(job);
      if (hindered !== null) return hindered;
      const open = this.#parts.ledger.jobTimes(name)?.open ?? null;
      const due = Math.max(this.#parts.clock.now(), (lastByPerson(open) ?? 0) + 1);
      const run = this.#runOf(job, due, 'person');
      if (!(await this.#recordDue(job, run, { late: false, before: [] })))
        return { kind: 'unavailable', message: 'the log takes no events now: try again later' };
      if (open === null) await this.#runner.begin(name, run);
      return { kind: 'started', turn: run.turn, sop: run.sop, due, queued: open !== null };
    });
  }

  /** Why a person cannot start a job now, or null. */
  #hindered(job: BookedJob): JobStart | null {
    if (!this.#running) return { kind: 'stopped', message: 'the daemon is stopping' };
    if (this.#isStopped(job.agent))
      return { kind: 'stopped', message: `agent \`${job.agent}\` is stopped or paused` };
    const open = this.#overlaps(job);
    if (open !== null) return { kind: 'busy', turn: open.turn };
    const closed = this.#parts.intake?.('new') ?? null;
    return closed === null ? null : { kind: 'unavailable', message: closed.message };
  }

  /** The run that keeps a further one from beginning or waiting in line, or null. */
  #overlaps(job: BookedJob): { readonly turn: string } | null {
    const times = this.#parts.ledger.jobTimes(job.name);
    const open = times?.open ?? null;
    if (open === null) return null;
    return job.overlap === 'skip' || times?.queued != null ? open : null;
  }

  add(job: Job): Promise<JobChange> {
    return this.#log.inTurn(job.name, async (): Promise<JobChange> => {
      const known = this.#book.find(job.name);
      if (known !== null)
        return refused(
          known.agent === job.agent && known.kind === 'tool'
            ? `you have a job \`${job.name}\`: end it first, or take another name`
            : `the name \`${job.name}\` is taken: take another`,
        );
      const added = await this.#made.inPlace(job.agent, () =>
        this.#record(job.name, job.agent, [{ type: 'JobAdded', data: job }]),
      );
      if (added === null)
        return refused(`you have ${mostMadeJobs} jobs, which is as many as may be: end one first`);
      if (!added) return refused('the job cannot be recorded now: try again later');
      this.#look(job.name);
      return { kind: 'done' };
    });
  }

  remove(name: string, agent: string, by: string): Promise<JobChange> {
    return this.#log.inTurn(name, async (): Promise<JobChange> => {
      const known = this.#book.find(name);
      if (known?.agent !== agent) return refused(`you have no job \`${name}\``);
      if (known.kind !== 'tool') return refused(`job \`${name}\` stands in config`);
      const gone = await this.#record(name, agent, [{ type: 'JobRemoved', data: { name, by } }]);
      return gone ? { kind: 'done' } : refused('that cannot be recorded now: try again later');
    });
  }

  #listing(job: BookedJob): JobListing {
    const { name, kind, agent, schedule, timezone, enabled, missed, overlap, sop, made } = job;
    const times = this.#parts.ledger.jobTimes(name);
    const next: number[] = [];
    let after = Math.max(times?.until ?? 0, job.from, this.#parts.clock.now());
    for (let n = 0; enabled && n < listedTimes; n += 1) {
      const at = job.timing?.next(after) ?? null;
      if (at === null) break;
      next.push(at);
      after = at;
    }
    return {
      ...{ name, kind, agent, schedule, timezone, enabled, missed, overlap, sop, next },
      open: times?.open ?? null,
      queued: times?.queued ?? null,
      madeBy: made === null ? null : (made.person ?? made.by),
    };
  }

  #lookAtAll(): void {
    for (const { name } of this.#book.all()) this.#look(name);
    this.#arm();
  }

  #look(name: string): void {
    if (!this.#running) return;
    this.#log
      .inTurn(name, () => this.#advance(name))
      .then(() => {
        this.#arm();
      })
      .catch((error: unknown) => {
        this.#parts.report({ job: name, error });
      });
  }

  #arm(): void {
    this.#takeBack();
    if (!this.#running) return;
    const now = this.#parts.clock.now();
    let at = now + lookMs;
    for (const job of this.#book.all()) at = Math.min(at, this.#nextOf(job) ?? at);
    // What is due and not taken could not be recorded: it is tried again, but not at once.
    const wake = at > now ? at : now + retryMs;
    this.#takeBack = this.#parts.alarms.at(wake, () => {
      this.#lookAtAll();
    });
  }

  #nextOf({ name, enabled, timing, ...job }: BookedJob): number | null {
    if (!enabled || timing === null) return null;
    const until = this.#untilOf({ name, ...job });
    const known = this.#next.get(name);
    if (known?.timing === timing && known.until === until) return known.next;
    const next = timing.next(until);
    this.#next.set(name, { timing, until, next });
    return next;
  }

  #untilOf(job: Pick<BookedJob, 'name' | 'from'>): number {
    return Math.max(this.#parts.ledger.jobTimes(job.name)?.until ?? 0, job.from);
  }

  /** Takes every time of a job that has come, in order. */
  async #advance(name: string): Promise<void> {
    while (this.#running) {
      const job = this.#book.find(name);
      if (job === null || !job.enabled || job.timing === null) return;
      const { missed, timing } = job;
      const now = this.#parts.clock.now();
      const until = this.#untilOf(job);
      const plan = planDue({ timing, until, now, since: this.#since, missed });
      if (plan.kind === 'wait') return;
      if (!(await this.#take(job, plan))) return;
    }
  }

  async #take(job: BookedJob, plan: Exclude<DuePlan, { kind: 'wait' }>): Promise<boolean> {
    const missed = skips(job, plan.skipped, 'missed');
    if (plan.kind === 'missed') return this.#recordSkips(job, missed);
    const { due, late } = plan;
    const skip = (why: Skip): Promise<boolean> =>
      this.#recordSkips(job, [...missed, ...skips(job, { due, more: 0, last: due }, why)]);
    if (this.#isStopped(job.agent)) return skip('stopped');
    const run = this.#runOf(job, due, 'schedule');
    if (run.sop === null && !this.#isThere(job.agent)) {
      await this.#runner.refusal(job, run);
      return skip('refused');
    }
    if (this.#overlaps(job) !== null) return skip('overlap');
    // The time stays due until the disk has room.
    if ((this.#parts.intake?.('new') ?? null) !== null) return false;
    const open = this.#parts.ledger.jobTimes(job.name)?.open ?? null;
    if (!(await this.#recordDue(job, run, { late, before: missed }))) return false;
    if (open === null) await this.#runner.begin(job.name, run);
    return true;
  }

  #runOf(job: BookedJob, due: number, by: OpenJobRun['by']): OpenJobRun {
    const { name, agent, sop } = job;
    const turn = digestOf(['job', name, due, by]).slice(0, 32);
    return { due, turn, sop, agent, by };
  }

  #recordDue(
    job: BookedJob,
    run: OpenJobRun,
    { late, before }: { readonly late: boolean; readonly before: readonly JobFact[] },
  ): Promise<boolean> {
    const { name, agent } = job;
    const now = this.#parts.clock.now();
    const fact: JobFact = { type: 'JobDue', data: { name, ...run, agent, now, late } };
    return this.#record(name, agent, [...before, fact], run.turn);
  }

  #recordSkips(job: BookedJob, facts: readonly JobFact[]): Promise<boolean> {
    return this.#record(job.name, job.agent, facts);
  }

  async #record(
    name: string,
    agent: string,
    facts: readonly JobFact[],
    turn: string | null = null,
  ): Promise<boolean> {
    const [first, ...rest] = facts;
    if (first === undefined) return true;
    const context: JobContext = {
      agent,
      trigger: this.#book.find(name)?.kind === 'heartbeat' ? 'heartbeat' : 'cron',
      principal: jobPrincipal(name),
      turn,
    };
    return (await this.#log.record(name, [first, ...rest], context)) !== null;
  }

  #isStopped(agent: string): boolean {
    const { stopped, paused } = this.#parts.ledger.flags(agent);
    return stopped || paused;
  }

  #isThere(agent: string): boolean {
    const { agents } = this.#parts.config.current().config;
    return Object.hasOwn(agents, agent) && agents[agent]?.enabled === true;
  }
}

const retryMs = 5_000;

type Skip = Extract<JobFact, { type: 'JobSkipped' }>['data']['why'];

const skips = (
  { name, agent }: BookedJob,
  skipped: { readonly due: number; readonly more: number; readonly last: number } | null,
  why: Skip,
): JobFact[] =>
  skipped === null ? [] : [{ type: 'JobSkipped', data: { name, agent, ...skipped, why } }];

const refused = (message: string): JobChange => ({ kind: 'refused', message });

const lastByPerson = (open: OpenJobRun | null): number | null =>
  open?.by === 'person' ? open.due : null;
