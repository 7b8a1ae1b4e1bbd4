import { describe, expect, it } from 'vitest';
import { applied, complete, profiles, runRequest } from './applied.fixture.ts';
import { nowhere } from './orders/own.ts';
import { isResolvedPolicy, narrowPolicy, resolve, type ResolvedPolicy } from './resolve.ts';
import type { PolicySnapshot } from './snapshot.ts';

const policyOf = (
  agent: object,
  rest: Record<string, unknown> = {},
  others: object = {},
): ResolvedPolicy => {
  const config = applied({
    ...profiles,
    ...rest,
    agents: { a: { ...complete, ...agent }, ...others },
  });
  const found = resolve(config, runRequest(), {});
  if (!found.ok) throw new Error(JSON.stringify(found.problems));
  return found.policy;
};
const snapshotOf = (...given: Parameters<typeof policyOf>): PolicySnapshot =>
  policyOf(...given).parts.snapshot;

describe('given a running turn and a config that says the same', () => {
  it('changes nothing', () => {
    const held = snapshotOf({ tools: { allowed: ['file_*'] } });
    const { policy, keys } = narrowPolicy(held, policyOf({ tools: { allowed: ['file_*'] } }));
    expect(keys).toEqual([]);
    expect(policy.parts.snapshot).toEqual(held);
    expect(isResolvedPolicy(policy)).toBe(true);
  });
});

describe('given a running turn and a newer config', () => {
  it('takes away what the newer one takes away and gives nothing', () => {
    const held = snapshotOf({
      tools: { allowed: ['file_*'] },
      budgets: { max_tool_calls: 5, max_tool_iterations: 5 },
    });
    const newer = policyOf({
      tools: { allowed: ['file_read', 'time_now'] },
      budgets: { max_tool_calls: 50, max_tool_iterations: 2 },
    });
    const { policy, keys } = narrowPolicy(held, newer);
    expect(policy.parts.snapshot).toEqual({
      ...held,
      tools: {
        allowed: [['builtin:file_*'], ['builtin:file_read', 'builtin:time_now']],
        denied: [],
      },
      budgets: { ...held.budgets, max_tool_calls: 5, max_tool_iterations: 2 },
    });
    expect(keys).toEqual(['tools.allowed', 'budgets.max_tool_iterations']);
  });

  it('says which value is held since the start and which is new', () => {
    const held = snapshotOf({ budgets: { max_tool_calls: 5, max_tool_iterations: 5 } });
    const newer = policyOf({ budgets: { max_tool_calls: 50, max_tool_iterations: 2 } });
    const { provenance } = narrowPolicy(held, newer).policy.parts;
    const of = (wanted: string) => provenance.find(({ key }) => key === wanted);
    expect(of('budgets.max_tool_calls')).toEqual({
      key: 'budgets.max_tool_calls',
      source: 'narrowing',
      name: 'turn',
      path: null,
    });
    expect(of('budgets.max_tool_iterations')?.source).toBe('agent');
  });

  it('keeps provider, model and prices as they were', () => {
    const held = snapshotOf({});
    const priced = { local: { type: 'scripted', script: 'other.yaml', timeout_secs: 5 } };
    const { policy, keys } = narrowPolicy(held, policyOf({}, { providers: priced }));
    expect(policy.parts.snapshot.provider).toEqual(held.provider);
    // The other script is a file that config names, so it is protected now.
    expect(keys).toEqual(['workspace.forbidden_paths']);
    expect(policy.parts.snapshot.workspace.protected).toContain('/srv/team/other.yaml');
    expect(policy.parts.snapshot.workspace.protected).toContain('/srv/team/scripts/a.yaml');
  });

  it('leaves no folder where the root was moved away', () => {
    const { policy, keys } = narrowPolicy(
      snapshotOf({ workspace: { root: '/ws/old' } }),
      policyOf({ workspace: { root: '/ws/new' } }),
    );
    expect([policy.parts.snapshot.workspace.root, keys]).toEqual([nowhere, ['workspace.root']]);
  });

  it('closes the workspace of an agent that is new or has moved', () => {
    const access = { workspace: { access: { b: 'read' } } };
    const held = snapshotOf(access, {}, { b: { workspace: { root: '/ws/b' } } });
    const { policy, keys } = narrowPolicy(
      held,
      policyOf(
        access,
        {},
        {
          b: { workspace: { root: '/ws/moved' } },
          c: { workspace: { root: '/ws/c' } },
        },
      ),
    );
    const { workspace } = policy.parts.snapshot;
    expect(workspace.access).toEqual({});
    expect(workspace.protected).toEqual(expect.arrayContaining(['/ws/moved', '/ws/c']));
    expect(keys).toEqual(['workspace.access', 'workspace.forbidden_paths']);
  });

  it('leaves a root open that a sibling is put around, and opens none that was closed', () => {
    const root = (at: string) => ({ workspace: { root: at } });
    const around = policyOf(root('/ws/a'), {}, { b: root('/ws') });
    const open = narrowPolicy(snapshotOf(root('/ws')), around);
    expect(open.policy.parts.snapshot.workspace.protected_except).toContain('/ws/a');
    expect(narrowPolicy(open.policy.parts.snapshot, around).keys).toEqual([]);

    const closed = snapshotOf(root('/ws'), {}, { b: root('/ws/a') });
    const still = narrowPolicy(closed, around).policy.parts.snapshot;
    expect(still.workspace.protected).toContain('/ws/a');
    expect(still.workspace.protected_except).not.toContain('/ws/a');
    expect(narrowPolicy(still, around).keys).toEqual([]);
  });

  it('keeps a server from a network that it did not have', () => {
    const server = (network: boolean) => ({
      mcp: {
        servers: { s: { transport: 'stdio', command: 'x', expose: '*', network } },
      },
      mcp_bundles: { all: { servers: ['s'] } },
    });
    const agent = { mcp_bundles: ['all'] };
    const { policy, keys } = narrowPolicy(
      snapshotOf(agent, server(false)),
      policyOf(agent, server(true)),
    );
    expect(policy.parts.snapshot.mcp.servers['s']?.network).toBe(false);
    expect(keys).toEqual(['mcp.bundles']);
  });
});
