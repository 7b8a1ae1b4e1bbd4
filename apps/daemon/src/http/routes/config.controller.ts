import {
  Body,
  Controller,
  Get,
  Headers,
  HttpCode,
  Inject,
  Param,
  Post,
  Put,
  Res,
} from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { configJsonSchema, type ConfigProblem } from '@lockstep/policy';
import type { Caller } from '../../access/caller.ts';
import { CallerParam } from '../caller.decorator.ts';
import { HTTP_PARTS, type HttpParts } from '../http-parts.ts';
import { notFound, ProblemError } from '../problem.ts';
import { Route } from '../route.decorator.ts';
import {
  appliedSchema,
  checkSchema,
  configBody,
  configViewSchema,
  jsonSchemaSchema,
  versionListSchema,
  versionParam,
  versionSchema,
} from '../schemas/config.schema.ts';
import { requireAllAgents } from './answers.ts';

type Text = { readonly text: string };

/** The config in force, its versions, and changes of it. */
@Controller('v1/config')
export class ConfigController {
  readonly #parts: HttpParts;

  constructor(@Inject(HTTP_PARTS) parts: HttpParts) {
    this.#parts = parts;
  }

  @Get()
  @Route({
    access: ['auditor', 'operator'],
    summary: 'The config in force. ETag is its digest.',
    answers: { 200: configViewSchema },
  })
  async view(
    @CallerParam() caller: Caller,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<unknown> {
    requireAllAgents(caller);
    const { config } = this.#parts;
    const applied = config.current();
    void reply.header('etag', `"${applied.digest}"`);
    return {
      version: applied.version,
      digest: applied.digest,
      file: config.file,
      text: await config.text(),
      config: applied.config,
    };
  }

  @Get('schema')
  @Route({
    access: 'signed-in',
    summary: 'What a config may hold, as JSON Schema (2020-12), for editors.',
    answers: { 200: jsonSchemaSchema },
  })
  schema(): unknown {
    return configJsonSchema();
  }

  @Get('versions')
  @Route({
    access: ['viewer'],
    summary: 'Every version that was in force, newest first.',
    answers: { 200: versionListSchema },
  })
  versions(): unknown {
    return { items: [...this.#parts.ledger.configVersions()].reverse(), next: null };
  }

  @Get('versions/:n')
  @Route({
    access: ['auditor', 'operator'],
    summary: 'One version, with what it changed.',
    answers: { 200: versionSchema },
  })
  version(@Param('n', { schema: versionParam }) n: number, @CallerParam() caller: Caller): unknown {
    requireAllAgents(caller);
    const { ledger, config } = this.#parts;
    const row = ledger.configVersions().find((entry) => entry.version === n);
    const recorded = ledger.config(n);
    const applied = config.version(n);
    if (row === undefined || recorded === null || applied === null)
      throw notFound('config version', String(n));
    return { ...row, diff: recorded.diff, config: applied.config };
  }

  @Post('check')
  @HttpCode(200)
  @Route({
    access: ['operator'],
    summary: 'Judge a config without bringing it into force.',
    answers: { 200: checkSchema },
  })
  async check(
    @Body({ schema: configBody }) body: Text,
    @CallerParam() caller: Caller,
  ): Promise<unknown> {
    // The answer says what differs from the config in force.
    requireAllAgents(caller);
    const { config } = this.#parts;
    const checked = await config.check(body.text);
    if (!checked.ok)
      return {
        ok: false,
        digest: null,
        problems: checked.problems.map(placed),
        warnings: [],
        diff: [],
        widens: [],
      };
    return {
      ok: true,
      digest: checked.digest,
      problems: [],
      warnings: checked.warnings.map(placed),
      ...config.compare(checked.config),
    };
  }

  @Put()
  @Route({
    access: ['operator'],
    summary: 'Replace the config file and bring it into force. Needs If-Match.',
    answers: { 200: appliedSchema },
  })
  async put(
    @Body({ schema: configBody }) body: Text,
    @Headers('if-match') ifMatch: string | undefined,
    @CallerParam() caller: Caller,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<unknown> {
    requireAllAgents(caller);
    if (ifMatch === undefined)
      throw new ProblemError(
        'precondition_required',
        'send `If-Match` with the digest of the config that you changed',
      );
    const digest = ifMatch.replace(/^(?:W\/)?"?/, '').replace(/"$/, '');
    const result = await this.#parts.config.put(body.text, digest, caller.principal);
    switch (result.kind) {
      case 'changed':
        throw new ProblemError('config_changed', 'the config has changed since: read it again', {
          fields: { digest: result.digest },
        });
      case 'invalid':
        throw new ProblemError('invalid_config', 'the config was not brought into force', {
          errors: result.problems.map(placed),
        });
      case 'applied':
        void reply.header('etag', `"${result.applied.digest}"`);
        return { version: result.applied.version, digest: result.applied.digest };
    }
  }
}

const placed = ({ path, line, column, message }: ConfigProblem) => ({
  path,
  line,
  column,
  message,
});
