import { describe, expect, it } from 'vitest';
import { configSchema, type Config } from './config.schema.ts';
import { widens } from './widens.ts';

const agent = (tables: object): Config =>
  configSchema.parse({
    agents: { a: { provider: 'p', risk_profile: 'r', runtime_profile: 't', ...tables } },
    providers: { p: { type: 'scripted', script: 's.yaml' } },
    risk_profiles: { r: {}, open: { autonomy: 'full' } },
    runtime_profiles: { t: {} },
  });

/** One change that grants more and, the other way round, grants less. */
const cases: readonly (readonly [string, object, object])[] = [
  ['tools.allowed', { tools: { allowed: ['file_read'] } }, { tools: { allowed: ['file_*'] } }],
  ['tools.allowed', {}, { tools: { allowed: '*' } }],
  ['tools.denied', { tools: { denied: ['file_*'] } }, { tools: { denied: ['file_read'] } }],
  ['tools.denied', { tools: { denied: ['file_read'] } }, {}],
  ['approval.autonomy', { autonomy: 'read_only' }, {}],
  ['approval.autonomy', {}, { risk_profile: 'open' }],
  ['approval.always_ask', { approval: { always_ask: ['time_now'] } }, {}],
  ['approval.auto_approve', {}, { approval: { auto_approve: ['time_now'] } }],
  [
    'approval.route.on_no_approver',
    { approval: { route: { on_no_approver: 'deny' } } },
    { approval: { route: {} } },
  ],
  ['budgets.max_tool_calls', { budgets: { max_tool_calls: 3 } }, {}],
  ['budgets.max_tool_calls', {}, { budgets: { max_tool_calls: 'unlimited' } }],
  ['workspace.workspace_only', {}, { workspace: { workspace_only: false } }],
  ['workspace.allowed_roots', {}, { workspace: { allowed_roots: ['notes'] } }],
  [
    'workspace.allowed_roots',
    { workspace: { allowed_roots: ['notes/a'] } },
    { workspace: { allowed_roots: ['notes'] } },
  ],
  ['workspace.forbidden_paths', {}, { workspace: { forbidden_paths: ['/etc'] } }],
  ['workspace.access', {}, { workspace: { access: { b: 'read' } } }],
  ['network.allowed_hosts', {}, { network: { allowed_hosts: ['a.example'] } }],
  ['output.redact', {}, { output: { redact: false } }],
  ['secrets.unseal', {}, { secrets: { unseal: ['http_fetch'] } }],
];

describe('a change of config', () => {
  it.each(cases)('that grants more of %s is named, its reverse is not', (key, narrow, wide) => {
    expect(widens(agent(narrow), agent(wide))).toEqual([`agents.a.${key}`]);
    expect(widens(agent(wide), agent(narrow))).toEqual([]);
    expect(widens(agent(wide), agent(wide))).toEqual([]);
  });

  it('names another root both ways, as neither grants the other', () => {
    const [one, two] = [agent({ workspace: { root: 'x' } }), agent({ workspace: { root: 'y' } })];
    expect(widens(one, two)).toEqual(['agents.a.workspace.root']);
    expect(widens(two, one)).toEqual(['agents.a.workspace.root']);
  });

  it('names an agent that is new or enabled again, and none that is gone or disabled', () => {
    const [none, off, on] = [configSchema.parse({}), agent({ enabled: false }), agent({})];
    expect(widens(none, on)).toEqual(['agents.a']);
    expect(widens(null, on)).toEqual(['agents.a']);
    expect(widens(off, on)).toEqual(['agents.a.enabled']);
    expect(widens(on, off)).toEqual([]);
    expect(widens(on, none)).toEqual([]);
  });

  it('names what servers run and reach, people may do, providers see and the gateway lets in', () => {
    const base = {
      mcp: {
        servers: {
          s: { transport: 'stdio', command: 'c', expose: '*' },
          h: { transport: 'http', url: 'https://h', expose: '*' },
        },
      },
      people: {
        ana: { roles: ['viewer'], identities: ['token:a'] },
        bo: { roles: [], identities: ['token:b'] },
      },
      providers: { p: { type: 'scripted', script: 's', prices: 'free' } },
    };
    const after = {
      mcp: {
        servers: {
          s: {
            transport: 'stdio',
            command: 'd',
            network: true,
            expose: '*',
            tools: { t: { repeatable: true } },
          },
          h: { transport: 'http', url: 'https://i', expose: '*' },
        },
      },
      people: { ana: { roles: ['viewer', 'admin'], identities: ['token:c'] } },
      providers: { p: { type: 'scripted', script: 's' } },
      gateway: { host: '0.0.0.0', hosts: ['x'], trusted_proxies: ['10.0.0.1'], max_body_kb: 2000 },
    };
    expect(widens(configSchema.parse(base), configSchema.parse(after))).toEqual([
      'mcp.servers.s.command',
      'mcp.servers.s.network',
      'mcp.servers.s.tools.t.repeatable',
      'mcp.servers.h.url',
      'people.ana.roles',
      'people.ana.identities',
      'people.bo',
      'providers.p.prices',
      'gateway.host',
      'gateway.hosts',
      'gateway.trusted_proxies',
      'gateway.max_body_kb',
    ]);
  });

  it('names jobs, heartbeats, procedures and channels that are new, and what an edge lends more than before', () => {
    const edge = (tools: readonly string[]) => ({
      agents: {
        a: { delegates: [{ agent: 'b', mode: 'bounded', grants: { tools: [...tools] } }] },
        b: {},
      },
    });
    const starts = {
      cron: { nightly: { agent: 'a', schedule: '0 3 * * *', prompt: 'look' } },
      heartbeat: { b: { every: '30m', prompt: 'open?' } },
      sops: { ship: { steps: [{ agent: 'a', prompt: 'ship' }] } },
      channels: { webhook: { desk: { secret: { env: 'S' } } } },
    };
    const [few, more] = [edge(['memory_recall']), { ...edge(['memory_*']), ...starts }].map(
      (config) => configSchema.parse(config),
    );
    if (few === undefined || more === undefined) throw new TypeError('no config');
    expect(widens(few, more)).toEqual([
      // Whose it is where no agent names it.
      'agents.a.channels.bindings',
      'agents.a.delegates.b.grants',
      'cron.nightly',
      'heartbeat.b',
      'sops.ship',
      'channels.webhook.desk',
    ]);
    expect(widens(more, few)).toEqual([]);
    expect(widens(more, more)).toEqual([]);
  });

  it('stays short when very much changes', () => {
    const many = (count: number) =>
      configSchema.parse({
        agents: Object.fromEntries(Array.from({ length: count }, (_, index) => [`a${index}`, {}])),
      });
    expect(widens(null, many(501))).toEqual(['agents']);
    expect(widens(null, many(2))).toEqual(['agents.a0', 'agents.a1']);
  });
});
