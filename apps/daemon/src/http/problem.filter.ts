import { Catch, HttpException, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import type { Logger } from 'pino';
import { LogUnavailableError } from '../record-fact.ts';
import { isOpenAiPath, openAiError } from '../paths/gateway/openai-answer.ts';
import { ProblemError, type ProblemCode } from './problem.ts';

/** Answers every failure as a problem document. What nobody expected is logged and answered without its text. */
@Catch()
export class ProblemFilter implements ExceptionFilter {
  readonly #log: Logger;

  constructor(log: Logger) {
    this.#log = log;
  }

  catch(thrown: unknown, host: ArgumentsHost): void {
    const reply = host.switchToHttp().getResponse<FastifyReply>();
    if (reply.sent) return;
    sendProblem(reply, toProblem(thrown, this.#log));
  }
}

export const sendProblem = (reply: FastifyReply, problem: ProblemError): void => {
  const path = reply.request.url.split('?', 1)[0] ?? '';
  const isOpenAi = isOpenAiPath(path);
  const document = problem.document();
  const type = isOpenAi ? 'application/json' : 'application/problem+json';
  void reply
    .status(problem.status)
    .headers(problem.headers)
    .header('content-type', `${type}; charset=utf-8`)
    .header('cache-control', 'no-store')
    .send(JSON.stringify(isOpenAi ? openAiError(document) : document));
};

/** Converts all foreign errors in one place. */
export const toProblem = (thrown: unknown, log: Logger): ProblemError => {
  if (thrown instanceof ProblemError) return thrown;
  if (thrown instanceof LogUnavailableError)
    return new ProblemError('disk_full', `the log takes no writes now: ${thrown.message}`);
  const status = statusOf(thrown);
  const code = status === null ? undefined : byStatus[status];
  if (code !== undefined) return new ProblemError(code, detailOf(code, thrown));
  log.error({ err: thrown }, 'a request failed for a reason that nobody expected');
  return new ProblemError('internal', 'the daemon failed on this request; its log says why');
};

const byStatus: Readonly<Record<number, ProblemCode>> = {
  400: 'invalid_body',
  401: 'unauthenticated',
  403: 'forbidden',
  404: 'not_found',
  413: 'too_large',
  414: 'invalid_body',
  415: 'unsupported_media_type',
  431: 'invalid_body',
  503: 'stopped',
};

const statusOf = (thrown: unknown): number | null => {
  if (thrown instanceof HttpException) return thrown.getStatus();
  if (typeof thrown !== 'object' || thrown === null || !('statusCode' in thrown)) return null;
  return typeof thrown.statusCode === 'number' ? thrown.statusCode : null;
};

const detailOf = (code: ProblemCode, thrown: unknown): string => {
  const said = thrown instanceof Error ? thrown.message : '';
  if (code === 'not_found')
    return 'there is nothing at this address: see `/docs` for what there is';
  if (code === 'too_large') return 'the body is larger than `gateway.max_body_kb` allows';
  if (code === 'unsupported_media_type') return 'the body must be sent as `application/json`';
  if (code === 'stopped') return 'the daemon is stopping: try again in a moment';
  if (code === 'invalid_body') return `the request cannot be read: ${said.toLowerCase()}`;
  return said;
};
