import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { applied, complete, profiles } from './applied.fixture.ts';
import { canonicalJson, digestOf } from './canonical.ts';
import { isAtMost } from './orders/order.ts';
import type { Narrowing, Origin, Principal, ResolveRecords, ResolveRequest } from './request.ts';
import { narrowPolicy, resolve, resolveAgain } from './resolve.ts';
import type { AppliedConfig } from './resolution.ts';
import { valueAt } from './resolving/snapshot-parts.ts';
import { policySnapshotSchema, type PolicySnapshot } from './snapshot.ts';
import { settings } from './surfaces/registry.ts';

const tool = fc.constantFrom('*', 'file_*', 'file_read', 'time_now', 'mcp:s/*', 'mcp:s/x');
const tools = fc.oneof(fc.constant('*' as const), fc.array(tool, { maxLength: 3 }));
const folder = fc.constantFrom('/ws', '/ws/a', '/ws/a/x', '/ws/b', '~/n', 'rel/../x', '/etc');
const cap = fc.oneof(fc.nat({ max: 50 }), fc.constant('unlimited' as const));
const some = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined });
const rarely = <T>(value: fc.Arbitrary<T>) =>
  fc.oneof({ weight: 4, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: value });
/** JSON has no entries without a value. */
const written = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<unknown> =>
  value.map((given) => JSON.parse(JSON.stringify(given)) as unknown);

const risk = {
  autonomy: some(fc.constantFrom('read_only', 'supervised', 'full')),
  tools: some(fc.record({ allowed: some(tools), denied: some(tools) })),
  approval: some(
    fc.record({ auto_approve: some(tools), timeout_secs: some(fc.integer({ min: 1, max: 90 })) }),
  ),
  workspace: some(
    fc.record({
      root: some(folder),
      workspace_only: some(fc.boolean()),
      unrestricted_filesystem: some(fc.boolean()),
      allowed_roots: some(fc.array(folder, { maxLength: 2 })),
      forbidden_paths: some(fc.array(folder, { maxLength: 2 })),
      access: some(fc.dictionary(fc.constantFrom('b', 'c'), fc.constantFrom('read', 'read_write'))),
    }),
  ),
  network: some(
    fc.record({ allowed_hosts: some(fc.array(fc.constantFrom('*', 'a.test', '*.a.test'))) }),
  ),
  output: some(fc.record({ stream: some(fc.boolean()), redact: some(fc.boolean()) })),
};
const runtime = {
  budgets: some(fc.record({ max_tool_calls: some(cap), max_cost_usd_per_turn: some(cap) })),
  memory: some(fc.record({ backend: some(fc.constantFrom('sqlite', 'none')) })),
};
const agent = written(
  fc.record({
    ...risk,
    ...runtime,
    enabled: rarely(fc.boolean()),
    mcp_bundles: some(fc.subarray(['one', 'two', 'gone'])),
    provider: rarely(fc.constantFrom('local', 'gone')),
  }),
);
const config: fc.Arbitrary<AppliedConfig> = fc
  .tuple(agent, agent, written(fc.record(risk)), written(fc.record(runtime)))
  .map(([a, b, careful, short]) =>
    applied({
      ...profiles,
      risk_profiles: { careful },
      runtime_profiles: { short },
      agents: { a: { ...complete, ...(a as object) }, b: { ...complete, ...(b as object) } },
      mcp: {
        servers: {
          s: {
            transport: 'stdio',
            command: 'x',
            expose: ['r*'],
            tools: { r: { effect: ['read'] } },
          },
          t: { transport: 'http', url: 'https://t.test', expose: '*' },
        },
      },
      mcp_bundles: { one: { servers: ['s'] }, two: { servers: ['t', 's', 'gone'] } },
      people: { ana: { identities: ['token:ci'], roles: [] } },
    }),
  );

const narrowing: fc.Arbitrary<Narrowing> = written(
  fc.record({
    'tools.allowed': rarely(fc.array(fc.array(tool), { maxLength: 2 })),
    'tools.denied': rarely(fc.array(tool)),
    'approval.autonomy': rarely(fc.constantFrom('read_only', 'supervised', 'full', 'other')),
    'budgets.max_tool_calls': rarely(fc.oneof(cap, fc.constant(-1))),
    'workspace.root': rarely(folder),
    'workspace.access': rarely(fc.dictionary(fc.constantFrom('b', 'c'), fc.constant('read'))),
    'mcp.bundles': rarely(fc.subarray(['one', 'two'])),
    'memory.backend': rarely(fc.constantFrom('none', 'sqlite')),
    'output.stream': rarely(fc.oneof(fc.boolean(), fc.json())),
  }),
) as fc.Arbitrary<Narrowing>;
const client = fc.oneof(fc.constant('none' as const), narrowing);

