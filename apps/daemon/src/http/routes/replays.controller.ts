import { Body, Controller, HttpCode, Inject, Post } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import type { AppliedConfig } from '@lockstep/policy';
import { holdsAny, seesAgent, type Caller } from '../../access/caller.ts';
import { answererOf, type AnsweredReplay } from '../../replay/answer-replay.ts';
import { gatherFamily } from '../../replay/gather-family.ts';
import { hasTrigger, type OtherWay } from '../../replay/re-enter/re-enter.ts';
import { readOtherConfig } from '../../replay/read-other-config.ts';
import { CallerParam } from '../caller.decorator.ts';
import { hideParents } from '../hide-parent.ts';
import { HTTP_PARTS, type HttpParts } from '../http-parts.ts';
import { notFound, ProblemError } from '../problem.ts';
import { Route } from '../route.decorator.ts';
import { replayBody, replaySchema, type ReplayBody } from '../schemas/replay.schema.ts';
import { FindTurn } from '../turns/turn-commands.ts';
import { seenTurn } from './answers.ts';

/** Recorded turns made again. Nothing is performed and nothing is recorded. */
@Controller('v1/replays')
export class ReplaysController {
  readonly #parts: HttpParts;
  readonly #queries: QueryBus;

  constructor(@Inject(HTTP_PARTS) parts: HttpParts, @Inject(QueryBus) queries: QueryBus) {
    this.#parts = parts;
    this.#queries = queries;
  }

  @Post()
  @HttpCode(200)
  @Route({
    access: ['auditor'],
    summary:
      'Make the events of a recorded turn again and compare, as it was or on another path or under another config. Nothing is run.',
    answers: { 200: replaySchema },
  })
  async replay(
    @Body({ schema: replayBody }) body: ReplayBody,
    @CallerParam() caller: Caller,
  ): Promise<unknown> {
    const { turn, timeline = false } = body;
    const way = wayOf(body);
    const config = this.#configOf(body, caller);
    seenTurn(await this.#queries.execute(new FindTurn(turn)), turn, caller);
    const events = await gatherFamily(this.#parts.store, turn);
    const report = answererOf(events).answer(turn, 'open', { way, config, timeline });
    return hideParents(withoutUnseen(report, caller), caller);
  }

  #configOf({ config: asked }: ReplayBody, caller: Caller): AppliedConfig | null {
    if (asked === undefined) return null;
    if (!holdsAny(caller, ['operator']))
      throw new ProblemError('forbidden', 'a replay under another config needs the role operator');
    const { config } = this.#parts;
    if ('version' in asked) {
      const found = config.version(asked.version);
      if (found === null) throw notFound('config version', String(asked.version));
      return found;
    }
    const read = readOtherConfig(asked.text, config.file, config.current().host);
    if (read.ok) return read.applied;
    throw new ProblemError('invalid_config', 'nothing is replayed under a config with problems', {
      errors: read.problems.map(({ path, line, column, message }) => ({
        path,
        line,
        column,
        message,
      })),
    });
  }
}

/** A turn below may be another agent's, which the caller's scope leaves out: those are counted alone. */
const withoutUnseen = (
  report: AnsweredReplay,
  caller: Caller,
): AnsweredReplay & { readonly hidden?: number } => {
  const { below, ...own } = report;
  if (below === undefined) return report;
  const seen = below.filter(({ agent }) => seesAgent(caller, agent));
  const hidden = below.length - seen.length;
  return hidden === 0 ? report : { ...own, ...(seen.length === 0 ? {} : { below: seen }), hidden };
};

const wayOf = ({ path, trigger }: ReplayBody): OtherWay | null => {
  if (path === undefined) {
    if (trigger === undefined) return null;
    throw new ProblemError('invalid_body', 'a trigger is one of a path: name the path too');
  }
  const way = { path, trigger };
  if (hasTrigger(way)) return way;
  throw new ProblemError(
    'invalid_body',
    `the path \`${path}\` has no trigger \`${trigger ?? ''}\``,
  );
};
