import { Controller, Get, Header, Inject, Param, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import { OPENAPI, type OpenApi } from '../openapi.ts';
import { notFound } from '../problem.ts';
import { Route } from '../route.decorator.ts';

/** The documentation of this API. */
@Controller()
export class DocsController {
  readonly #openApi: OpenApi;

  constructor(@Inject(OPENAPI) openApi: OpenApi) {
    this.#openApi = openApi;
  }

  @Get('docs-json')
  @Route({ access: 'public', summary: 'This document.', answers: { 200: z.looseObject({}) } })
  document(): Promise<unknown> {
    return this.#openApi.document();
  }

  @Get('docs')
  @Header('content-type', 'text/html; charset=utf-8')
  @Route({ access: 'public', summary: 'This document, to read.', answers: { 200: 'text' } })
  page(): string {
    return page;
  }

  @Get('docs/:asset')
  @Route({ access: 'public', summary: 'Parts of that page.', answers: { 200: 'text' } })
  async asset(
    @Param('asset', { schema: z.string().max(100) }) name: string,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const asset = await this.#openApi.asset(name);
    if (asset === null) throw notFound('asset', name);
    void reply.header('content-type', asset.type).send(asset.content);
  }
}

const page = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Lockstep API</title>
<link rel="stylesheet" href="/docs/swagger-ui.css">
</head>
<body>
<div id="api"></div>
<script src="/docs/swagger-ui-bundle.js"></script>
<script src="/docs/start.js"></script>
</body>
</html>
`;
