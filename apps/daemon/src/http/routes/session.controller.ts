import { Body, Controller, Delete, Get, HttpCode, Inject, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { sessionCookie } from '../../access/authenticator.ts';
import type { Caller } from '../../access/caller.ts';
import { sessionTtlMs, type CookieSession } from '../../access/sessions.ts';
import { CallerParam } from '../caller.decorator.ts';
import { unauthenticated } from '../entry.ts';
import { HTTP_PARTS, type HttpParts } from '../http-parts.ts';
import { Route } from '../route.decorator.ts';
import {
  linkSchema,
  sessionSchema,
  signInBody,
  type SignInBody,
} from '../schemas/access.schema.ts';

/** Signing in to the console, and out. */
@Controller('v1/session')
export class SessionController {
  readonly #parts: HttpParts;

  constructor(@Inject(HTTP_PARTS) parts: HttpParts) {
    this.#parts = parts;
  }

  @Post()
  @HttpCode(200)
  @Route({
    access: 'public',
    summary: 'Exchange a sign-in link or a token for a session cookie.',
    answers: { 200: sessionSchema },
  })
  async signIn(
    @Body({ schema: signInBody }) body: SignInBody,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<unknown> {
    const how = 'link' in body ? 'link' : 'token';
    const caller = this.#redeem(body);
    if (caller === null) {
      await this.#parts.accessLog.deniedUnknown('POST /v1/session', `wrong or used ${how}`);
      throw unauthenticated(
        how === 'link'
          ? 'the link is unknown, used or expired: make a new one with `lockstep token link`'
          : 'the token is unknown, expired or revoked',
      );
    }
    const { cookie, session } = this.#parts.sessions.open(caller.token);
    await this.#parts.accessLog.signedIn(caller.principal, how, request.ip);
    const secure = request.protocol === 'https' ? '; Secure' : '';
    void reply.header(
      'set-cookie',
      `${sessionCookie}=${cookie}; Path=/; HttpOnly; SameSite=Strict; Max-Age=${sessionTtlMs / 1000}${secure}`,
    );
    return show({ ...caller, via: 'cookie' }, session);
  }

  @Get()
  @Route({
    access: 'signed-in',
    summary: 'Who is signed in. `csrf` goes into the header `lockstep-csrf`.',
    answers: { 200: sessionSchema },
  })
  current(@CallerParam() caller: Caller): unknown {
    const session = caller.session === null ? null : this.#parts.sessions.byHash(caller.session);
    return show(caller, session);
  }

  @Delete()
  @HttpCode(204)
  @Route({ access: 'signed-in', summary: 'Sign out.', answers: { 204: 'none' } })
  signOut(@CallerParam() caller: Caller, @Res({ passthrough: true }) reply: FastifyReply): void {
    if (caller.session !== null) {
      this.#parts.sessions.close(caller.session);
      this.#parts.live.endSession(caller.session);
    }
    void reply.header(
      'set-cookie',
      `${sessionCookie}=; Path=/; HttpOnly; SameSite=Strict; Max-Age=0`,
    );
  }

  @Post('links')
  @Route({
    access: 'local',
    summary: 'A new sign-in link, for one sign-in within ten minutes.',
    answers: { 201: linkSchema },
  })
  link(@CallerParam() caller: Caller): unknown {
    const { code, expires } = this.#parts.sessions.createLink(caller.token);
    return { link: code, expires };
  }

  #redeem(body: SignInBody): Caller | null {
    const { authenticator, sessions } = this.#parts;
    if ('token' in body) return authenticator.byToken(body.token);
    const token = sessions.redeemLink(body.link);
    return token === null ? null : authenticator.byTokenId(token);
  }
}

const show = (caller: Caller, session: CookieSession | null) => ({
  principal: caller.principal.id,
  kind: caller.principal.kind,
  person: caller.principal.person,
  roles: [...caller.roles],
  scopes: caller.scopes,
  via: caller.via,
  csrf: session?.csrf ?? null,
  expires: session?.expires ?? null,
});
