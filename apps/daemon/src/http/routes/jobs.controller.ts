import { Controller, Delete, Get, HttpCode, Inject, Param, Post, Query } from '@nestjs/common';
import type { JobRunRow } from '@lockstep/engine';
import { seesAgent, type Caller } from '../../access/caller.ts';
import { JOBS, type JobListing, type Jobs } from '../../work/jobs.port.ts';
import { CallerParam } from '../caller.decorator.ts';
import { HTTP_PARTS, type HttpParts } from '../http-parts.ts';
import { notFound, ProblemError } from '../problem.ts';
import { Route } from '../route.decorator.ts';
import {
  jobListSchema,
  jobNameParam,
  jobQuery,
  jobSchema,
  jobStartedSchema,
  type JobQuery,
} from '../schemas/work.schema.ts';

/** Jobs with their times. */
@Controller('v1/jobs')
export class JobsController {
  readonly #parts: HttpParts;
  readonly #jobs: Jobs;

  constructor(@Inject(HTTP_PARTS) parts: HttpParts, @Inject(JOBS) jobs: Jobs) {
    this.#parts = parts;
    this.#jobs = jobs;
  }

  @Get()
  @Route({
    access: ['viewer'],
    summary: 'Jobs of config, of agents, and heartbeats, with their times.',
    answers: { 200: jobListSchema },
  })
  async list(
    @Query({ schema: jobQuery }) query: JobQuery,
    @CallerParam() caller: Caller,
  ): Promise<unknown> {
    const jobs = this.#jobs
      .list(query.agent ?? null)
      .filter(({ agent }) => seesAgent(caller, agent));
    return { items: await Promise.all(jobs.map((job) => this.#shown(job))), next: null };
  }

  @Get(':name')
  @Route({ access: ['viewer'], summary: 'One job.', answers: { 200: jobSchema } })
  one(
    @Param('name', { schema: jobNameParam }) name: string,
    @CallerParam() caller: Caller,
  ): Promise<unknown> {
    return this.#shown(this.#seen(name, caller));
  }

  @Post(':name/run')
  @HttpCode(202)
  @Route({
    access: ['operator'],
    summary: 'Start a job now. Its schedule goes on as it would.',
    answers: { 202: jobStartedSchema },
  })
  async run(
    @Param('name', { schema: jobNameParam }) name: string,
    @CallerParam() caller: Caller,
  ): Promise<unknown> {
    const { agent } = this.#seen(name, caller);
    await this.#unnarrowed(caller, name);
    const started = await this.#jobs.runNow(name);
    switch (started.kind) {
      case 'started': {
        const { turn, sop, due, queued } = started;
        return { name, turn, sop, due, queued };
      }
      case 'not_found':
        throw notFound('job', name);
      case 'busy':
        throw new ProblemError('busy', `the last run of job \`${name}\` still works`, {
          fields: { turn: started.turn, agent },
        });
      case 'stopped':
        throw new ProblemError('stopped', started.message);
      case 'unavailable':
        throw new ProblemError('disk_full', started.message);
    }
  }

  @Delete(':name')
  @HttpCode(204)
  @Route({
    access: ['operator'],
    summary: 'End a job that an agent made. What runs of it goes on.',
    answers: { 204: 'none' },
  })
  async remove(
    @Param('name', { schema: jobNameParam }) name: string,
    @CallerParam() caller: Caller,
  ): Promise<void> {
    const { agent } = this.#seen(name, caller);
    const { id, person } = caller.principal;
    const removed = await this.#jobs.remove(name, agent, person ?? id);
    if (removed.kind === 'refused') throw new ProblemError('forbidden', removed.message);
  }

  /** @throws ProblemError when there is no such job, or the caller's scope leaves its agent out */
  #seen(name: string, caller: Caller): JobListing {
    const job = this.#jobs.find(name);
    if (job === null || !seesAgent(caller, job.agent)) throw notFound('job', name);
    return job;
  }

  /** A job runs with its own tools: a token with fewer cannot borrow them. */
  async #unnarrowed(caller: Caller, name: string): Promise<void> {
    if (caller.scopes.tools.includes('*')) return;
    const why = "a job runs with its own tools, and the token's scope leaves some out";
    await this.#parts.accessLog.denied(caller.principal, `run job ${name}`, why);
    throw new ProblemError('forbidden', why);
  }

  async #shown(job: JobListing): Promise<JobListing & { readonly runs: readonly JobRunRow[] }> {
    const row = await this.#parts.readSide.job(job.name);
    return { ...job, runs: row?.runs ?? [] };
  }
}
