import { Body, Controller, Get, HttpCode, Inject, Param, Post, Query } from '@nestjs/common';
import { explainPolicy, type ResolutionProblem } from '@lockstep/policy';
import { seesAgent, type Caller } from '../../access/caller.ts';
import { CallerParam } from '../caller.decorator.ts';
import { HTTP_PARTS, type HttpParts } from '../http-parts.ts';
import { ProblemError } from '../problem.ts';
import { Route } from '../route.decorator.ts';
import {
  agentListSchema,
  explainBody,
  explainSchema,
  pauseBody,
  pausedSchema,
  policyQuery,
  policySchema,
  trailQuery,
  trailSchema,
  type ExplainBody,
  type PolicyQuery,
  type TrailQuery,
} from '../schemas/agent.schema.ts';
import { aliasParam } from '../schemas/common.schema.ts';
import { knownAgent } from './answers.ts';

/** Agents: what they may do, what they did, and whether they take work. */
@Controller('v1/agents')
export class AgentsController {
  readonly #parts: HttpParts;

  constructor(@Inject(HTTP_PARTS) parts: HttpParts) {
    this.#parts = parts;
  }

  @Get()
  @Route({
    access: ['viewer'],
    summary: 'The agents of the config.',
    answers: { 200: agentListSchema },
  })
  list(@CallerParam() caller: Caller): unknown {
    const { agents } = this.#parts.config.current().config;
    const items = Object.entries(agents)
      .filter(([alias]) => seesAgent(caller, alias))
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([alias, agent]) => {
        const missing = [
          ...(agent.provider === undefined ? ['provider'] : []),
          ...(agent.risk_profile === undefined ? ['risk_profile'] : []),
          ...(agent.runtime_profile === undefined ? ['runtime_profile'] : []),
        ];
        return {
          alias,
          enabled: agent.enabled,
          complete: missing.length === 0,
          missing,
          ...this.#parts.ledger.flags(alias),
          provider: agent.provider ?? null,
          riskProfile: agent.risk_profile ?? null,
          runtimeProfile: agent.runtime_profile ?? null,
        };
      });
    return { items, next: null };
  }

  @Get(':alias/policy')
  @Route({
    access: ['viewer'],
    summary: 'The policy that a turn would run under now, on one path.',
    answers: { 200: policySchema },
  })
  policy(
    @Param('alias', { schema: aliasParam }) alias: string,
    @Query({ schema: policyQuery }) query: PolicyQuery,
    @CallerParam() caller: Caller,
  ): unknown {
    const agent = knownAgent(this.#parts.config, alias, caller);
    const resolved = this.#parts.dryRun.policy(agent, query, caller);
    if (!resolved.ok) throw unresolved(agent, resolved.problems);
    const { parts } = resolved.policy;
    return {
      agent,
      path: parts.path,
      trigger: parts.trigger,
      config: parts.config,
      registry: parts.registry,
      digest: parts.digest,
      surfaces: parts.surfaces,
      snapshot: parts.snapshot,
      rows: explainPolicy(parts),
      provenance: parts.provenance,
      narrowings: parts.narrowings,
    };
  }

  @Post(':alias/explain')
  @HttpCode(200)
  @Route({
    access: ['viewer'],
    summary: 'What the gate would say of a call now, and by which rule. Nothing is run.',
    answers: { 200: explainSchema },
  })
  async explain(
    @Param('alias', { schema: aliasParam }) alias: string,
    @Body({ schema: explainBody }) body: ExplainBody,
    @CallerParam() caller: Caller,
  ): Promise<unknown> {
    const agent = knownAgent(this.#parts.config, alias, caller);
    const result = await this.#parts.dryRun.explain(agent, body, caller);
    if (!result.ok) throw unresolved(agent, result.problems);
    return result.explanation;
  }

  @Get(':alias/trail')
  @Route({
    access: ['auditor'],
    summary: "An agent's audit trail, newest first. Viewing it is an event.",
    answers: { 200: trailSchema },
  })
  async trail(
    @Param('alias', { schema: aliasParam }) alias: string,
    @Query({ schema: trailQuery }) query: TrailQuery,
    @CallerParam() caller: Caller,
  ): Promise<unknown> {
    if (!seesAgent(caller, alias))
      throw new ProblemError('forbidden', `the token's scope leaves out the agent \`${alias}\``);
    // An agent that left the config still has its trail.
    const page = await this.#parts.readSide.trail(alias, query);
    if (query.cursor === undefined)
      await this.#parts.accessLog.trailViewed(caller.principal, alias, filtersOf(query));
    return page;
  }

  @Post(':alias/pause')
  @HttpCode(200)
  @Route({
    access: ['operator'],
    summary: 'Let an agent make no further call until it is resumed.',
    answers: { 200: pausedSchema },
  })
  async pause(
    @Param('alias', { schema: aliasParam }) alias: string,
    @Body({ schema: pauseBody }) body: { readonly why: string },
    @CallerParam() caller: Caller,
  ): Promise<unknown> {
    const agent = knownAgent(this.#parts.config, alias, caller);
    const { principal } = caller;
    if (!this.#parts.ledger.flags(agent).paused)
      await this.#parts.recorder.record(
        `agent-${agent}`,
        [{ type: 'AgentPaused', data: { by: principal.id, why: body.why } }],
        { principal, agent },
      );
    this.#parts.turns.flagsChanged();
    return { agent, paused: true };
  }

  @Post(':alias/resume')
  @HttpCode(200)
  @Route({
    access: ['operator'],
    summary: 'Let a paused agent work again.',
    answers: { 200: pausedSchema },
  })
  async resume(
    @Param('alias', { schema: aliasParam }) alias: string,
    @CallerParam() caller: Caller,
  ): Promise<unknown> {
    const agent = knownAgent(this.#parts.config, alias, caller);
    const { principal } = caller;
    if (this.#parts.ledger.flags(agent).paused)
      await this.#parts.recorder.record(
        `agent-${agent}`,
        [{ type: 'AgentResumed', data: { by: principal.id } }],
        { principal, agent },
      );
    this.#parts.turns.flagsChanged();
    return { agent, paused: false };
  }
}

/** Unknown, disabled and incomplete agents are told apart by nobody; any other reason is the request's. */
const unresolved = (agent: string, problems: readonly ResolutionProblem[]): ProblemError => {
  const availability = problems.some(({ code }) =>
    /^(unknown|disabled|incomplete)_agent$/.test(code),
  );
  if (availability)
    return new ProblemError('agent_unavailable', `the agent \`${agent}\` is not available`);
  const errors = problems.map(({ path, message }) => ({ path: path ?? '', message }));
  const forbidden = problems.some(({ code }) => code === 'not_permitted');
  return new ProblemError(
    forbidden ? 'forbidden' : 'invalid_body',
    problems[0]?.message ?? 'the policy cannot be resolved',
    { errors },
  );
};

const filtersOf = (query: TrailQuery): string => {
  const given = Object.entries(query).filter(
    ([key, value]) => value !== undefined && key !== 'limit' && key !== 'cursor',
  );
  return given.length === 0 ? 'all' : given.map(([key]) => key).join(' ');
};
