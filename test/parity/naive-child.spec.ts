import {
  enforcedKeys,
  inheritedNarrowings,
  resolve,
  type AppliedConfig,
  type Origin,
  type ResolvedPolicy,
  type ResolveRecords,
} from '@lockstep/policy';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { configWith } from './config.ts';
import { naiveChild, type Above, type Below } from './naive-child.ts';
import { naiveValues, tool } from './naive-config.ts';
import { risk, runtime, server, some, toolList } from './random-tables.ts';
import { valueOf } from './value-of.ts';

const edgesTo = (agent: string) =>
  fc.array(
    fc.record(
      {
        agent: fc.constant(agent),
        mode: fc.constantFrom('bounded', 'independent'),
        grants: some({ tools: fc.subarray(['time_now', 'mcp:files/move', '*'], { minLength: 1 }) }),
      },
      { requiredKeys: ['agent', 'mode'] },
    ),
    { maxLength: 2 },
  );
/** Most agents may start others, or little would be tried. */
const mayStart = fc.record({
  mode: fc.constantFrom('allow', 'allow', 'allow', 'forbidden'),
  spawn: fc.constantFrom(true, true, false),
  max_depth: fc.constantFrom('unlimited', 0, 1, 2, 7),
  sops: fc.subarray(['release', 'review']),
});
const agentWithEdgesTo = (agent: string) =>
  fc
    .tuple(
      risk,
      runtime,
      some({
        mcp_bundles: fc.subarray(['one', 'two']),
        skill_bundles: fc.subarray(['write']),
        channels: fc.subarray(['webhook.support']),
      }),
      fc.record({ delegates: edgesTo(agent), delegation: mayStart }),
    )
    .map(([careful, short, bundles, starts]) => ({ ...careful, ...short, ...bundles, ...starts }));

const stepTools = fc.option(toolList, { nil: undefined });
const configs: fc.Arbitrary<AppliedConfig> = fc
  .record({
    ada: agentWithEdgesTo('ben'),
    ben: agentWithEdgesTo('ada'),
    careful: risk,
    servers: fc.record({ files: server, notes: server }),
    bundle: fc.subarray(['files', 'notes']),
    check: stepTools,
    look: stepTools,
  })
  .map(({ ada, ben, careful, servers, bundle, check, look }) =>
    configWith(
      ada,
      {
        risk_profiles: { careful },
        mcp: { servers },
        mcp_bundles: { one: { servers: bundle }, two: { servers: ['notes'] } },
        skill_bundles: { write: { directory: 'skills/write' } },
        channels: { webhook: { support: { secret: { env: 'S' } } } },
        peer_groups: { room: { channel: 'webhook.support', agents: ['ada', 'ben'] } },
        sops: {
          release: { steps: [{ name: 'do', agent: 'ada', prompt: 'x', ...tools(check) }] },
          review: { steps: [{ name: 'do', agent: 'ben', prompt: 'x', ...tools(look) }] },
        },
      },
      ben,
    ),
  );
const tools = (list: unknown) => (list === undefined ? {} : { tools: list });

interface Start {
  readonly kind: Below['kind'];
  /** What the start itself leaves of the tools; null = all of them. */
  readonly spawn: readonly string[] | null;
  /** The scope that a step was recorded with. */
  readonly scope: readonly string[] | null;
}
const scope = fc.option(fc.subarray(['*', 'file_read', 'mcp:files/*']), { nil: null });
const starts: fc.Arbitrary<readonly Start[]> = fc.array(
  fc.record({
    kind: fc.constantFrom<Below['kind']>('subagent', 'delegate', 'delegate', 'peer', 'live'),
    spawn: scope,
    scope,
  }),
  { minLength: 1, maxLength: 3 },
);

const root = (applied: AppliedConfig, scoped: readonly string[]): ResolvedPolicy =>
  sealed(
    resolve(
      applied,
      {
        agent: 'ada',
        principal: { kind: 'token', id: 't', person: null },
        session: 's-1',
        origin: { kind: 'rest', token: 't' },
        client: 'none',
      },
      {
        token: {
          id: 't',
          name: 'ci',
          roles: ['operator'],
          scopes: { agents: ['*'], tools: [...scoped] },
        },
      },
    ),
  );
