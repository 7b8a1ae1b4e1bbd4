import type { AddressInfo } from 'node:net';
import type { DynamicModule, LoggerService, NestApplicationOptions } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import { acceptWebSockets, webSocketLimits } from '../paths/gateway/websocket-server.ts';
import { entryLimit, frameworkErrors, guardEntry } from './entry.ts';
import { controllers, HttpModule } from './http.module.ts';
import { HTTP_PARTS, type HttpBase, type HttpParts } from './http-parts.ts';
import { keepRawBodies } from './raw-body.ts';
import { createOpenApi } from './openapi.ts';

/** The HTTP side of one daemon. */
export interface HttpServer {
  readonly app: NestFastifyApplication;
  /** Answers the address, its real port filled in. Rejects when the port cannot be had. */
  listen(port: number, host: string): Promise<string>;
  close(): Promise<void>;
}

/** How long a client may take to send a request, and between two on one connection. */
const times = { requestTimeout: 30_000, keepAliveTimeout: 10_000, headersTimeout: 15_000 };

/** Bodies are checked by zod: the compilers that Fastify would load for schemas of its own cost a tenth of the start. */
const noCompiler = () => (): never => {
  throw new TypeError('a route checks its input with zod, and has no schema of Fastify');
};
const noCompilers = { buildValidator: noCompiler, buildSerializer: noCompiler };

/** @param ports modules that export TURNS and TOOLS, or are global and do */
export const createHttpServer = async (
  parts: HttpBase,
  ports: readonly DynamicModule[],
): Promise<HttpServer> => {
  const { max_body_kb: maxBodyKb } = parts.config.current().config.gateway;
  const { trustedProxies } = parts.gateway;
  const adapter = new FastifyAdapter({
    bodyLimit: maxBodyKb * 1024,
    requestTimeout: times.requestTimeout,
    keepAliveTimeout: times.keepAliveTimeout,
    // Open streams would keep a stopping daemon waiting.
    forceCloseConnections: true,
    trustProxy: trustedProxies.length === 0 ? false : [...trustedProxies],
    exposeHeadRoutes: false,
    routerOptions: { maxParamLength: 300 },
    frameworkErrors: frameworkErrors(parts.log),
    schemaController: { compilersFactory: noCompilers },
  });
  const server = adapter.getInstance<FastifyInstance>();
  server.server.headersTimeout = times.headersTimeout;
  // JSON is the only form of a body.
  server.removeContentTypeParser('text/plain');
  const limit = entryLimit(parts);
  keepRawBodies(server);
  guardEntry(server, parts, limit);
  const holder: { app: NestFastifyApplication | null } = { app: null };
  const openApi = createOpenApi(() => {
    if (holder.app === null) throw new TypeError('the application is not made yet');
    return holder.app;
  }, controllers);
  const app = await NestFactory.create<NestFastifyApplication>(
    HttpModule.over(parts, openApi, ports),
    adapter,
    options(parts.log),
  );
  holder.app = app;
  await app.init();
  await server.ready();
  const { turns } = app.get<HttpParts>(HTTP_PARTS, { strict: false });
  acceptWebSockets(server.server, { ...parts, turns, limit, limits: webSocketLimits });
  return {
    app,
    listen: async (port, host) => {
      await app.listen(port, host);
      const { port: real } = app.getHttpServer().address() as AddressInfo;
      return `http://${host.includes(':') ? `[${host}]` : host}:${real}`;
    },
    close: () => app.close(),
  };
};

const options = (
  log: Logger,
): Pick<NestApplicationOptions, 'bodyParser' | 'logger' | 'abortOnError'> => ({
  bodyParser: false,
  logger: nestLogger(log),
  abortOnError: false,
});

/** Nest says much at each start; what a person must know goes to our log. */
const nestLogger = (log: Logger): LoggerService => ({
  log: () => undefined,
  debug: () => undefined,
  verbose: () => undefined,
  warn: (message: unknown) => {
    log.warn(String(message));
  },
  error: (message: unknown) => {
    log.error(String(message));
  },
  fatal: (message: unknown) => {
    log.fatal(String(message));
  },
});
