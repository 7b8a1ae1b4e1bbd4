import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { INestApplication, Type } from '@nestjs/common';
import { PARAMTYPES_METADATA, ROUTE_ARGS_METADATA } from '@nestjs/common/constants.js';
import type * as Swagger from '@nestjs/swagger';
import type { OpenAPIObject } from '@nestjs/swagger';
import { problemSchema } from './problem.ts';
import { routeKey, type RouteSpec } from './route.decorator.ts';

export const OPENAPI = Symbol('OPENAPI');

/** The API's description, made when somebody first asks for it: a daemon that nobody reads about stays small. */
export interface OpenApi {
  document(): Promise<OpenAPIObject>;
  asset(name: string): Promise<{ readonly type: string; readonly content: string } | null>;
}

export const createOpenApi = (
  app: () => INestApplication,
  controllers: readonly Type[],
): OpenApi => {
  let made: Promise<OpenAPIObject> | null = null;
  return {
    document: () => {
      made ??= describe(app(), controllers);
      return made;
    },
    asset: readAsset,
  };
};

const describe = async (
  app: INestApplication,
  controllers: readonly Type[],
): Promise<OpenAPIObject> => {
  const swagger = await import('@nestjs/swagger');
  for (const controller of controllers) {
    const proto = controller.prototype as object;
    for (const name of Object.getOwnPropertyNames(proto)) {
      nameParameters(controller, proto, name);
      describeAnswers(swagger, proto, name);
    }
  }
  const config = new swagger.DocumentBuilder()
    .setTitle('Lockstep')
    .setVersion('1')
    .setDescription(
      'One policy seam for a team of agents. Every failure is a problem document (RFC 9457).',
    )
    .addBearerAuth()
    .addCookieAuth('lockstep_session')
    .setOpenAPIVersion('3.1.0')
    .build();
  return swagger.SwaggerModule.createDocument(app, config);
};

/** The documentation reads bodies and queries only where parameter types are known; without them it leaves them out in silence. */
const nameParameters = (controller: Type, proto: object, name: string): void => {
  const args = Reflect.getMetadata(ROUTE_ARGS_METADATA, controller, name) as
    Record<string, { readonly index: number }> | undefined;
  if (args === undefined || Reflect.hasMetadata(PARAMTYPES_METADATA, proto, name)) return;
  const count = 1 + Math.max(...Object.values(args).map((arg) => arg.index));
  Reflect.defineMetadata(
    PARAMTYPES_METADATA,
    Array.from({ length: count }, () => Object),
    proto,
    name,
  );
};

const describeAnswers = (swagger: typeof Swagger, proto: object, name: string): void => {
  const descriptor = Object.getOwnPropertyDescriptor(proto, name);
  const method: unknown = descriptor?.value;
  if (descriptor === undefined || typeof method !== 'function') return;
  const spec = Reflect.getMetadata(routeKey, method) as RouteSpec | undefined;
  if (spec === undefined) return;
  const { access } = spec;
  const who = typeof access === 'string' ? access : access.join(' or ');
  swagger.ApiOperation({ summary: spec.summary, description: `For: ${who}.` })(
    proto,
    name,
    descriptor,
  );
  const problem = { description: 'problem', standardSchema: problemSchema };
  swagger.ApiResponse({ status: '4XX', ...problem })(proto, name, descriptor);
  for (const [status, answer] of Object.entries(spec.answers)) {
    const options =
      typeof answer === 'string'
        ? { status: Number(status), description: answer }
        : { status: Number(status), description: spec.summary, standardSchema: answer };
    swagger.ApiResponse(options)(proto, name, descriptor);
  }
};

const assets: Readonly<Record<string, string>> = {
  'swagger-ui.css': 'text/css; charset=utf-8',
  'swagger-ui-bundle.js': 'text/javascript; charset=utf-8',
};

const readAsset: OpenApi['asset'] = async (name) => {
  if (name === 'start.js')
    return {
      type: 'text/javascript; charset=utf-8',
      content: "SwaggerUIBundle({ url: '/docs-json', dom_id: '#api' });\n",
    };
  const type = Object.hasOwn(assets, name) ? assets[name] : undefined;
  if (type === undefined) return null;
  const own = createRequire(import.meta.url);
  const swagger = createRequire(own.resolve('@nestjs/swagger'));
  const folder = dirname(swagger.resolve('swagger-ui-dist/package.json'));
  return { type, content: await readFile(join(folder, name), 'utf8') };
};
