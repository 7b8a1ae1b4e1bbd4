import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { WebSocketServer } from 'ws';
import type { AccessLog } from '../../access/access-log.ts';
import type { Caller } from '../../access/caller.ts';
import { hostProblem } from '../../access/host-check.ts';
import { unauthenticated } from '../../http/entry.ts';
import type { LiveStreams } from '../../http/live-streams.ts';
import { notFound, ProblemError } from '../../http/problem.ts';
import { toProblem } from '../../http/problem.filter.ts';
import { WebSocketConnection, type WebSocketParts } from './websocket-connection.ts';

export const webSocketPath = '/v1/ws';
/** The subprotocol that a client names beside its credentials; the server answers it alone, so no secret comes back. */
export const webSocketProtocol = 'lockstep.v1';

export interface UpgradeParts extends WebSocketParts {
  readonly accessLog: AccessLog;
  readonly live: LiveStreams;
  readonly gateway: { readonly extraHosts: readonly string[] };
}

/** Takes WebSocket clients on the daemon's own port. Who may not come in gets an HTTP answer, before anything is upgraded. */
export const acceptWebSockets = (server: Server, parts: UpgradeParts): void => {
  const sockets = new WebSocketServer({
    noServer: true,
    maxPayload: parts.config.current().config.gateway.max_body_kb * 1024,
    perMessageDeflate: false,
    handleProtocols: (offered) => (offered.has(webSocketProtocol) ? webSocketProtocol : false),
  });
  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    socket.on('error', () => undefined);
    enter(request, parts).then(
      (caller) => {
        sockets.handleUpgrade(request, socket, head, (client) => {
          const connection = new WebSocketConnection(parts, client, caller);
          parts.live.add(connection, { token: caller.token, session: caller.session });
        });
      },
      (thrown: unknown) => {
        turnAway(socket, toProblem(thrown, parts.log));
      },
    );
  });
};

/** Who asks for an upgrade.
 * @throws ProblemError for who may not come in */
const enter = async (request: IncomingMessage, parts: UpgradeParts): Promise<Caller> => {
  const { host, origin, cookie, authorization } = request.headers;
  const path = request.url?.split('?', 1)[0] ?? '';
  const action = `WebSocket ${path}`.slice(0, 200);
  const known = [...parts.config.current().config.gateway.hosts, ...parts.gateway.extraHosts];
  const foreign = hostProblem({ host, origin }, known);
  if (foreign !== null) {
    await parts.accessLog.deniedUnknown(action, 'foreign host or origin');
    throw new ProblemError('forbidden', foreign);
  }
  const offered = protocolsIn(request.headers['sec-websocket-protocol']);
  const bearer = authorization ?? bearerIn(offered);
  const who = parts.authenticator.authenticate({
    authorization: bearer,
    cookie,
    csrf: valueOf(offered, 'csrf.'),
    // A page of another origin cannot set the header of our own; here it is named among the protocols.
    changes: true,
  });
  const key = who.kind === 'caller' ? `token ${who.caller.token}` : `address ${addressOf(request)}`;
  if (parts.limit.take(key, parts.clock.now()) > 0)
    throw new ProblemError('rate_limited', 'too many requests: wait before the next one');
  if (who.kind === 'forged') {
    const why = 'missing or wrong csrf';
    await parts.accessLog.denied(who.caller.principal, action, why);
    throw new ProblemError(
      'forbidden',
      'a browser session names the protocol `csrf.<value>`, its value from `GET /v1/session`',
    );
  }
  if (who.kind !== 'caller') {
    await parts.accessLog.deniedUnknown(action, who.kind === 'invalid' ? who.why : 'no token');
    throw unauthenticated(who.kind === 'invalid' ? who.why : null);
  }
  if (path !== webSocketPath) throw notFound('address', path);
  if (who.caller.via === 'cookie' && origin === undefined)
    throw new ProblemError('forbidden', 'a browser session needs an Origin');
  return who.caller;
};

const addressOf = (request: IncomingMessage): string => request.socket.remoteAddress ?? 'unknown';

const protocolsIn = (header: string | undefined): readonly string[] =>
  (header ?? '').split(',').map((name) => name.trim());

/** A browser cannot set headers of a WebSocket; it names its token among the protocols. */
const bearerIn = (offered: readonly string[]): string | undefined => {
  const token = valueOf(offered, 'bearer.');
  return token === undefined ? undefined : `Bearer ${token}`;
};

const valueOf = (offered: readonly string[], prefix: string): string | undefined =>
  offered.find((name) => name.startsWith(prefix))?.slice(prefix.length);

const turnAway = (socket: Duplex, problem: ProblemError): void => {
  const body = JSON.stringify(problem.document());
  const lines = [
    `HTTP/1.1 ${problem.status} ${problem.code}`,
    'content-type: application/problem+json; charset=utf-8',
    `content-length: ${Buffer.byteLength(body)}`,
    'cache-control: no-store',
    'connection: close',
    ...Object.entries(problem.headers).map(([name, value]) => `${name}: ${value}`),
  ];
  socket.end(`${lines.join('\r\n')}\r\n\r\n${body}`);
};

/** What one client may ask of the daemon's memory and time. */
export const webSocketLimits = {
  pingMs: 15_000,
  unread: 8 * 1024 * 1024,
  turns: 64,
  frames: 16,
} as const;
