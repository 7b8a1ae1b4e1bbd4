import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { METHOD_METADATA, PATH_METADATA, ROUTE_ARGS_METADATA } from '@nestjs/common/constants.js';
import request from 'supertest';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { roleNames, type Role } from '@lockstep/policy';
import { publicPaths } from './entry.ts';
import { controllers } from './http.module.ts';
import { routeKey, type RouteSpec } from './route.decorator.ts';
import { startHarness, type Harness } from './server.fixture.ts';

interface RouteInfo {
  readonly method: string;
  readonly path: string;
  readonly spec: RouteSpec | undefined;
  readonly args: Readonly<Record<string, { readonly schema?: unknown }>>;
}

const methods = ['GET', 'POST', 'PUT', 'DELETE'];

const allRoutes = (): RouteInfo[] =>
  controllers.flatMap((controller) => {
    const proto = controller.prototype as Record<string, unknown>;
    const base = String(Reflect.getMetadata(PATH_METADATA, controller));
    return Object.getOwnPropertyNames(proto).flatMap((name): RouteInfo[] => {
      const handler = proto[name];
      if (typeof handler !== 'function' || name === 'constructor') return [];
      const method = Reflect.getMetadata(METHOD_METADATA, handler) as number | undefined;
      if (method === undefined) return [];
      const tail = String(Reflect.getMetadata(PATH_METADATA, handler));
      const path = `/${[base, tail]
        .map((p) => p.replace(/^\/|\/$/g, ''))
        .filter(Boolean)
        .join('/')}`;
      return [
        {
          method: methods[method] ?? String(method),
          path,
          spec: Reflect.getMetadata(routeKey, handler) as RouteSpec | undefined,
          args: (Reflect.getMetadata(ROUTE_ARGS_METADATA, controller, name) ??
            {}) as RouteInfo['args'],
        },
      ];
    });
  });

let folder: string;
let daemon: Harness;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'lockstep-http-'));
  daemon = await startHarness(folder);
});
afterEach(async () => {
  await daemon.close();
  await rm(folder, { recursive: true, force: true });
});

const bearer = (token: string): Record<string, string> => ({ authorization: `Bearer ${token}` });

describe('given every route', () => {
  it('declares who may use it and what it answers', () => {
    const routes = allRoutes();
    expect(routes.length).toBeGreaterThan(40);
    const bare = routes.filter(
      ({ spec }) => spec === undefined || Object.keys(spec.answers).length === 0,
    );
    expect(bare).toEqual([]);
  });

  it('has a schema for each parameter, query and body', () => {
    // 3 = body, 4 = query, 5 = param: the numbers of the framework's own metadata keys.
    const bare = allRoutes().flatMap(({ method, path, args }) =>
      Object.entries(args)
        .filter(([key, arg]) => /^[345]:/.test(key) && arg.schema === undefined)
        .map(([key]) => `${method} ${path} ${key}`),
    );
    expect(bare).toEqual([]);
  });

  it('lets nobody without a token in, but to what is declared public', async () => {
    const open: string[] = [];
    for (const { method, path } of allRoutes()) {
      const url = path.replace(/:\w+/g, 'x');
      const answer = await request(daemon.http)[method.toLowerCase() as 'get'](url).send();
      if (answer.status !== 401) open.push(`${method} ${path}`);
    }
    expect(open.sort()).toEqual([
      'GET /docs',
      'GET /docs-json',
      'GET /docs/:asset',
      'GET /healthz',
      'GET /readyz',
      'POST /v1/session',
    ]);
    const declared = allRoutes().filter(({ spec }) => spec?.access === 'public');
    expect(declared.map(({ path }) => path).filter((path) => !path.startsWith('/docs'))).toEqual([
      // Signed with the key of their channel, which the route itself checks.
      '/v1/channels/:alias/webhook',
      '/v1/channels/:alias/conversations/:id',
      '/v1/session',
      '/healthz',
      '/readyz',
    ]);
    expect([...publicPaths].sort()).toEqual(['/healthz', '/readyz', '/v1/session']);
  });

  it('lets exactly the declared roles in', async () => {
    const wrong: string[] = [];
    for (const role of roleNames.filter((name) => name !== 'admin')) {
      const token = await daemon.token([role]);
      for (const { method, path, spec } of allRoutes()) {
        if (path.endsWith('/stream')) continue;
        const url = path.replace(':setting', 'tools.allowed').replace(':path', 'loop');
        const answer = await request(daemon.http)
          [method.toLowerCase() as 'get'](url.replace(/:\w+/g, 'x'))
          .set(bearer(token))
          .send();
        const access = spec?.access ?? 'local';
        const held: readonly Role[] = role === 'viewer' ? ['viewer'] : ['viewer', role];
        const may =
          access === 'public' ||
          access === 'signed-in' ||
          (access !== 'local' && access.some((wanted) => held.includes(wanted)));
        const said = answer.body as { detail?: string; error?: { message?: string } };
        const why = said.detail ?? said.error?.message ?? '';
        const kept = answer.status === 403 && why.startsWith('this needs');
        if (kept === may) wrong.push(`${role} ${method} ${path}: ${answer.status} ${why}`);
      }
    }
    expect(wrong).toEqual([]);
  });

  it('describes all of them, their bodies included', async () => {
    const document = (await request(daemon.http).get('/docs-json').expect(200)).body as {
      readonly paths: Record<string, Record<string, { readonly requestBody?: unknown }>>;
    };
    const described = Object.entries(document.paths).flatMap(([path, ways]) =>
      Object.keys(ways).map((method) => `${method.toUpperCase()} ${path}`),
    );
    const known = allRoutes().map(
      ({ method, path }) => `${method} ${path.replace(/:(\w+)/g, '{$1}')}`,
    );
    expect(described.sort()).toEqual(known.sort());
    expect(document.paths['/v1/agents/{alias}/turns']?.['post']?.requestBody).toEqual({
      required: true,
      content: {
        'application/json': { schema: { $ref: '#/components/schemas/StartTurn' } },
      },
    });
  });
});
