import { describe, expect, it } from 'vitest';
import { complete, problemsIn } from '../parse-config.fixture.ts';

const next = complete.split('\n').length;
const server = `[mcp.servers.files]
transport = "stdio"
command = "server"
expose = ["read_*"]
[mcp.servers.files.tools.read_it]
[mcp_bundles.files]
servers = ["files"]
`;

/** The problems of a complete agent with more text, which begins on line 1. */
const added = (text: string): string[] =>
  problemsIn(complete + text).map((problem) =>
    problem.replace(/^\d+/, (line) => String(Number(line) - next + 1)),
  );

const withServer = (text: string): string[] =>
  problemsIn(complete + server + text).map((problem) =>
    problem.replace(/^\d+/, (line) => String(Number(line) - next - 6)),
  );

describe('a name that leads nowhere is refused with the nearest one', () => {
  it.each([
    [
      '[agents.b]\nrisk_profile = "carefull"',
      '2:16 agents.b.risk_profile unknown_name: unknown risk profile `carefull`, did you mean `careful`?',
    ],
    [
      '[agents.b]\nruntime_profile = "shot"',
      '2:19 agents.b.runtime_profile unknown_name: unknown runtime profile `shot`, did you mean `short`?',
    ],
    [
      '[agents.b]\nmcp_bundles = ["files"]',
      '2:16 agents.b.mcp_bundles[0] unknown_name: unknown MCP bundle `files`, no [mcp_bundles] is defined',
    ],
    [
      '[mcp_bundles.x]\nservers = ["y"]',
      '2:12 mcp_bundles.x.servers[0] unknown_name: unknown MCP server `y`, no [mcp.servers] is defined',
    ],
    [
      '[agents.reviewer]\n[risk_profiles.careful.workspace]\naccess = { reviewr = "read" }',
      '3:12 risk_profiles.careful.workspace.access.reviewr unknown_name: unknown agent `reviewr`, did you mean `reviewer`?',
    ],
    [
      '[agents.b.workspace]\naccess = { b = "read" }',
      '2:12 agents.b.workspace.access.b cannot_act: `b` needs no access to its own workspace, leave it out',
    ],
    [
      '[risk_profiles.x]\nlocked = ["tools.alowed"]',
      '2:11 risk_profiles.x.locked[0] unknown_name: unknown setting `tools.alowed`, did you mean `tools.allowed`?',
    ],
    [
      '[risk_profiles.x]\nlocked = ["mcp.run"]',
      '2:11 risk_profiles.x.locked[0] cannot_act: `mcp.run` is set at the server, so no agent can set it',
    ],
  ])('%s', (text, problem) => {
    expect(added(text)).toEqual([problem]);
  });
});

describe('a pattern that allows and can meet no tool is refused', () => {
  it.each([
    ['fil_read', 'matches_nothing: `fil_read` matches no built-in tool, did you mean `file_read`?'],
    [
      'read_it',
      'matches_nothing: `read_it` matches no built-in tool, did you mean `mcp:files/read_it`?',
    ],
    [
      'mcp:fils/x',
      'unknown_name: `mcp:fils/x` names the unknown MCP server `fils`, did you mean `mcp:files/x`?',
    ],
    ['mcp:files', 'invalid_value: `mcp:files` names no tool, write `mcp:files/*`'],
    [
      'mpc:files/x',
      'unknown_name: `mpc:files/x` has the unknown source `mpc`, did you mean `mcp`?',
    ],
    ['**', 'invalid_value: `**` has two stars in a row, write one'],
    ['a b', 'invalid_value: a tool pattern holds no spaces'],
    ['builtin:', 'invalid_value: `builtin:` names no tool'],
  ])('%s', (pattern, message) => {
    expect(withServer(`[risk_profiles.x.tools]\nallowed = ["${pattern}"]`)).toEqual([
      `2:12 risk_profiles.x.tools.allowed[0] ${message}`,
    ]);
  });

  it.each([
    '*',
    'file_*',
    '*_read',
    '*:file_read',
    'mcp:*',
    'mcp:fi*/x',
    'mcp:files/x',
    'mcp:*/*',
    'shell',
    'memory_*',
    'skill:a/b',
  ])('unlike %s', (pattern) => {
    expect(withServer(`[risk_profiles.x.tools]\nallowed = ["${pattern}"]`)).toEqual([]);
  });

  it('in each list that allows', () => {
    const text = `[risk_profiles.x]
tools.allowed = ["nope"]
approval.auto_approve = ["nope"]
secrets.unseal = ["nope"]
`;
    const message = 'matches_nothing: `nope` matches no built-in tool';
    expect(added(text)).toEqual([
      `2:18 risk_profiles.x.tools.allowed[0] ${message}`,
      `3:26 risk_profiles.x.approval.auto_approve[0] ${message}`,
      `4:19 risk_profiles.x.secrets.unseal[0] ${message}`,
    ]);
  });
});

