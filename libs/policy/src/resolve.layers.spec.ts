import { describe, expect, it } from 'vitest';
import {
  applied,
  complete,
  exampleHost,
  oneAgent,
  profiles,
  runRequest,
} from './applied.fixture.ts';
import { resolve, type ResolvedPolicy } from './resolve.ts';
import type { AppliedConfig } from './resolution.ts';
import { policySnapshotSchema } from './snapshot.ts';
import { settingKeys, type SettingKey } from './setting-key.ts';

const policyOf = (config: AppliedConfig, agent = 'a'): ResolvedPolicy['parts'] => {
  const found = resolve(config, runRequest(agent), {});
  if (!found.ok) throw new Error(JSON.stringify(found.problems));
  return found.policy.parts;
};
const from = (parts: ResolvedPolicy['parts'], key: SettingKey) =>
  parts.provenance.find((entry) => entry.key === key);

describe('given an agent that says nothing', () => {
  const { snapshot, provenance } = policyOf(oneAgent());

  it('holds every default of the registry', () => {
    expect(snapshot.tools).toEqual({ allowed: [[]], denied: [] });
    expect(snapshot.approval).toEqual({
      autonomy: 'supervised',
      auto_approve: [[]],
      always_ask: [],
      approvers_required: 1,
      four_eyes: false,
      route: { approver: 'inbox', on_no_approver: 'queue' },
      timeout_secs: 900,
      grant_ttl_secs: 3600,
    });
    expect(snapshot.budgets).toEqual({
      max_tool_iterations: 10,
      max_parallel_tools: 4,
      max_tool_result_chars: 50_000,
      max_output_tokens: 4096,
      loop_detection: { window: 20, max_repeats: 3 },
      max_tool_calls: 30,
      max_tokens_per_turn: 200_000,
      max_cost_usd_per_turn: 1_000_000,
      turn_timeout_secs: 600,
      tool_timeout_secs: 60,
      max_actions_per_hour: 120,
      max_cost_usd_per_day: 10_000_000,
      warn_at_percent: 80,
    });
    expect(snapshot.context).toEqual({
      max_history_messages: 50,
      max_context_tokens: 32_000,
      keep_tool_results_turns: 2,
      max_system_prompt_chars: 20_000,
      identity: { files: [], writable: false },
    });
    expect(snapshot.network).toEqual({ allowed_hosts: [[]], block_private_addresses: true });
    expect(snapshot.secrets).toEqual({ unseal: [[]] });
    expect(snapshot.output).toEqual({ redact: true, max_reply_chars: 20_000, stream: true });
  });

  it('works in its own folder and nowhere else', () => {
    const home = (path: string) => `/home/ana/${path}`;
    expect(snapshot.workspace).toEqual({
      root: '/srv/team/.lockstep/workspaces/a',
      workspace_only: true,
      access: {},
      allowed_roots: [],
      forbidden_paths: [
        ...['**/.env', '**/.env.*', '/boot', '/dev', '/etc'],
        ...['.aws', '.azure', '.config/gcloud', '.config/gh', '.docker'].map(home),
        ...['.git-credentials', '.gnupg', '.kube', '.netrc', '.npmrc', '.ssh'].map(home),
        ...['/proc', '/run', '/sys', '/var/run'],
      ],
      unrestricted_filesystem: false,
      protected: [
        '/opt/lockstep/apps',
        '/opt/lockstep/libs',
        '/srv/team/.lockstep',
        '/srv/team/lockstep.toml',
        '/srv/team/scripts/a.yaml',
      ],
      protected_except: ['/srv/team/.lockstep/workspaces'],
      siblings: {},
    });
  });

  it('remembers for one person, runs no command and starts nobody', () => {
    expect([snapshot.memory, snapshot.skills, snapshot.shell]).toEqual([
      {
        backend: 'sqlite',
        auto_recall: true,
        recall_limit: 5,
        read_memory_from: [],
        share: 'person',
        writable: true,
        retention_days: 365,
      },
      { bundles: [], allow_scripts: false, prompt_mode: 'compact', directories: {} },
      { allowed_commands: [[]], env_passthrough: [], block_high_risk: true, sandbox: 'required' },
    ]);
    expect([snapshot.delegation, snapshot.channels]).toEqual([
      { mode: 'forbidden', delegates: {}, max_depth: 3, spawn: false, sops: [] },
      { bindings: [], peers: {} },
    ]);
  });

  it('says of every setting where it came from', () => {
    expect(provenance.map(({ key }) => key)).toEqual(settingKeys);
    expect(new Set(provenance.map(({ source }) => source))).toEqual(new Set(['default']));
  });

  it('makes a snapshot that its schema admits', () => {
    expect(policySnapshotSchema.parse(snapshot)).toEqual(snapshot);
  });
});

