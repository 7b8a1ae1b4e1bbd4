import {
  advertise,
  authorize,
  builtinSpecs,
  matchGrants,
  type Clock,
  type Facts,
  type OperandFacts,
  type Ledger,
  type RuleId,
  type ToolPort,
  type ToolScope,
  type ToolSpec,
} from '@lockstep/engine';
import {
  canonicalJson,
  digestOfText,
  normalizeToolPattern,
  resolve,
  triggersByPath,
  type Narrowing,
  type Origin,
  type PathName,
  type Resolution,
  type ResolvedPolicy,
  type ResolveRecords,
  type Trigger,
} from '@lockstep/policy';
import type { Caller } from '../access/caller.ts';
import type { CurrentConfig } from '../config/current-config.port.ts';
import { acpTakes } from '../paths/rpc/acp.path.ts';

/** What the gate would say of a call now, on one path. Nothing is run and nothing recorded. */
export interface Explanation {
  readonly tool: string;
  readonly path: PathName;
  readonly trigger: Trigger;
  readonly verdict: 'allow' | 'ask' | 'refuse';
  readonly rule: RuleId;
  readonly pattern: string | null;
  readonly why: string;
  readonly config: { readonly version: number; readonly digest: string };
}

/** Which way a turn would come. Neither given = a run, from which nothing is taken away. */
export interface Way {
  readonly path?: PathName | undefined;
  readonly trigger?: Trigger | undefined;
  /** What a client would say only when it connects. */
  readonly client?: Narrowing | undefined;
}

type Refused = Extract<Resolution, { readonly ok: false }>;

export interface DryRunParts {
  readonly config: CurrentConfig;
  readonly ledger: Ledger;
  readonly tools: ToolPort;
  readonly clock: Clock;
}

/** Policies and verdicts for reading only: nothing here can start or narrow a turn. */
export class DryRun {
  readonly #parts: DryRunParts;

  constructor(parts: DryRunParts) {
    this.#parts = parts;
  }

  policy(agent: string, way: Way, caller: Caller): Resolution {
    const origin = originOf(way, caller);
    if (origin === null)
      return {
        ok: false,
        problems: [
          {
            code: 'origin_not_supported',
            message: `a turn on \`${way.trigger ?? way.path ?? ''}\` cannot be thought up without what started it`,
            path: null,
          },
        ],
      };
    const request = {
      agent,
      principal: caller.principal,
      session: sessionOf(agent),
      origin,
      client: way.client ?? ('none' as const),
    };
    return resolve(this.#parts.config.current(), request, this.#records(origin));
  }

  async explain(
    agent: string,
    call: { readonly tool: string; readonly args: unknown } & Way,
    caller: Caller,
  ): Promise<{ readonly ok: true; readonly explanation: Explanation } | Refused> {
    const resolved = this.policy(agent, call, caller);
    if (!resolved.ok) return resolved;
    const { policy } = resolved;
    const scope: ToolScope = {
      agent,
      principal: caller.principal,
      session: sessionOf(agent),
      turn: 'dry-run',
      policy: policy.parts.snapshot,
      policyDigest: policy.parts.digest,
      narrowings: policy.parts.narrowings,
    };
    const id = normalizeToolPattern(call.tool);
    const specs = await this.#specs(scope, id);
    const spec = specs.find((known) => known.id === id) ?? null;
    const facts = await this.#facts(policy, scope, { spec, args: call.args });
    const verdict = authorize(
      {
        call: 'dry-run',
        alias: call.tool,
        spec,
        args: { ok: true, value: call.args },
        argsDigest: digestOfText(canonicalJson(call.args)),
      },
      facts,
      {
        policy: policy.parts.snapshot,
        advertised: advertise(policy.parts.snapshot, specs).map((offered) => offered.id),
        skills: [],
        session: scope.session,
        principal: caller.principal.id,
        approval: null,
      },
    );
    return {
      ok: true,
      explanation: {
        tool: id,
        path: policy.parts.path,
        trigger: policy.parts.trigger,
        verdict: verdict.kind,
        rule: verdict.rule,
        pattern: verdict.pattern,
        why: verdict.why,
        config: policy.parts.config,
      },
    };
  }

  /** A built-in tool is known without asking any server. */
  async #specs(scope: ToolScope, id: string): Promise<readonly ToolSpec[]> {
    if (id.startsWith('builtin:')) return builtinSpecs;
    return (await this.#parts.tools.list(scope)).tools;
  }

  async #facts(
    policy: ResolvedPolicy,
    scope: ToolScope,
    call: { readonly spec: ToolSpec | null; readonly args: unknown },
  ): Promise<Facts> {
    const { clock, ledger, tools } = this.#parts;
    const { spec, args } = call;
    const seen = spec === null ? unseen : await tools.inspect(scope, spec, args, 'dry-run');
    const now = clock.now();
    const granted = spec !== null && {
      agent: scope.agent,
      tool: spec.id,
      spec: spec.digest,
      person: scope.principal.person,
      session: scope.session,
      argsDigest: digestOfText(canonicalJson(args)),
      args,
      operands: seen.operands,
      root: seen.roots?.root ?? null,
      now,
    };
    return {
      now,
      config: policy.parts.config,
      policy: policy.parts.digest,
      ...ledger.flags(scope.agent),
      spec: spec?.digest ?? null,
      confined: seen.confined,
      operands: [...seen.operands],
      roots: seen.roots,
      caps: [],
      grants: granted === false ? [] : matchGrants(ledger.grants(scope.agent), granted),
      unsettled: null,
    };
  }

  #records(origin: Origin): ResolveRecords {
    if ('connection' in origin) {
      const narrowing = origin.kind === 'acp' ? acpTakes : {};
      return { connection: { id: origin.connection, narrowing } };
    }
    if (!('token' in origin)) return {};
    const token = this.#parts.ledger.tokenById(origin.token);
    if (token === null) return {};
    const { id, name, roles, scopes } = token;
    return { token: { id, name, roles, scopes } };
  }
}

const sessionOf = (agent: string): string => `session-${agent}-dry-run`;

/** Null for a way that needs a parent, a job or a channel to come from. */
const originOf = ({ path, trigger }: Way, caller: Caller): Origin | null => {
  const way = trigger ?? (path === undefined ? 'run' : usualTrigger[path]);
  if (way === undefined || (path !== undefined && !isOf(path, way))) return null;
  return origins[way]?.(caller.token) ?? null;
};

const origins: Partial<Readonly<Record<Trigger, (token: string) => Origin>>> = {
  run: () => ({ kind: 'run' }),
  rest: (token) => ({ kind: 'rest', token }),
  websocket: (token) => ({ kind: 'websocket', token }),
  openai: (token) => ({ kind: 'openai', token }),
  'json-rpc': () => ({ kind: 'json_rpc', connection: 'dry-run' }),
  acp: () => ({ kind: 'acp', connection: 'dry-run' }),
};

/** The trigger of a path that is asked about without one. */
const usualTrigger: Partial<Readonly<Record<PathName, Trigger>>> = {
  rpc: 'json-rpc',
  gateway: 'rest',
  loop: 'run',
};

const isOf = (path: PathName, trigger: Trigger): boolean =>
  triggersByPath[path].some((name) => name === trigger);

/** What is seen of a call of no tool. */
const unseen: OperandFacts = { operands: [], roots: null, confined: false };