describe('a store', () => {
  it.each([
    [
      '[store]\ntype = "eventstoredb"',
      '2:8 store.type missing_key: `eventstoredb` needs `store.connection`, write `connection = { env = "NAME" }`',
    ],
    [
      '[store]\nconnection = { env = "ES" }',
      '2:1 store.connection cannot_act: `store.connection` is of `eventstoredb` alone, leave it out or set `store.type`',
    ],
  ])('is refused when connection and type do not fit: %s', (text, problem) => {
    expect(added(text)).toEqual([problem]);
  });

  it('is accepted with a connection that a variable or a file holds', () => {
    for (const connection of ['{ env = "ES" }', '{ file = "es.txt" }'])
      expect(added(`[store]\ntype = "eventstoredb"\nconnection = ${connection}`)).toEqual([]);
  });
});

describe('a setting that cannot act is refused', () => {
  it.each([
    [
      '[risk_profiles.careful.workspace]\nworkspace_only = false',
      '2:1 risk_profiles.careful.workspace.workspace_only cannot_act: `workspace_only = false` cannot act without `autonomy = "full"` or `unrestricted_filesystem = true`',
    ],
    [
      '[risk_profiles.careful.tools]\nallowed = ["file_*"]\ndenied = ["file_edit"]\n[risk_profiles.careful.approval]\nauto_approve = ["file_read", "file_edit", "http_fetch"]',
      '5:30 risk_profiles.careful.approval.auto_approve[1] cannot_act: `file_edit` cannot act: `tools` allow no tool that it matches',
      '5:43 risk_profiles.careful.approval.auto_approve[2] cannot_act: `http_fetch` cannot act: `tools` allow no tool that it matches',
    ],
    [
      '[risk_profiles.careful.secrets]\nunseal = ["http_fetch"]',
      '2:11 risk_profiles.careful.secrets.unseal[0] cannot_act: `http_fetch` cannot act: `tools` allow no tool that it matches',
    ],
    [
      '[runtime_profiles.short.budgets]\nloop_detection = { window = 2, max_repeats = 3 }',
      '2:1 runtime_profiles.short.budgets.loop_detection cannot_act: `max_repeats` 3 cannot act in a window of 2 calls',
    ],
    [
      '[risk_profiles.careful.network]\nallowed_hosts = ["http://127.0.0.1:8080", "a.example"]',
      '2:18 risk_profiles.careful.network.allowed_hosts[0] cannot_act: `http://127.0.0.1:8080` is a private address and cannot act without `block_private_addresses = false`',
    ],
  ])('%s', (text, ...problems) => {
    expect(added(text)).toEqual(problems);
  });

  it('unless some agent that has it lets it act', () => {
    const shared = `[risk_profiles.careful.workspace]
workspace_only = false
[risk_profiles.careful.approval]
auto_approve = ["http_fetch"]
[agents.b]
risk_profile = "careful"
autonomy = "full"
[agents.b.tools]
allowed = ["*"]
`;
    expect(added(shared)).toEqual([]);
  });

  it('for a server: tools outside `expose`, a network that it has anyway, patterns of another shape', () => {
    const text = `[mcp.servers.x]
transport = "stdio"
command = "c"
run = "trusted"
network = true
expose = ["a_*", "mcp:x/b"]
[mcp.servers.x.tools.b]
`;
    expect(added(text)).toEqual([
      '5:1 mcp.servers.x.network cannot_act: a trusted server has the network anyway, leave `network` out',
      "6:18 mcp.servers.x.expose[1] matches_nothing: `mcp:x/b` matches nothing here, write the server's own name of the tool: `b`",
      '7:22 mcp.servers.x.tools.b cannot_act: `b` is outside `expose`, so nothing can call it: expose it or leave this out',
    ]);
  });
});

