import { samplePolicy, type PolicyChanges } from '@lockstep/engine/testing';
import type { PolicySnapshot } from '@lockstep/policy';

/** A snapshot for specs of adapters, which read single parts of it: everything allowed inside one root, nothing else. */
export const snapshotOf = (
  root: string,
  change: Pick<
    PolicyChanges,
    'agent' | 'workspace' | 'mcp' | 'network' | 'secrets' | 'output'
  > = {},
): PolicySnapshot =>
  samplePolicy({
    ...change,
    agent: change.agent ?? 'writer',
    approval: { autonomy: 'full', route: { approver: 'inbox', on_no_approver: 'deny' } },
    workspace: {
      root,
      forbidden_paths: ['**/.env', '**/.env.*', '/etc', '/proc'],
      protected: [],
      protected_except: [],
      siblings: {},
      ...change.workspace,
    },
    mcp: { ...noServers, ...change.mcp },
  });

const noServers: PolicySnapshot['mcp'] = {
  bundles: [],
  expose: {},
  effects: {},
  operands: {},
  repeatable: {},
  run: {},
  share: {},
  servers: {},
};