const arrival: fc.Arbitrary<[Origin, Principal, ResolveRecords]> = fc.oneof(
  fc.constant<[Origin, Principal, ResolveRecords]>([
    { kind: 'run' },
    { kind: 'local', id: 'local', person: null },
    {},
  ]),
  fc
    .array(tool)
    .map((scope): [Origin, Principal, ResolveRecords] => [
      { kind: 'rest', token: 't' },
      { kind: 'token', id: 't', person: 'ana' },
      { token: { id: 't', name: 'ci', roles: [], scopes: { agents: ['a'], tools: scope } } },
    ]),
  fc
    .tuple(fc.option(fc.array(tool)), fc.boolean(), narrowing)
    .map(([list, usesMemory, held]): [Origin, Principal, ResolveRecords] => [
      { kind: 'cron', job: 'j' },
      { kind: 'job', id: 'j', person: null },
      { job: { name: 'j', agent: 'a', tools: list, usesMemory, narrowing: held, depth: 0 } },
    ]),
  narrowing.map((held): [Origin, Principal, ResolveRecords] => [
    { kind: 'acp', connection: 'c' },
    { kind: 'local', id: 'local', person: null },
    { connection: { id: 'c', narrowing: held } },
  ]),
);
const request = fc
  .tuple(arrival, client, fc.constantFrom('a', 'a', 'a', 'b', 'none', 'constructor'))
  .map(([[origin, principal, records], asked, to]): [ResolveRequest, ResolveRecords] => [
    { agent: to, principal, session: 's', origin, client: asked },
    records,
  ]);

/** The settings in which the first policy grants something that the second does not. */
const widerKeys = (policy: PolicySnapshot, than: PolicySnapshot): string[] =>
  settings
    .filter(({ key, order }) => !isAtMost(order, valueAt(policy, key), valueAt(than, key)))
    .map(({ key }) => key);

const own = (config: AppliedConfig, agent: string): PolicySnapshot | null => {
  const found = resolve(
    config,
    {
      agent,
      principal: { kind: 'local', id: 'local', person: null },
      session: 's',
      origin: { kind: 'run' },
      client: 'none',
    },
    {},
  );
  return found.ok ? found.policy.parts.snapshot : null;
};

describe('resolve() of any config and request', () => {
  it('answers, with a policy or with problems', () => {
    let policies = 0;
    fc.assert(
      fc.property(config, request, (applied, [asked, records]) => {
        const found = resolve(applied, asked, records);
        if (!found.ok) expect(found.problems.length).toBeGreaterThan(0);
        else {
          policies += 1;
          const { snapshot, digest } = found.policy.parts;
          expect(policySnapshotSchema.parse(snapshot)).toEqual(snapshot);
          expect(digest).toBe(digestOf(snapshot));
        }
      }),
      { numRuns: 300 },
    );
    expect(policies).toBeGreaterThan(20);
  });

  it("never gives more than the agent's own policy", () => {
    fc.assert(
      fc.property(config, request, (applied, [asked, records]) => {
        for (const found of [
          resolve(applied, asked, records),
          resolveAgain(applied, asked, records),
        ]) {
          if (!found.ok) continue;
          const full = own(applied, asked.agent);
          expect(full).not.toBeNull();
          if (full !== null) expect(widerKeys(found.policy.parts.snapshot, full)).toEqual([]);
        }
      }),
      { numRuns: 300 },
    );
  });

  it('gives the same bytes for the same input, whatever was asked before', () => {
    fc.assert(
      fc.property(config, request, request, (applied, [asked, records], [other, others]) => {
        const first = resolve(applied, asked, records);
        const fresh: AppliedConfig = { ...applied };
        resolve(fresh, other, others);
        const second = resolve(fresh, asked, records);
        const bytes = ({ ok, ...rest }: typeof first) => [
          ok,
          canonicalJson('policy' in rest ? rest.policy.parts : rest.problems),
        ];
        expect(bytes(second)).toEqual(bytes(first));
      }),
    );
  });

  it('says of each surface what its digest says', () => {
    fc.assert(
      fc.property(config, request, (applied, [asked, records]) => {
        const found = resolve(applied, asked, records);
        if (!found.ok) return;
        const { snapshot, surfaces } = found.policy.parts;
        for (const [surface, digest] of Object.entries(surfaces))
          expect(digest).toBe(digestOf(snapshot[surface as keyof PolicySnapshot]));
      }),
      { numRuns: 50 },
    );
  });
});

describe('a running turn under any newer config', () => {
  it('is left with no more than either policy grants', () => {
    fc.assert(
      fc.property(config, config, request, (before, after, [asked, records]) => {
        const held = resolve(before, asked, records);
        const newer = resolveAgain(after, asked, records);
        if (!held.ok || !newer.ok) return;
        const effective = held.policy.parts.snapshot;
        const { policy, keys } = narrowPolicy(effective, newer.policy);
        const left = policy.parts.snapshot;
        expect(widerKeys(left, effective)).toEqual([]);
        expect(widerKeys(left, newer.policy.parts.snapshot)).toEqual([]);
        expect(left.provider).toEqual(effective.provider);
        expect(keys.length > 0).toBe(canonicalJson(left) !== canonicalJson(effective));
        expect(narrowPolicy(left, newer.policy).keys).toEqual([]);
      }),
      { numRuns: 200 },
    );
  });
});