describe('a cap on cost', () => {
  const cloud = (prices: string) =>
    `[agents.b]\nprovider = "cloud"\nruntime_profile = "short"\n[providers.cloud]\ntype = "openai_compatible"\nbase_url = "http://127.0.0.1:1/v1"\nmodel = "m"\n${prices}\n`;

  it('needs a price, the default cap too', () => {
    const perDay =
      '2:12 agents.b.provider cannot_act: the default `max_cost_usd_per_day` cannot act for `b`: provider `cloud` has no price, set its `prices` or `max_cost_usd_per_day = "unlimited"`';
    expect(added(cloud(''))).toEqual([
      '2:12 agents.b.provider cannot_act: the default `max_cost_usd_per_turn` cannot act for `b`: provider `cloud` has no price, set its `prices` or `max_cost_usd_per_turn = "unlimited"`',
      perDay,
    ]);
    expect(
      added(`${cloud('')}[runtime_profiles.short.budgets]\nmax_cost_usd_per_turn = 2`),
    ).toEqual([
      perDay,
      '10:1 runtime_profiles.short.budgets.max_cost_usd_per_turn cannot_act: `max_cost_usd_per_turn` cannot act for `b`: provider `cloud` has no price, set its `prices` or `max_cost_usd_per_turn = "unlimited"`',
    ]);
  });

  it.each([
    cloud('prices = "free"'),
    cloud('prices = { input_per_mtok = 1, output_per_mtok = 2.5 }'),
    `${cloud('')}[agents.b.budgets]\nmax_cost_usd_per_turn = "unlimited"\nmax_cost_usd_per_day = "unlimited"`,
  ])('is fine with a price or without a cap: %#', (text) => {
    expect(added(text)).toEqual([]);
  });
});

