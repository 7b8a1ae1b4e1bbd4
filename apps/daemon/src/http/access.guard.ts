import { Inject, Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { holdsAny, isLocal, type Caller } from '../access/caller.ts';
import { callerOf } from './caller.decorator.ts';
import { unauthenticated } from './entry.ts';
import { HTTP_PARTS, type HttpParts } from './http-parts.ts';
import { ProblemError } from './problem.ts';
import { routeKey, type RouteAccess, type RouteSpec } from './route.decorator.ts';

/** Lets a caller through to a route if the route says so. A denial is an event. */
@Injectable()
export class AccessGuard implements CanActivate {
  readonly #parts: HttpParts;

  constructor(@Inject(HTTP_PARTS) parts: HttpParts) {
    this.#parts = parts;
  }

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const spec = Reflect.getMetadata(routeKey, context.getHandler()) as RouteSpec | undefined;
    const declared = spec?.access;
    if (declared === 'public') return true;
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    const caller = callerOf(request);
    if (caller === null) throw unauthenticated(null);
    const why = refusal(declared, caller);
    if (why === null) return true;
    const action = `${request.method} ${request.routeOptions.url ?? ''}`;
    await this.#parts.accessLog.denied(caller.principal, action, why);
    throw new ProblemError('forbidden', why);
  }
}

const refusal = (declared: RouteAccess | undefined, caller: Caller): string | null => {
  if (declared === undefined) return 'nobody may use this route';
  if (declared === 'signed-in' || declared === 'public') return null;
  if (declared === 'local') return isLocal(caller) ? null : 'this needs the local token';
  return holdsAny(caller, declared) ? null : `this needs the role ${declared.join(' or ')}`;
};