describe('given layers', () => {
  const layered = (agent: object, profile: object) =>
    policyOf(
      applied({
        ...profiles,
        risk_profiles: { careful: profile },
        agents: { a: { ...complete, ...agent } },
      }),
    );

  it('takes the value of the agent whole, not joined with the profile', () => {
    const parts = layered({ tools: { allowed: ['time_now'] } }, { tools: { allowed: ['file_*'] } });
    expect(parts.snapshot.tools.allowed).toEqual([['builtin:time_now']]);
    expect(from(parts, 'tools.allowed')).toEqual({
      key: 'tools.allowed',
      source: 'agent',
      name: 'a',
      path: 'agents.a.tools.allowed',
    });
  });

  it('tells absent, none and all apart', () => {
    const profile = { tools: { allowed: ['file_*'] } };
    expect(layered({}, profile).snapshot.tools.allowed).toEqual([['builtin:file_*']]);
    expect(layered({ tools: { allowed: [] } }, profile).snapshot.tools.allowed).toEqual([[]]);
    expect(layered({ tools: { allowed: '*' } }, profile).snapshot.tools.allowed).toEqual([['*']]);
  });

  it('takes each key of a table from its own layer', () => {
    const parts = layered(
      { approval: { route: { on_no_approver: 'deny' } } },
      { autonomy: 'read_only', approval: { timeout_secs: 60 } },
    );
    expect(parts.snapshot.approval).toMatchObject({
      autonomy: 'read_only',
      timeout_secs: 60,
      route: { on_no_approver: 'deny' },
    });
    expect(from(parts, 'approval.autonomy')?.path).toBe('risk_profiles.careful.autonomy');
    expect(from(parts, 'approval.timeout_secs')?.source).toBe('risk_profile');
    expect(from(parts, 'approval.grant_ttl_secs')?.source).toBe('default');
  });

  it('reads budgets from the runtime profile, dollars as whole micro-dollars', () => {
    const parts = policyOf(
      applied({
        ...profiles,
        runtime_profiles: {
          short: { budgets: { max_cost_usd_per_turn: 0.1, max_tool_calls: 'unlimited' } },
        },
        agents: { a: complete },
      }),
    );
    expect(parts.snapshot.budgets.max_cost_usd_per_turn).toBe(100_000);
    expect(parts.snapshot.budgets.max_tool_calls).toBe('unlimited');
    expect(from(parts, 'budgets.max_tool_calls')).toEqual({
      key: 'budgets.max_tool_calls',
      source: 'runtime_profile',
      name: 'short',
      path: 'runtime_profiles.short.budgets.max_tool_calls',
    });
  });

  it('anchors paths at the config file and the home folder', () => {
    const { workspace } = policyOf(
      oneAgent({
        workspace: {
          root: 'notes/../docs',
          allowed_roots: ['~/shared', '/data'],
          forbidden_paths: ['drafts', '**/*.key', '~'],
        },
      }),
    ).snapshot;
    expect(workspace.root).toBe('/srv/team/docs');
    expect(workspace.allowed_roots).toEqual(['/data', '/home/ana/shared']);
    expect(workspace.forbidden_paths).toEqual(['**/*.key', '/home/ana', '/srv/team/drafts']);
  });
});