describe('a root', () => {
  it.each([
    ['"/etc/ssl"', '`/etc/ssl` lies under the forbidden path `/etc`'],
    ['"~/.ssh/keys"', '`~/.ssh/keys` lies under the forbidden path `/home/ana/.ssh`'],
    ['".lockstep/x"', '`.lockstep/x` lies under `/srv/team/.lockstep`, which no setting can open'],
    [
      '"scripts/a.yaml"',
      '`scripts/a.yaml` lies under `/srv/team/scripts/a.yaml`, which no setting can open',
    ],
    ['"libs/x/../y"', '`libs/x/../y` lies under `/srv/team/libs`, which no setting can open'],
    ['"notes", "notes/.env"', '`notes/.env` lies under the forbidden path `**/.env`'],
  ])('under a forbidden or protected path is refused: %s', (folders, message) => {
    const column = 17 + folders.lastIndexOf('"', folders.length - 2);
    const index = folders.includes(',') ? 1 : 0;
    expect(added(`[risk_profiles.careful.workspace]\nallowed_roots = [${folders}]`)).toEqual([
      `2:${column + 1} risk_profiles.careful.workspace.allowed_roots[${index}] protected_path: ${message}, so nothing in it could be reached`,
    ]);
  });

  it('of the workspace itself is judged too, by the list that the agent has', () => {
    const text = '[agents.a.workspace]\nroot = "/opt/x"\nforbidden_paths = ["/opt"]';
    expect(added(text)).toEqual([
      '2:8 agents.a.workspace.root protected_path: `/opt/x` lies under the forbidden path `/opt`, so nothing in it could be reached',
    ]);
    expect(added('[agents.a.workspace]\nroot = "/etc/x"\nforbidden_paths = []')).toEqual([]);
  });

  const two = (a: string, b: string) =>
    `[agents.a.workspace]\n${a}\n[agents.b]\nprovider = "local"\nrisk_profile = "careful"\nruntime_profile = "short"\n[agents.b.workspace]\n${b}`;

  it.each([
    ['the same', '/srv/x', '/srv/y/../x', 'is also', 'is also', 'read_write'],
    ['inside the other', '/srv/x', '/srv/x/y', 'holds', 'lies in', 'read'],
  ])('that is %s as another agent has needs an edge', (_, a, b, mine, theirs, mode) => {
    const real = b.replace('y/../', '');
    const advice = (alias: string) =>
      `give each a folder of its own, or write \`access = { ${alias} = "${mode}" }\``;
    expect(added(two(`root = "${a}"`, `root = "${b}"`))).toEqual([
      `2:8 agents.a.workspace.root conflict: the workspace \`${a}\` of \`a\` ${mine} that of \`b\`: ${advice('b')}`,
      `8:8 agents.b.workspace.root conflict: the workspace \`${real}\` of \`b\` ${theirs} that of \`a\`: ${advice('a')}`,
    ]);
    const edges = two(
      `root = "${a}"\naccess = { b = "${mode}" }`,
      `root = "${b}"\naccess = { a = "${mode}" }`,
    );
    expect(added(edges)).toEqual([]);
  });

  it('that several agents are granted, or that holds the workspace of another, is accepted', () => {
    const shared = 'allowed_roots = ["notes", "."]';
    expect(added(two(shared, shared))).toEqual([]);
    expect(added(two('root = "/srv/x"', 'root = "/srv/xy"'))).toEqual([]);
  });

  it('beside the protected paths is accepted', () => {
    const folders = '["notes", "scripts", ".lockstep/workspaces/shared", "/srv/other", "library"]';
    expect(added(`[agents.a.workspace]\nallowed_roots = ${folders}`)).toEqual([]);
  });

  it.each([
    ['root = "~bob/x"', '2:8', 'root', '`~bob/x` names another home, write the whole path'],
    [
      'allowed_roots = ["a*"]',
      '2:18',
      'allowed_roots[0]',
      '`a*` is one folder or file, no pattern',
    ],
    [
      'forbidden_paths = ["a/*.pem"]',
      '2:20',
      'forbidden_paths[0]',
      '`a/*.pem` is no forbidden path: write a path, or a pattern that begins with `**/`',
    ],
    [
      'forbidden_paths = ["**/a/**/b"]',
      '2:20',
      'forbidden_paths[0]',
      '`**/a/**/b` needs names after `**/`, each with single stars or without',
    ],
  ])('or path that is misspelt is refused: %s', (text, place, key, message) => {
    expect(added(`[risk_profiles.x.workspace]\n${text}`)).toEqual([
      `${place} risk_profiles.x.workspace.${key} invalid_value: ${message}`,
    ]);
  });
});

describe('a locked setting', () => {
  it('may not be set by an agent under the profile, wherever it is written', () => {
    const text = `[risk_profiles.x]
locked = ["approval.autonomy", "approval.route.on_no_approver", "mcp.bundles", "tools.denied"]
[agents.b]
risk_profile = "x"
autonomy = "full"
mcp_bundles = []
[agents.b.approval]
timeout_secs = 3
route = { on_no_approver = "deny" }
[agents.c]
autonomy = "full"
`;
    const rest = 'is locked by risk profile `x`, leave it out here';
    expect(added(text)).toEqual([
      `5:1 agents.b.autonomy locked: \`approval.autonomy\` ${rest}`,
      `6:1 agents.b.mcp_bundles locked: \`mcp.bundles\` ${rest}`,
      `9:11 agents.b.approval.route.on_no_approver locked: \`approval.route.on_no_approver\` ${rest}`,
    ]);
  });
});

