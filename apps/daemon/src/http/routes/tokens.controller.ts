import { Body, Controller, Delete, Get, HttpCode, Inject, Param, Post } from '@nestjs/common';
import type { LiveToken } from '@lockstep/engine';
import { localTokenName } from '../../access/authenticator.ts';
import type { Caller } from '../../access/caller.ts';
import { CallerParam } from '../caller.decorator.ts';
import { HTTP_PARTS, type HttpParts } from '../http-parts.ts';
import { notFound, ProblemError } from '../problem.ts';
import { Route } from '../route.decorator.ts';
import {
  issuedTokenSchema,
  issueTokenBody,
  tokenListSchema,
  type IssueTokenBody,
} from '../schemas/access.schema.ts';
import { idSchema } from '../schemas/common.schema.ts';

const dayMs = 86_400_000;

/** Tokens of programs and people. */
@Controller('v1/tokens')
export class TokensController {
  readonly #parts: HttpParts;

  constructor(@Inject(HTTP_PARTS) parts: HttpParts) {
    this.#parts = parts;
  }

  @Get()
  @Route({
    access: ['admin'],
    summary: 'Tokens that are in force. Their texts are kept nowhere.',
    answers: { 200: tokenListSchema },
  })
  list(): unknown {
    return { items: this.#live().map(shown), next: null };
  }

  @Post()
  @Route({
    access: ['admin'],
    summary: 'Issue a token. Its text is in this answer only.',
    answers: { 201: issuedTokenSchema },
  })
  async issue(
    @Body({ schema: issueTokenBody }) body: IssueTokenBody,
    @CallerParam() caller: Caller,
  ): Promise<unknown> {
    if (body.name === localTokenName || this.#live().some(({ name }) => name === body.name))
      throw new ProblemError('name_taken', `there is a token \`${body.name}\`: revoke it first`);
    const expires =
      body.expiresInDays === null
        ? ('never' as const)
        : this.#parts.clock.now() + body.expiresInDays * dayMs;
    const wish = { name: body.name, roles: body.roles, scopes: body.scopes, expires };
    const { id, token } = await this.#parts.accessLog.issue(wish, caller.principal);
    return { id, ...wish, token };
  }

  @Delete(':id')
  @HttpCode(204)
  @Route({
    access: ['admin'],
    summary: 'Revoke a token; its sessions and streams end.',
    answers: { 204: 'none' },
  })
  async revoke(
    @Param('id', { schema: idSchema }) id: string,
    @CallerParam() caller: Caller,
  ): Promise<void> {
    const token = this.#parts.ledger.tokenById(id);
    if (token === null) throw notFound('token', id);
    if (token.name === localTokenName)
      throw new ProblemError(
        'forbidden',
        'the local token is replaced at each start of the daemon',
      );
    await this.#parts.accessLog.revoke(id, caller.principal);
    this.#parts.live.endToken(id);
  }

  #live(): LiveToken[] {
    const now = this.#parts.clock.now();
    return this.#parts.ledger
      .tokens()
      .filter((token) => token.expires === 'never' || token.expires > now);
  }
}

const shown = ({ id, name, roles, scopes, expires }: LiveToken) => ({
  id,
  name,
  roles,
  scopes,
  expires,
});