const sealed = (found: ReturnType<typeof resolve>): ResolvedPolicy => {
  if (!found.ok) throw new Error(found.problems.map(({ message }) => message).join());
  return found.policy;
};

const originOf = (kind: Below['kind'], agent: string): Origin => {
  switch (kind) {
    case 'subagent':
      return { kind, parent: 'p' };
    case 'delegate':
      return { kind, parent: 'p', edge: agent };
    case 'peer':
      return { kind, parent: 'p', group: 'room', channel: 'webhook.support' };
    case 'live':
      return { kind: 'sop', run: 'r', step: 'do', parent: 'p' };
  }
};

/** A start below a policy, as the runtime asks for it. */
const childOf = (applied: AppliedConfig, { parts }: ResolvedPolicy, start: Start, to: string) => {
  const { snapshot } = parts;
  const narrowings = inheritedNarrowings(parts.narrowings);
  const sop = to === 'ada' ? 'release' : 'review';
  const records: ResolveRecords = {
    parent: {
      turn: 'p',
      snapshot,
      narrowings,
      depth: snapshot.delegation.max_depth,
      spawn: start.spawn === null ? {} : { 'tools.allowed': [[...start.spawn]] },
    },
    ...(start.kind === 'live' && {
      sopRun: { id: 'r', sop, step: 'do', scope: start.scope && [...start.scope], narrowings },
    }),
  };
  const principal = { kind: 'agent' as const, id: snapshot.agent, person: null };
  const origin = originOf(start.kind, to);
  return resolve(
    applied,
    { agent: to, principal, session: 's-2', origin, client: 'none' },
    records,
  );
};

/** The same start for the plain reading: every list of tools that it comes with. */
const belowOf = (applied: AppliedConfig, { kind, spawn, scope }: Start, agent: string): Below => {
  const sop = agent === 'ada' ? 'release' : 'review';
  const written = applied.config.sops[sop]?.steps[0]?.tools;
  const ofStep = kind === 'live' ? [scope, written === '*' ? ['*'] : written] : [];
  return { kind, agent, sop, tools: [spawn, ...ofStep].filter((list) => list != null) };
};

/** Goes down a chain from a turn of `ada` as long as something may be started: the kinds of turns that were there. */
const tried = (
  applied: AppliedConfig,
  scoped: readonly string[],
  all: readonly Start[],
): readonly string[] => {
  let policy = root(applied, scoped);
  let above: Above = {
    agent: 'ada',
    values: naiveValues(applied, 'ada', { tools: scoped }),
    scopes: [scoped.map(tool)],
  };
  const kinds: string[] = [];
  for (const start of all) {
    const other = above.agent === 'ada' ? 'ben' : 'ada';
    const to = start.kind === 'subagent' ? above.agent : other;
    const found = childOf(applied, policy, start, to);
    const naive = naiveChild(applied, above, belowOf(applied, start, to));
    if (typeof naive === 'string') {
      const codes = found.ok ? 'ok' : found.problems.map(({ code }) => code);
      expect([start.kind, codes]).toEqual([start.kind, [naive]]);
      return kinds;
    }
    policy = sealed(found);
    const { trigger, snapshot } = policy.parts;
    for (const key of enforcedKeys)
      expect([trigger, key, valueOf(snapshot, key)]).toEqual([trigger, key, naive.values[key]]);
    above = naive;
    kinds.push(trigger);
  }
  return kinds;
};

const scopes = fc.subarray(['*', 'file_read', 'mcp:files/*', 'time_now'], { minLength: 1 });

describe('a chain of turns', () => {
  it('means to resolve() at each start below another what the table of children plainly says', () => {
    fc.assert(
      fc.property(configs, scopes, starts, (...chain) => void tried(...chain)),
      { numRuns: 50 },
    );
  });

  it('is tried with every kind of child', () => {
    const chains = fc.sample(fc.tuple(configs, scopes, starts), { numRuns: 50, seed: 1 });
    const kinds = new Set(chains.flatMap((chain) => tried(...chain)));
    expect([...kinds].sort()).toEqual(['bounded', 'independent', 'live', 'peer', 'subagent']);
  });
});
