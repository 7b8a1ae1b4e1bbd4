import {
  enforcedKeys,
  resolve,
  type AppliedConfig,
  type Origin,
  type Principal,
  type ResolveRecords,
} from '@lockstep/policy';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { configWith } from './config.ts';
import { seamDrivers } from './driver.ts';
import { naiveValues, type Taken } from './naive-config.ts';
import { risk, runtime, server, some, toolList } from './random-tables.ts';
import { valueOf } from './value-of.ts';

const configs: fc.Arbitrary<AppliedConfig> = fc
  .record({
    agent: fc.tuple(
      risk,
      runtime,
      some({
        mcp_bundles: fc.subarray(['one', 'two']),
        skill_bundles: fc.subarray(['write', 'read']),
        channels: fc.subarray(['webhook.support', 'mqtt.yard']),
        delegates: fc.array(
          fc.record({ agent: fc.constant('ben'), mode: fc.constantFrom('bounded', 'independent') }),
          { maxLength: 2 },
        ),
      }),
    ),
    peers: fc.subarray(['*', 'eve', 'bob']),
    ignore: fc.subarray(['eve', 'mallory']),
    scope: fc.option(toolList, { nil: undefined }),
    risk,
    runtime,
    servers: fc.record({ files: server, notes: server }),
    bundle: fc.subarray(['files', 'notes']),
  })
  .map(({ agent, risk: careful, runtime: short, servers, bundle, peers, ignore, scope }) =>
    configWith(
      { ...agent[0], ...agent[1], ...agent[2] },
      {
        risk_profiles: { careful },
        runtime_profiles: { short },
        mcp: { servers },
        mcp_bundles: { one: { servers: bundle }, two: { servers: ['notes'] } },
        skill_bundles: { write: { directory: 'skills/write' }, read: { directory: '/skills' } },
        channels: {
          webhook: { support: { secret: { env: 'S' }, ...(scope && { tools: scope }) } },
          mqtt: { yard: { url: 'mqtt://m', topic: 't' } },
        },
        peer_groups: {
          room: {
            channel: 'webhook.support',
            agents: ['ada', 'ben'],
            external_peers: peers,
            ignore,
          },
          yard: { channel: 'mqtt.yard', agents: ['ada'], external_peers: ['eve'] },
        },
        heartbeat: { ada: { every: '1h', prompt: 'x' } },
        sops: {
          release: { steps: [{ name: 'check', agent: 'ada', prompt: 'x' }] },
          review: { steps: [{ agent: 'ben', prompt: 'x' }] },
        },
      },
    ),
  );

