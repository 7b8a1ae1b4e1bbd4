import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { Caller } from '../access/caller.ts';
import { ProblemError } from './problem.ts';

const callers = new WeakMap<object, Caller>();

/** Remembers who makes this request. */
export const setCaller = (request: FastifyRequest, caller: Caller): void => {
  callers.set(request.raw, caller);
};

export const callerOf = (request: FastifyRequest): Caller | null =>
  callers.get(request.raw) ?? null;

/** The authenticated caller of a request.
 * @throws ProblemError when nobody known makes it */
export const requireCaller = (request: FastifyRequest): Caller => {
  const caller = callerOf(request);
  if (caller === null) throw new ProblemError('unauthenticated', 'a valid token is needed');
  return caller;
};

export const CallerParam = createParamDecorator((_data: unknown, context: ExecutionContext) =>
  requireCaller(context.switchToHttp().getRequest<FastifyRequest>()),
);
