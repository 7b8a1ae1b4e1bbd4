import { Body, Controller, Inject, Param, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { PathName } from '@lockstep/policy';
import { parseRest } from '../../paths/gateway/rest.path.ts';
import { parseRun } from '../../paths/loop/run.path.ts';
import { requireCaller } from '../caller.decorator.ts';
import { Route } from '../route.decorator.ts';
import { aliasParam } from '../schemas/common.schema.ts';
import {
  startRunBody,
  startTurnBody,
  turnAnswerSchema,
  type StartTurnBody,
} from '../schemas/turn.schema.ts';
import { idempotencyKey, Launcher, wantsStream, type LaunchCall } from './launch.ts';

/** Where turns start over HTTP. */
@Controller('v1/agents/:alias')
export class StartController {
  readonly #launcher: Launcher;

  constructor(@Inject(Launcher) launcher: Launcher) {
    this.#launcher = launcher;
  }

  @Post('turns')
  @Route({
    access: ['operator'],
    summary: 'Start a turn. With `Accept: text/event-stream` the answer is a stream.',
    answers: { 200: turnAnswerSchema, 202: turnAnswerSchema },
  })
  async startTurn(
    @Param('alias', { schema: aliasParam }) agent: string,
    @Body({ schema: startTurnBody }) body: StartTurnBody,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const call = callOf('gateway', body, request, reply);
    await this.#launcher.launch(parseRest({ agent, body, ...wireOf(call) }), call);
  }

  @Post('runs')
  @Route({
    access: 'local',
    summary: 'Start a run of the command line.',
    answers: { 200: turnAnswerSchema, 202: turnAnswerSchema },
  })
  async startRun(
    @Param('alias', { schema: aliasParam }) agent: string,
    @Body({ schema: startRunBody }) body: StartTurnBody,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const call = callOf('loop', body, request, reply);
    await this.#launcher.launch(parseRun({ agent, body, ...wireOf(call) }), call);
  }
}

const callOf = (
  path: PathName,
  body: StartTurnBody,
  request: FastifyRequest,
  reply: FastifyReply,
): LaunchCall => ({ caller: requireCaller(request), request, reply, path, wait: body.wait });

const wireOf = ({ caller, request }: LaunchCall) => ({
  caller,
  idempotencyKey: idempotencyKey(request),
  streaming: wantsStream(request),
});
