import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import type { Clock } from '@lockstep/engine';
import type { AccessLog } from '../access/access-log.ts';
import type { Authentication, Authenticator } from '../access/authenticator.ts';
import { hostProblem } from '../access/host-check.ts';
import { createRateLimit, type RateLimit } from '../access/rate-limit.ts';
import type { CurrentConfig } from '../config/current-config.port.ts';
import { setCaller } from './caller.decorator.ts';
import { refuseClosed, type Closing } from './closed.ts';
import { ProblemError } from './problem.ts';
import { sendProblem, toProblem } from './problem.filter.ts';

/** Addresses that need no token. Held to the routes' own declarations by a spec. */
export const publicPaths: ReadonlySet<string> = new Set(['/healthz', '/readyz', '/v1/session']);
/** Addresses whose requests are signed with a channel's own key, as their routes check. */
const isSigned = (path: string): boolean =>
  /^\/v1\/channels\/[^/]+\/(?:webhook|conversations\/[^/]+)$/.test(path);
const isPublic = (path: string): boolean =>
  publicPaths.has(path) ||
  isSigned(path) ||
  path === '/docs-json' ||
  path === '/docs' ||
  path.startsWith('/docs/');

export interface EntryParts extends Closing {
  readonly authenticator: Authenticator;
  readonly accessLog: AccessLog;
  readonly config: CurrentConfig;
  readonly clock: Clock;
  readonly log: Logger;
  readonly gateway: { readonly extraHosts: readonly string[] };
}

/** How often each caller may act, over all that it has open. */
export const entryLimit = (parts: Pick<EntryParts, 'config'>): RateLimit =>
  createRateLimit(() => parts.config.current().config.gateway.rate_per_minute);

/** Looks at every request before its body is read: host, origin, who calls, how often. */
export const guardEntry = (
  server: FastifyInstance,
  parts: EntryParts,
  limit: RateLimit = entryLimit(parts),
): void => {
  server.addHook('onRequest', async (request, reply) => {
    reply.header('x-content-type-options', 'nosniff');
    try {
      await enter(request, parts, limit);
    } catch (thrown) {
      sendProblem(reply, toProblem(thrown, parts.log));
      return reply;
    }
  });
};

const enter = async (
  request: FastifyRequest,
  parts: EntryParts,
  limit: RateLimit,
): Promise<void> => {
  const path = request.url.split('?', 1)[0] ?? '';
  const action = `${request.method} ${path}`.slice(0, 200);
  const foreign = hostProblem({ host: request.headers.host, origin: request.headers.origin }, [
    ...parts.config.current().config.gateway.hosts,
    ...parts.gateway.extraHosts,
  ]);
  if (foreign !== null) {
    await parts.accessLog.deniedUnknown(action, 'foreign host or origin');
    throw new ProblemError('forbidden', foreign);
  }
  const who = parts.authenticator.authenticate({
    authorization: request.headers.authorization,
    cookie: request.headers.cookie,
    csrf: single(request.headers['lockstep-csrf']),
    changes: request.method !== 'GET' && request.method !== 'HEAD',
  });
  const key = who.kind === 'caller' ? `token ${who.caller.token}` : `address ${request.ip}`;
  const waitMs = limit.take(key, parts.clock.now());
  if (waitMs > 0)
    throw new ProblemError('rate_limited', 'too many requests: wait before the next one', {
      headers: { 'retry-after': String(Math.ceil(waitMs / 1000)) },
    });
  if (who.kind === 'caller') setCaller(request, who.caller);
  else await turnAway(who, { path, method: request.method, action }, parts.accessLog);
  refuseClosed(parts, { method: request.method, path });
};

/** Throws for who may not come in; returns for what is open to everybody. */
const turnAway = async (
  who: Exclude<Authentication, { readonly kind: 'caller' }>,
  at: { readonly path: string; readonly method: string; readonly action: string },
  accessLog: AccessLog,
): Promise<void> => {
  const signsIn = at.path === '/v1/session' && at.method === 'POST';
  if (who.kind === 'forged') {
    // Signing in again must work whatever session a browser still sends.
    if (signsIn) return;
    await accessLog.denied(who.caller.principal, at.action, 'missing or wrong lockstep-csrf');
    throw new ProblemError(
      'forbidden',
      'the header `lockstep-csrf` is missing or wrong: take its value from `GET /v1/session`',
    );
  }
  if (isPublic(at.path) && (at.path !== '/v1/session' || signsIn)) return;
  const why = who.kind === 'invalid' ? who.why : null;
  await accessLog.deniedUnknown(at.action, why ?? 'no token');
  throw unauthenticated(why);
};

export const unauthenticated = (why: string | null): ProblemError =>
  new ProblemError(
    'unauthenticated',
    why ?? 'send `Authorization: Bearer <token>`, or sign in to the console',
    { headers: { 'www-authenticate': 'Bearer realm="lockstep"' } },
  );

const single = (value: string | string[] | undefined): string | undefined =>
  Array.isArray(value) ? undefined : value;

/** Answers for requests that never reach a route. */
export const frameworkErrors =
  (log: Logger) =>
  (error: Error, _request: FastifyRequest, reply: FastifyReply): void => {
    sendProblem(reply, toProblem(error, log));
  };