describe('people', () => {
  it('hold identities that nobody else holds, of the kind that there is', () => {
    const text = `[people.ana]
roles = ["admin"]
identities = ["token:ana", "webhook.support/user:ana", "ana"]
[people.bo]
roles = []
identities = ["token:bo", "token:ana", "token:bo"]
`;
    expect(added(text)).toEqual([
      '3:28 people.ana.identities[1] unknown_name: unknown channel `webhook.support`, no [channels] is defined',
      '3:56 people.ana.identities[2] invalid_value: `ana` is no identity, write `token:<name>`, `local:<name>` or `<kind>.<channel>/<sender>`',
      '6:27 people.bo.identities[1] conflict: `token:ana` belongs to `ana` already, leave one out',
      '6:40 people.bo.identities[2] conflict: `token:bo` stands here twice, leave one out',
    ]);
  });
});

describe('the gateway', () => {
  it('is refused a public address without a proxy in front', () => {
    expect(added('[gateway]\nhost = "0.0.0.0"')).toEqual([
      '2:8 gateway.host unsafe_bind: `0.0.0.0` can be reached from other machines without TLS, bind `127.0.0.1` or name the proxy in front in `gateway.trusted_proxies`',
    ]);
    expect(added('[gateway]\nhost = "0.0.0.0"\ntrusted_proxies = ["10.0.0.0/8", "::1"]')).toEqual(
      [],
    );
  });

  it.each(['localhost', '127.0.0.1', '127.9.9.9', '::1'])('may bind %s', (host) => {
    expect(added(`[gateway]\nhost = "${host}"`)).toEqual([]);
  });

  it('is refused names and blocks that are none', () => {
    const text = `[gateway]
hosts = ["lockstep.example", "*", "a:80"]
trusted_proxies = ["0.0.0.0/0", "proxy.example", "10.0.0.0/33"]
`;
    const proxy = 'must be an address or a CIDR block narrower than `/0`';
    expect(added(text)).toEqual([
      '2:30 gateway.hosts[1] invalid_value: must be a host name without a port',
      '2:35 gateway.hosts[2] invalid_value: must be a host name without a port',
      `3:20 gateway.trusted_proxies[0] invalid_value: ${proxy}`,
      `3:33 gateway.trusted_proxies[1] invalid_value: ${proxy}`,
      `3:50 gateway.trusted_proxies[2] invalid_value: ${proxy}`,
    ]);
  });
});

describe('what is reached over the network', () => {
  it('is a host pattern that can be read, and a URL without a password', () => {
    const text = `[risk_profiles.x.network]
allowed_hosts = ["*.example.com", "ftp://x", "a/b"]
[providers.x]
type = "openai_compatible"
base_url = "ftp://x"
model = "m"
prices = "free"
[mcp.servers.x]
transport = "http"
url = "https://me:secret@x"
expose = "*"
headers = { Authorization = "Bearer y", "X-Team" = "z" }
`;
    const host = 'write a host, `*.host` or `http://host`, each with a port or without';
    expect(added(text)).toEqual([
      `2:35 risk_profiles.x.network.allowed_hosts[1] invalid_value: \`ftp://x\` is no host pattern, ${host}`,
      `2:46 risk_profiles.x.network.allowed_hosts[2] invalid_value: \`a/b\` is no host pattern, ${host}`,
      '5:12 providers.x.base_url invalid_value: must begin with `https://` or `http://`',
      '10:7 mcp.servers.x.url invalid_value: must hold no user or password, use a secret reference',
      '12:29 mcp.servers.x.headers.Authorization invalid_value: `Authorization` carries a secret, write `{ env = "NAME" }` or `{ file = "path" }`',
    ]);
  });
});