describe('given settings that owe each other something', () => {
  it('keeps an agent in its workspace unless a stronger word permits to leave', () => {
    const leave = { workspace: { workspace_only: false } };
    expect(policyOf(oneAgent(leave)).snapshot.workspace.workspace_only).toBe(true);
    expect(from(policyOf(oneAgent(leave)), 'workspace.workspace_only')?.source).toBe('closure');
    expect(
      policyOf(oneAgent({ ...leave, autonomy: 'full' })).snapshot.workspace.workspace_only,
    ).toBe(false);
    const anywhere = { workspace: { workspace_only: false, unrestricted_filesystem: true } };
    expect(policyOf(oneAgent(anywhere)).snapshot.workspace.workspace_only).toBe(false);
  });

  it('switches nothing off by permitting it', () => {
    const { workspace } = policyOf(
      oneAgent({ autonomy: 'full', workspace: { unrestricted_filesystem: true } }),
    ).snapshot;
    expect(workspace.workspace_only).toBe(true);
  });
});

describe('given several agents', () => {
  const team = (b: object, a: object = {}) =>
    policyOf(
      applied({
        ...profiles,
        agents: { a: { ...complete, ...a }, b: { workspace: { root: '/ws/b', ...b } } },
      }),
    ).snapshot.workspace;

  it('protects the workspace of each other one', () => {
    expect(team({}).protected).toContain('/ws/b');
    expect(team({ forbidden_paths: ['/ws/b/key'] }).siblings).toEqual({
      b: { root: '/ws/b', forbidden_paths: ['/ws/b/key'] },
    });
  });

  it('leaves the workspace open that an edge leads to', () => {
    const open = team({}, { workspace: { access: { b: 'read' } } });
    expect(open.protected).not.toContain('/ws/b');
    expect(open.access).toEqual({ b: 'read' });
  });

  it("keeps a root open that lies inside another agent's folder", () => {
    const inside = team({}, { workspace: { root: '/ws/b/a' } });
    expect([inside.protected.includes('/ws/b'), inside.protected_except]).toEqual([
      true,
      ['/srv/team/.lockstep/workspaces', '/ws/b/a'],
    ]);
    expect(team({}, { workspace: { root: '/ws/b' } }).protected).not.toContain('/ws/b');
  });
});

describe('given servers', () => {
  const config = (agent: object) =>
    applied({
      ...profiles,
      agents: { a: { ...complete, ...agent }, b: complete },
      mcp: {
        servers: {
          files: {
            transport: 'stdio',
            command: 'server',
            env: { KEY: { file: 'key.txt' } },
            network: true,
            expose: ['read_*'],
            tools: {
              read_text_file: {
                effect: ['read'],
                operands: [{ at: '/path', kind: 'path', access: 'read' }],
                repeatable: true,
              },
            },
          },
          web: { transport: 'http', url: 'https://mcp.test', expose: '*', share: 'agent' },
        },
      },
      mcp_bundles: { all: { servers: ['web', 'files'] }, one: { servers: ['files'] } },
    });

  it('gives an agent without bundles none of them', () => {
    const { mcp } = policyOf(config({ mcp_bundles: ['all'] }), 'b').snapshot;
    expect(mcp).toEqual({
      bundles: [],
      expose: {},
      effects: {},
      operands: {},
      repeatable: {},
      run: {},
      share: {},
      servers: {},
    });
  });

  it('says of each server of the bundles what config says', () => {
    const { mcp, workspace } = policyOf(config({ mcp_bundles: ['all'] })).snapshot;
    expect({ ...mcp, servers: {} }).toEqual({
      bundles: ['all'],
      expose: { files: [['read_*']], web: [['*']] },
      effects: { files: { read_text_file: ['read'] }, web: {} },
      operands: {
        files: { read_text_file: [{ at: '/path', kind: 'path', access: 'read' }] },
        web: {},
      },
      repeatable: { files: ['read_text_file'], web: [] },
      run: { files: 'sandboxed' },
      share: { files: 'session', web: 'agent' },
      servers: {},
    });
    expect(mcp.servers['files']).toMatchObject({ transport: 'stdio', network: true });
    expect(workspace.protected).toContain(`${exampleHost.base}/key.txt`);
  });

  it('leaves the servers out whose bundles a caller leaves out', () => {
    const found = resolve(
      config({ mcp_bundles: ['all', 'one'] }),
      { ...runRequest(), client: { 'mcp.bundles': ['one'] } },
      {},
    );
    const mcp = found.ok ? found.policy.parts.snapshot.mcp : null;
    expect(mcp?.expose).toEqual({ files: [['read_*']] });
    expect(Object.keys(mcp?.servers ?? {})).toEqual(['files']);
  });
});
