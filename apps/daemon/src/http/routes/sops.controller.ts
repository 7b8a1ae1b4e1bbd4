import { Body, Controller, Get, HttpCode, Inject, Param, Post, Query, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { SopRunRow } from '@lockstep/engine';
import { digestOf } from '@lockstep/policy';
import { seesAgent, seesContent, type Caller } from '../../access/caller.ts';
import { SOP_RUNS, type SopRuns } from '../../paths/sop/sop-runs.port.ts';
import { CallerParam, requireCaller } from '../caller.decorator.ts';
import { HTTP_PARTS, type HttpParts } from '../http-parts.ts';
import { notFound, ProblemError } from '../problem.ts';
import { Route } from '../route.decorator.ts';
import { aliasParam, idSchema } from '../schemas/common.schema.ts';
import {
  cancelSopBody,
  sopCancelledSchema,
  sopRunListSchema,
  sopRunQuery,
  sopRunSchema,
  sopStartedSchema,
  startSopBody,
  type SopRunQuery,
  type StartSopBody,
} from '../schemas/work.schema.ts';
import { seenAgents } from './answers.ts';
import { idempotencyKey } from './launch.ts';

/** Procedures and their runs. */
@Controller('v1/sops')
export class SopsController {
  readonly #parts: HttpParts;
  readonly #sops: SopRuns;

  constructor(@Inject(HTTP_PARTS) parts: HttpParts, @Inject(SOP_RUNS) sops: SopRuns) {
    this.#parts = parts;
    this.#sops = sops;
  }

  @Post(':name/runs')
  @HttpCode(202)
  @Route({
    access: ['operator'],
    summary: 'Start a procedure.',
    answers: { 202: sopStartedSchema },
  })
  async start(
    @Param('name', { schema: aliasParam }) name: string,
    @Body({ schema: startSopBody }) { input }: StartSopBody,
    @Req() request: FastifyRequest,
  ): Promise<unknown> {
    const caller = requireCaller(request);
    const { principal, token } = caller;
    const key = idempotencyKey(request);
    const run = key === null ? null : runOfKey(caller, key);
    if (run !== null) await this.#sameBody(run, name, input);
    const started = await this.#sops.start({
      sop: name,
      input,
      run,
      by: principal,
      from: { kind: 'manual', origin: { kind: 'rest', token } },
    });
    if (started.kind === 'started') return { id: started.run, sop: name, repeat: started.repeat };
    switch (started.code) {
      case 'not_found':
        throw notFound('procedure', name);
      case 'not_permitted':
        await this.#parts.accessLog.denied(principal, `start procedure ${name}`, started.message);
        throw new ProblemError('forbidden', started.message);
      case 'stopped':
      case 'disk_full':
        throw new ProblemError(started.code, started.message);
      case 'other_run':
        throw keyReused();
    }
  }

  @Get('runs')
  @Route({
    access: ['viewer'],
    summary: 'Runs of procedures, newest first.',
    answers: { 200: sopRunListSchema },
  })
  async list(
    @Query({ schema: sopRunQuery }) query: SopRunQuery,
    @CallerParam() caller: Caller,
  ): Promise<unknown> {
    const { config, readSide } = this.#parts;
    const page = await readSide.sopRuns(query, seenAgents(config, caller));
    return { items: page.items.map((row) => shown(row, caller)), next: page.next };
  }

  @Get('runs/:id')
  @Route({ access: ['viewer'], summary: 'One run.', answers: { 200: sopRunSchema } })
  async one(
    @Param('id', { schema: idSchema }) id: string,
    @CallerParam() caller: Caller,
  ): Promise<unknown> {
    const row = await this.#seen(id, caller);
    const state = await this.#sops.state(id);
    const done = state?.status === 'ended' && state.outcome.kind === 'completed';
    // The row holds the first line; here stands the whole.
    return shown(done ? { ...row, output: state.outcome.output } : row, caller);
  }

  @Post('runs/:id/cancel')
  @HttpCode(202)
  @Route({
    access: ['operator'],
    summary: 'Cancel a run, its running step and what that started.',
    answers: { 202: sopCancelledSchema },
  })
  async cancel(
    @Param('id', { schema: idSchema }) id: string,
    @Body({ schema: cancelSopBody }) { why }: { readonly why: string },
    @CallerParam() caller: Caller,
  ): Promise<unknown> {
    await this.#seen(id, caller);
    const { person, id: principal } = caller.principal;
    const status = await this.#sops.cancel(id, person ?? principal, why);
    if (status === 'not_found') throw notFound('run', id);
    return { id, status };
  }

  /** @throws ProblemError when the key came with another procedure or input before */
  async #sameBody(run: string, name: string, input: string): Promise<void> {
    const [first] = await this.#parts.store.readStream(`sop-${run}`, { limit: 1 });
    if (first?.type !== 'SopRunStarted') return;
    const held = first.data.input;
    const text = 'artifact' in held ? await this.#parts.artifacts.get(held.artifact) : null;
    const before = 'inline' in held ? held.inline : text;
    if (first.data.sop !== name || before !== input) throw keyReused();
  }

  async #seen(id: string, caller: Caller): Promise<SopRunRow> {
    const row = await this.#parts.readSide.sopRun(id);
    if (row === null || !row.steps.every(({ agent }) => seesAgent(caller, agent)))
      throw notFound('run', id);
    return row;
  }
}

/** With a key of the caller's a repeat is the same run. */
const runOfKey = ({ principal }: Caller, key: string): string =>
  digestOf(['sop-run', principal.kind, principal.id, key]).slice(0, 32);

const keyReused = (): ProblemError =>
  new ProblemError(
    'idempotency_key_reused',
    'this Idempotency-Key came with another body before: use a new key',
  );

/** A run as a caller may see it: its texts for auditors and for who started it. */
const shown = (row: SopRunRow, caller: Caller): Record<string, unknown> => {
  const { kind, id, person } = caller.principal;
  if (seesContent(caller) || row.by === (person ?? `${kind}:${id}`)) return { ...row };
  const steps = row.steps.map((step) => ({ ...step, why: null }));
  const failure = row.failure === null ? null : { ...row.failure, message: '' };
  return { ...row, steps, input: null, output: null, failure };
};
