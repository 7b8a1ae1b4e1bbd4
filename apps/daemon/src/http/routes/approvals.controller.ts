import {
  Body,
  Controller,
  Delete,
  Get,
  HttpCode,
  Inject,
  Param,
  Post,
  Query,
  Req,
} from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import type { FastifyRequest } from 'fastify';
import type { InboxRow } from '@lockstep/engine';
import { seesAgent, type Caller } from '../../access/caller.ts';
import { CallerParam, requireCaller } from '../caller.decorator.ts';
import { HTTP_PARTS, type HttpParts } from '../http-parts.ts';
import { notFound } from '../problem.ts';
import { Route } from '../route.decorator.ts';
import {
  approvalQuery,
  decidedSchema,
  decisionBody,
  grantListSchema,
  grantQuery,
  inboxListSchema,
  questionBody,
  type ApprovalQuery,
  type DecisionBody,
  type QuestionBody,
} from '../schemas/approval.schema.ts';
import { idSchema } from '../schemas/common.schema.ts';
import { inlineText, showInboxRow } from '../show.ts';
import { AnswerQuestion, DecideApproval } from '../turns/turn-commands.ts';
import { deciderOf, decisionAnswer, decisionOf, rightsOfCaller, seenAgents } from './answers.ts';
import { mayDecide } from './may-decide.ts';

/** What waits for a person, decisions, and the standing ones. */
@Controller('v1')
export class ApprovalsController {
  readonly #parts: HttpParts;
  readonly #commands: CommandBus;

  constructor(@Inject(HTTP_PARTS) parts: HttpParts, @Inject(CommandBus) commands: CommandBus) {
    this.#parts = parts;
    this.#commands = commands;
  }

  @Get('approvals')
  @Route({
    access: ['viewer'],
    summary: 'Approvals and questions: pending, or the history.',
    answers: { 200: inboxListSchema },
  })
  async list(
    @Query({ schema: approvalQuery }) query: ApprovalQuery,
    @CallerParam() caller: Caller,
  ): Promise<unknown> {
    const { config, readSide } = this.#parts;
    const page = await readSide.approvals(query, seenAgents(config, caller));
    const items = await Promise.all(
      page.items.map(async (row) => showInboxRow(row, await this.#view(row), caller)),
    );
    return { items, next: page.next };
  }

  @Post('approvals/:id/decision')
  @HttpCode(200)
  @Route({
    // Whom the request asks stands in its route: a role, a person, a conversation.
    access: ['viewer'],
    summary: 'Decide an approval, if the request lets you.',
    answers: { 200: decidedSchema },
  })
  async decide(
    @Param('id', { schema: idSchema }) id: string,
    @Body({ schema: decisionBody }) body: DecisionBody,
    @Req() request: FastifyRequest,
  ): Promise<unknown> {
    const caller = requireCaller(request);
    await mayDecide(this.#parts, id, caller);
    const command = new DecideApproval(
      id,
      decisionOf(body),
      deciderOf(caller, request),
      rightsOfCaller(caller),
    );
    return decisionAnswer(id, await this.#commands.execute(command));
  }

  @Post('questions/:id/answer')
  @HttpCode(200)
  @Route({
    access: ['approver', 'operator'],
    summary: "Answer an agent's question.",
    answers: { 200: decidedSchema },
  })
  async answer(
    @Param('id', { schema: idSchema }) id: string,
    @Body({ schema: questionBody }) body: QuestionBody,
    @Req() request: FastifyRequest,
  ): Promise<unknown> {
    const caller = requireCaller(request);
    await mayDecide(this.#parts, id, caller);
    const command = new AnswerQuestion(
      id,
      body,
      deciderOf(caller, request),
      rightsOfCaller(caller),
    );
    return decisionAnswer(id, await this.#commands.execute(command));
  }

  @Get('grants')
  @Route({ access: ['viewer'], summary: 'Standing approvals.', answers: { 200: grantListSchema } })
  grants(
    @Query({ schema: grantQuery }) query: { readonly agent?: string | undefined },
    @CallerParam() caller: Caller,
  ): unknown {
    const now = this.#parts.clock.now();
    const items = this.#parts.ledger
      .allGrants()
      .filter(({ agent }) => query.agent === undefined || query.agent === agent)
      .filter(({ agent }) => seesAgent(caller, agent))
      .filter((grant) => grant.expires === 'never' || grant.expires > now);
    return { items, next: null };
  }

  @Delete('grants/:id')
  @HttpCode(204)
  @Route({
    access: ['approver', 'operator'],
    summary: 'Revoke a standing approval.',
    answers: { 204: 'none' },
  })
  async revokeGrant(
    @Param('id', { schema: idSchema }) id: string,
    @CallerParam() caller: Caller,
  ): Promise<void> {
    const agent = this.#parts.ledger.allGrants().find((grant) => grant.grant === id)?.agent;
    if (agent === undefined || !seesAgent(caller, agent)) throw notFound('grant', id);
    const data = { grant: id, by: caller.principal.id, why: 'revoked by a person' };
    await this.#parts.recorder.record(`agent-${agent}`, [{ type: 'GrantRevoked', data }], {
      principal: caller.principal,
      agent,
    });
  }

  async #view(row: InboxRow): Promise<string | null> {
    const text = inlineText(row.view);
    if (text !== null || !('artifact' in row.view)) return text;
    return this.#parts.artifacts.get(row.view.artifact);
  }
}