describe('a config', () => {
  it.each(['rest', 'run'] as const)(
    'means to resolve() over %s what it plainly says',
    async (by) => {
      await fc.assert(
        fc.asyncProperty(configs, async (applied) => {
          const snapshot = await seamDrivers[by](applied, 'ada');
          const naive = naiveValues(applied, 'ada');
          for (const key of enforcedKeys)
            expect([key, valueOf(snapshot, key)]).toEqual([key, naive[key]]);
        }),
        { numRuns: 50 },
      );
    },
  );

  it('loses to a token what the scope of the token leaves out', () => {
    const scopes = fc.array(fc.constantFrom('*', 'file_read', 'mcp:files/*'), {
      minLength: 1,
      maxLength: 3,
    });
    fc.assert(
      fc.property(configs, scopes, (applied, tools) => {
        const token = {
          id: 't',
          name: 'ci',
          roles: ['operator' as const],
          scopes: { agents: ['*'], tools },
        };
        const found = resolve(
          applied,
          {
            agent: 'ada',
            principal: { kind: 'token', id: 't', person: null },
            session: 's-1',
            origin: { kind: 'rest', token: 't' },
            client: 'none',
          },
          { token },
        );
        if (!found.ok) throw new Error(found.problems.map(({ message }) => message).join());
        expect(found.policy.parts.snapshot.tools.allowed).toEqual(
          naiveValues(applied, 'ada', { tools })['tools.allowed'],
        );
      }),
      { numRuns: 50 },
    );
  });

  const ask = (
    applied: AppliedConfig,
    origin: Origin,
    principal: Principal,
    records: ResolveRecords,
  ) =>
    resolve(applied, { agent: 'ada', principal, session: 's-1', origin, client: 'none' }, records);
  const job = (name: string): Principal => ({ kind: 'job', id: name, person: null });
  const local: Principal = { kind: 'local', id: 'local', person: null };
  const scope = fc.option(fc.subarray(['*', 'file_read', 'mcp:files/*']), { nil: null });

  /** Every kind of start that no turn makes, with what it takes away. */
  const starts = fc
    .record({ tools: scope, memory: fc.boolean(), above: fc.integer({ min: 0, max: 3 }) })
    .map(({ tools, memory, above }) => {
      const taken: Taken = { tools: tools ?? 'nothing' };
      const narrowings =
        tools === null ? [] : [{ whose: 'token:ci', values: { 'tools.allowed': [tools] } }];
      const all: readonly [Origin, Principal, ResolveRecords, Taken][] = [
        [{ kind: 'run' }, local, {}, { tools: 'nothing' }],
        [{ kind: 'heartbeat' }, job('heartbeat-ada'), {}, { tools: 'nothing' }],
        ...(['json_rpc', 'acp'] as const).map(
          (kind): [Origin, Principal, ResolveRecords, Taken] => [
            { kind, connection: 'c' },
            local,
            { connection: { id: 'c', narrowing: {} } },
            { tools: 'nothing' },
          ],
        ),
        [
          { kind: 'cron', job: 'j' },
          job('j'),
          {
            job: {
              name: 'j',
              agent: 'ada',
              tools,
              usesMemory: memory,
              narrowing: {},
              depth: above,
            },
          },
          { ...taken, ...(memory ? {} : { memory: 'none' as const }) },
        ],
        [
          { kind: 'sop', run: 'r', step: 'check', parent: 'none' },
          local,
          {
            sopRun: {
              id: 'r',
              sop: 'release',
              step: 'check',
              scope: null,
              narrowings,
              depth: above,
            },
          },
          taken,
        ],
      ];
      return { all, above };
    });

  it('loses on every kind of start exactly what that start takes away', () => {
    fc.assert(
      fc.property(configs, starts, (applied, { all, above }) => {
        for (const [origin, principal, records, taken] of all) {
          const own = naiveValues(applied, 'ada')['delegation.max_depth'];
          const deep = (origin.kind === 'cron' || origin.kind === 'sop') && above > 0;
          const found = ask(applied, origin, principal, records);
          if (deep && typeof own === 'number' && above > own) {
            expect(found.ok ? null : found.problems.map(({ code }) => code)).toEqual([
              'depth_exceeded',
            ]);
            continue;
          }
          if (!found.ok) throw new Error(found.problems.map(({ message }) => message).join());
          const depth = deep && typeof own === 'number' ? { depth: own - above } : {};
          const naive = naiveValues(applied, 'ada', { ...taken, ...depth });
          for (const key of enforcedKeys)
            expect([origin.kind, key, valueOf(found.policy.parts.snapshot, key)]).toEqual([
              origin.kind,
              key,
              naive[key],
            ]);
        }
      }),
      { numRuns: 20 },
    );
  });

  it('hears on a channel those that it names and does not ignore, on its own channels alone', () => {
    const senders = fc.constantFrom('eve', 'bob', 'mallory');
    fc.assert(
      fc.property(configs, senders, (applied, sender) => {
        const binding = 'webhook.support';
        const naive = naiveValues(applied, 'ada');
        const found = ask(
          applied,
          { kind: 'channel', binding },
          { kind: 'peer', id: `${binding}/${sender}`, person: null },
          {},
        );
        const { external_peers: named = [], ignore = [] } =
          applied.config.peer_groups['room'] ?? {};
        const heard =
          (naive['channels.bindings'] as readonly string[]).includes(binding) &&
          (named.includes('*') || named.includes(sender)) &&
          !ignore.includes(sender);
        expect(found.ok).toBe(heard);
        if (!found.ok) return;
        const tools = applied.config.channels.webhook['support']?.tools ?? 'nothing';
        expect(found.policy.parts.snapshot.tools.allowed).toEqual(
          naiveValues(applied, 'ada', { tools: tools === '*' ? ['*'] : tools })['tools.allowed'],
        );
      }),
      { numRuns: 50 },
    );
  });
});
