import { Body, Controller, Delete, Get, HttpCode, Inject, Post, Query } from '@nestjs/common';
import type { FlagRecord } from '@lockstep/engine';
import { seesAgent, type Caller } from '../../access/caller.ts';
import { CallerParam } from '../caller.decorator.ts';
import { HTTP_PARTS, type HttpParts } from '../http-parts.ts';
import { ProblemError } from '../problem.ts';
import { Route } from '../route.decorator.ts';
import {
  stopBody,
  stopQuery,
  stopStateSchema,
  type StopBody,
  type StopQuery,
} from '../schemas/stop.schema.ts';

/** The emergency stop: no new call of any agent, or of one and what it started; what runs is cancelled. It outlives a restart. */
@Controller('v1/stop')
export class StopController {
  readonly #parts: HttpParts;

  constructor(@Inject(HTTP_PARTS) parts: HttpParts) {
    this.#parts = parts;
  }

  @Get()
  @Route({
    access: ['viewer'],
    summary: 'Emergency stops and pauses in force, and whose they are.',
    answers: { 200: stopStateSchema },
  })
  state(@CallerParam() caller: Caller): unknown {
    return this.#state(caller);
  }

  @Post()
  @HttpCode(200)
  @Route({
    access: ['operator'],
    summary: 'Stop every agent, or one: nothing new begins, what runs is cancelled.',
    answers: { 200: stopStateSchema },
  })
  async set(
    @Body({ schema: stopBody }) body: StopBody,
    @CallerParam() caller: Caller,
  ): Promise<unknown> {
    const agent = scoped(body.agent ?? null, caller);
    const { principal } = caller;
    if (!this.#holds(agent)) {
      const data = { agent, by: principal.id, why: body.why };
      await this.#parts.recorder.record('daemon', [{ type: 'EmergencyStopSet', data }], {
        principal,
      });
    }
    this.#parts.turns.flagsChanged();
    return this.#state(caller);
  }

  @Delete()
  @HttpCode(200)
  @Route({
    access: ['operator'],
    summary: 'Take an emergency stop back: agents take work again.',
    answers: { 200: stopStateSchema },
  })
  async clear(
    @Query({ schema: stopQuery }) query: StopQuery,
    @CallerParam() caller: Caller,
  ): Promise<unknown> {
    const agent = scoped(query.agent ?? null, caller);
    const { principal } = caller;
    if (this.#holds(agent)) {
      const data = { agent, by: principal.id };
      await this.#parts.recorder.record('daemon', [{ type: 'EmergencyStopCleared', data }], {
        principal,
      });
    }
    this.#parts.turns.flagsChanged();
    return this.#state(caller);
  }

  #holds(agent: string | null): boolean {
    return this.#parts.ledger
      .allFlags()
      .some((flag) => flag.kind === 'stop' && flag.agent === agent);
  }

  #state(caller: Caller): unknown {
    const seen = this.#parts.ledger
      .allFlags()
      .filter(({ agent }) => agent === null || seesAgent(caller, agent));
    const shown = (kind: FlagRecord['kind']) =>
      seen
        .filter((flag) => flag.kind === kind)
        .map(({ agent, by, why, since }) => ({ agent, by, why, since }));
    return { stops: shown('stop'), pauses: shown('pause') };
  }
}

/** Every agent is more than a scope of some. An agent that left the config can be stopped: its turns may still run. */
const scoped = (agent: string | null, caller: Caller): string | null => {
  if (agent === null ? caller.scopes.agents.includes('*') : seesAgent(caller, agent)) return agent;
  throw new ProblemError(
    'forbidden',
    agent === null
      ? "the token's scope does not reach every agent: name one"
      : `the token's scope leaves out the agent \`${agent}\``,
  );
};
