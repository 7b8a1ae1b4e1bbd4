import { Body, Controller, Get, HttpCode, Inject, Param, Post, Query } from '@nestjs/common';
import type { PathName, SettingKey } from '@lockstep/policy';
import { seesAgent, type Caller } from '../../access/caller.ts';
import { CallerParam } from '../caller.decorator.ts';
import type { ProbeRun } from '../../probe/probes.port.ts';
import { HTTP_PARTS, type HttpParts } from '../http-parts.ts';
import { notFound, ProblemError } from '../problem.ts';
import { Route } from '../route.decorator.ts';
import { knownAgent } from './answers.ts';
import { idSchema } from '../schemas/common.schema.ts';
import { acceptedSchema } from '../schemas/turn.schema.ts';
import {
  parityCellSchema,
  parityQuery,
  type ParityAsked,
  paritySchema,
  pathParam,
  probesBody,
  type ProbesBody,
  probesListSchema,
  probesSchema,
  projectionListSchema,
  rebuildBody,
  type RebuildBody,
  settingParam,
} from '../schemas/parity.schema.ts';

/** The matrix, and the read models it stands on. */
@Controller('v1')
export class ParityController {
  readonly #parts: HttpParts;

  constructor(@Inject(HTTP_PARTS) parts: HttpParts) {
    this.#parts = parts;
  }

  @Get('parity')
  @Route({
    access: ['viewer'],
    summary: 'The parity matrix at a position.',
    answers: { 200: paritySchema },
  })
  parity(
    @Query({ schema: parityQuery }) query: ParityAsked,
    @CallerParam() caller: Caller,
  ): Promise<unknown> {
    // The matrix of all agents is for who may see all of them.
    if (!seesAgent(caller, query.agent ?? '*'))
      throw new ProblemError(
        'forbidden',
        "the token's scope leaves agents out: name one that it holds with `?agent=`",
      );
    return this.#parts.readSide.parity(query.agent ?? null, query.version);
  }

  @Get('parity/cells/:setting/:path')
  @Route({
    access: ['viewer'],
    summary: 'One cell: expected, seen, and the events that say so.',
    answers: { 200: parityCellSchema },
  })
  async cell(
    @Param('setting', { schema: settingParam }) setting: SettingKey,
    @Param('path', { schema: pathParam }) path: PathName,
    @Query({ schema: parityQuery }) { agent, version }: ParityAsked,
    @CallerParam() caller: Caller,
  ): Promise<unknown> {
    const detail = await this.#parts.readSide.parityCell(setting, path, agent ?? null, version);
    return {
      ...detail,
      evidence: detail.evidence.filter((entry) => seesAgent(caller, entry.agent)),
    };
  }

  @Post('parity/probes')
  @HttpCode(202)
  @Route({
    access: ['operator'],
    summary:
      'Try every setting of the config in force, in a daemon of its own, and record what it shows.',
    answers: { 202: probesSchema },
  })
  async probe(
    @Body({ schema: probesBody }) body: ProbesBody,
    @CallerParam() caller: Caller,
  ): Promise<ProbeRun> {
    const { agent = null, path = null, setting = null } = body;
    if (agent !== null) knownAgent(this.#parts.config, agent, caller);
    else if (!seesAgent(caller, '*'))
      throw new ProblemError(
        'forbidden',
        "the token's scope leaves agents out: name one that it holds",
      );
    const started = await this.#parts.probes.start({ agent, path, setting }, caller.principal);
    if (started.kind === 'started') return started.run;
    if (started.kind === 'refused') throw new ProblemError(started.code, started.message);
    const fields = { run: started.run };
    throw new ProblemError('busy', 'probes run already: wait for them', { fields });
  }

  @Get('parity/probes')
  @Route({
    access: ['viewer'],
    summary: 'Runs of probes since the daemon started, newest first.',
    answers: { 200: probesListSchema },
  })
  async runs(@CallerParam() caller: Caller): Promise<unknown> {
    const runs = await this.#parts.probes.list();
    return { items: runs.filter(({ agent }) => seesAgent(caller, agent ?? '*')), next: null };
  }

  @Get('parity/probes/:id')
  @Route({
    access: ['viewer'],
    summary: 'One run of probes: how far it is, and what it recorded.',
    answers: { 200: probesSchema },
  })
  async run(
    @Param('id', { schema: idSchema }) id: string,
    @CallerParam() caller: Caller,
  ): Promise<ProbeRun> {
    const run = await this.#parts.probes.get(id);
    if (run === null || !seesAgent(caller, run.agent ?? '*')) throw notFound('run of probes', id);
    return run;
  }

  @Get('projections')
  @Route({
    access: ['viewer'],
    summary: 'How far each read model is.',
    answers: { 200: projectionListSchema },
  })
  async projections(): Promise<unknown> {
    return { items: await this.#parts.readSide.status(), next: null };
  }

  @Post('projections/rebuild')
  @HttpCode(202)
  @Route({
    access: ['operator'],
    summary: 'Build one read model, or all of them, again from the log.',
    answers: { 202: acceptedSchema },
  })
  async rebuild(@Body({ schema: rebuildBody }) body: RebuildBody): Promise<unknown> {
    await this.#parts.readSide.rebuild(body.name ?? null);
    return { id: body.name ?? 'projections', status: 'rebuilding' };
  }
}
