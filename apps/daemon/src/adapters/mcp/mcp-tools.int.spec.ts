import { mkdirSync, mkdtempSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { digestOf, type McpServerConfig, type PolicySnapshot } from '@lockstep/policy';
import type { ToolOutcome, ToolScope, ToolSpec } from '@lockstep/engine';
import { fixedClock } from '@lockstep/engine/testing';
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { snapshotOf } from '../../../../../test/support/policy-snapshot.ts';
import { startedTool } from '../../../../../test/support/started-calls.ts';
import { probeSandbox, type SandboxState } from '../sandbox/bubblewrap.ts';
import { programPaths } from '../sandbox/program-paths.ts';
import { SecretMasker } from '../secrets/secret-masker.ts';
import { createUnsealer } from '../secrets/unsealer.ts';
import { Vault } from '../secrets/vault.ts';
import { ToolSources } from '../tools/tool-source.ts';
import { builtinTools } from '../tools/builtin-tools.ts';
import { compositeTools } from '../tools/composite-tools.ts';
import type { ListedFact, McpContext } from './mcp-context.ts';
import { mcpTools, type McpTools } from './mcp-tools.ts';

const oddServer = join(import.meta.dirname, '../../../../../test/support/mcp-server.mjs');
const home = realpathSync(mkdtempSync(join(tmpdir(), 'mcp-')));
const at = (path: string): string => join(home, path);
mkdirSync(at('ws'));
mkdirSync(at('other'));
mkdirSync(at('data'));
writeFileSync(at('ws/a.txt'), 'alpha');
writeFileSync(at('ws/.env'), 'SECRET');
writeFileSync(at('other/o.txt'), 'SECRET');

let sandbox: SandboxState;
beforeAll(async () => {
  sandbox = await probeSandbox();
});

const stdio = (
  command: string,
  args: string[],
  change: Partial<Extract<McpServerConfig, { transport: 'stdio' }>> = {},
): McpServerConfig => ({
  transport: 'stdio',
  command,
  args,
  env: {},
  run: 'sandboxed',
  network: false,
  expose: '*',
  tools: {},
  share: 'session',
  ...change,
});

const clock = fixedClock();
let opened: McpTools[] = [];
let listed: ListedFact[] = [];
beforeEach(() => {
  listed = [];
});
afterEach(async () => {
  await Promise.all(opened.map((tools) => tools.close()));
  opened = [];
});

const open = (config: McpServerConfig, change: Partial<McpContext> = {}) => {
  const vault = new Vault(null);
  const masker = new SecretMasker(vault);
  const resolver = () => Promise.resolve([]);
  const mcp = mcpTools(
    {
      server: (_, digest) => (digest === digestOf(config) ? config : null),
      host: () => ({ home, base: home, data: at('data'), config: at('x.toml'), program: [] }),
      secrets: { env: { REAL_TOKEN: 'value-of-token' }, base: home },
      know: (name, value) => {
        masker.know([{ name, value }]);
      },
      sandbox,
      program: programPaths(),
      onListed: (fact) => {
        listed.push(fact);
        return Promise.resolve();
      },
      clock,
      idleMs: 60_000,
      ...change,
    },
    resolver,
  );
  opened.push(mcp);
  const sources = new ToolSources();
  sources.add(builtinTools({ clock, resolver }));
  sources.add(mcp);
  const tools = compositeTools({
    sources,
    masker,
    unsealer: createUnsealer(masker, vault),
  });
  const policy = (mcpPart: Partial<PolicySnapshot['mcp']> = {}): PolicySnapshot =>
    snapshotOf(at('ws'), {
      mcp: {
        expose: { files: [['*']] },
        run: config.transport === 'stdio' ? { files: config.run } : {},
        share: { files: config.share },
        servers: {
          files: {
            transport: config.transport,
            digest: digestOf(config),
            network: config.transport === 'stdio' && config.network,
          },
        },
        ...mcpPart,
      },
    });
  const scope = (change: Partial<ToolScope> = {}): ToolScope => ({
    agent: 'writer',
    principal: { kind: 'local', id: 'local', person: null },
    session: 's1',
    turn: 't',
    policyDigest: '0'.repeat(64),
    narrowings: [],
    policy: policy(),
    ...change,
  });
  const find = async (name: string, who = scope()): Promise<ToolSpec> => {
    const { tools: all, problems } = await tools.list(who);
    const spec = all.find((t) => t.id === `mcp:files/${name}`);
    if (spec === undefined) throw new Error(`${name} ${JSON.stringify(problems)}`);
    return spec;
  };
  const call = async (
    name: string,
    args: object = {},
    options: { who?: ToolScope; signal?: AbortSignal; timeoutMs?: number } = {},
  ): Promise<ToolOutcome> => {
    const who = options.who ?? scope();
    const started = startedTool(await find(name, who), args, {
      timeoutMs: options.timeoutMs ?? 'unlimited',
    });
    return tools.run(who, started, options.signal ?? new AbortController().signal);
  };
  return { tools, policy, scope, find, call };
};

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

const text = (outcome: ToolOutcome): string => (outcome.ok ? outcome.text : outcome.message);

describe('given the filesystem server in the sandbox', () => {
  const config = stdio('mcp-server-filesystem', ['{workspace}']);

  it('reads and writes in the workspace', async () => {
    const { call } = open(config);
    const path = at('ws/a.txt');
    const read = await call('read_text_file', { path });
    expect(read).toMatchObject({ ok: true, text: 'alpha', isError: false });
    expect(read.touched).toEqual([
      {
        kind: 'mcp',
        server: 'files',
        tool: 'read_text_file',
        connection: listed[0]?.connection,
        sandboxed: true,
        roots: [at('ws')],
      },
    ]);
    await call('write_file', { path: at('ws/made.txt'), content: 'made' });
    expect(readFileSync(at('ws/made.txt'), 'utf8')).toBe('made');
  });

  it('reads a relative path from the own folder, whatever other folders sort before it', async () => {
    const { call, scope, policy } = open(config);
    const { workspace, ...rest } = policy();
    const who = scope({
      policy: { ...rest, workspace: { ...workspace, allowed_roots: [at('other')] } },
    });
    expect(await call('read_text_file', { path: 'a.txt' }, { who })).toMatchObject({
      ok: true,
      text: 'alpha',
      touched: [{ roots: [at('ws'), at('other')] }],
    });
  });

  it('reaches nothing else, and no forbidden file', async () => {
    const { call } = open(config);
    const outside = await call('read_text_file', { path: at('other/o.txt') });
    expect(outside).toMatchObject({ ok: true, isError: true });
    for (const path of [at('other/o.txt'), at('ws/.env'), '/etc/passwd'])
      expect(text(await call('read_text_file', { path }))).not.toMatch(/SECRET|root:/);
  });

  it('is listed once, whatever is asked, and recorded with what it offers', async () => {
    const { tools, scope } = open(config);
    const first = await tools.list(scope());
    await tools.list(scope());
    expect(first.problems).toEqual([]);
    expect(listed).toHaveLength(1);
    expect(listed[0]).toMatchObject({ agent: 'writer', session: 's1', server: 'files', hidden: 0 });
    expect(listed[0]?.tools.map((t) => t.id)).toContain('mcp:files/read_text_file');
    expect(first.tools.map((t) => t.alias)).toContain('files__read_text_file');
  });

  it('shows only what `expose` lets through', async () => {
    const { tools, scope, policy } = open(config);
    const who = scope({ policy: policy({ expose: { files: [['read_*'], ['*_text_file']] } }) });
    const { tools: all } = await tools.list(who);
    expect(all.map((t) => t.id).filter((id) => id.startsWith('mcp:'))).toEqual([
      'mcp:files/read_text_file',
    ]);
    expect(listed[0]?.hidden).toBeGreaterThan(5);
  });

  it('is confined, with the operands that config declares', async () => {
    const { tools, scope, policy, find } = open(config);
    const operands = {
      files: { read_text_file: [{ kind: 'path' as const, at: '/path', access: 'read' as const }] },
    };
    const who = scope({ policy: policy({ operands }) });
    const spec = await find('read_text_file', who);
    const facts = await tools.inspect(who, spec, { path: 'a.txt' }, 'c1');
    expect(facts).toMatchObject({ confined: true, operands: [{ real: at('ws/a.txt') }] });
    for (const path of ['~/x', 'file:///etc/passwd', '%2e%2e/x'])
      expect((await tools.inspect(who, spec, { path }, 'c1')).operands).toMatchObject([
        { real: null },
      ]);
    const other = await find('list_directory', who);
    expect((await tools.inspect(who, other, {}, 'c1')).operands).toEqual([{ kind: 'undeclared' }]);
  });
});

describe('given a machine without a sandbox', () => {
  it('refuses a sandboxed server and never runs it bare', async () => {
    const marker = at('ws/started');
    const script = at('touch.mjs');
    writeFileSync(
      script,
      `import { writeFileSync } from 'node:fs'; writeFileSync('${marker}', '');`,
    );
    const { tools, scope } = open(stdio('node', [script]), {
      sandbox: { ok: false, reason: 'no bubblewrap here' },
    });
    expect((await tools.list(scope())).problems).toEqual([
      {
        server: 'files',
        message: 'it runs sandboxed and this machine has no sandbox: no bubblewrap here',
      },
    ]);
    expect(() => readFileSync(marker)).toThrow();
  });

  it('runs a server bare where `trusted` is written', async () => {
    const { call, tools, scope, find } = open(stdio('node', [oddServer], { run: 'trusted' }), {
      sandbox: { ok: false, reason: 'none' },
    });
    expect(await call('mixed')).toMatchObject({ ok: true, touched: [{ sandboxed: false }] });
    expect((await tools.inspect(scope(), await find('mixed'), {}, 'c1')).confined).toBe(false);
  });
});

describe('given a server with secrets', () => {
  const config = stdio('node', [oddServer], {
    env: { TOKEN: { env: 'REAL_TOKEN' }, PLAIN: 'plain' },
  });

  it('has what config names in its environment, and nothing of ours', async () => {
    vi.stubEnv('OPERATORS_OWN', 'private');
    const { call } = open(config);
    const env = JSON.parse(text(await call('env'))) as Record<string, string>;
    vi.unstubAllEnvs();
    expect(Object.keys(env).sort()).toEqual(['HOME', 'PATH', 'PLAIN', 'PWD', 'TOKEN']);
    expect(env['TOKEN']).toBe('«secret:REAL_TOKEN»');
  });

  it('masks what it prints when it does not start, and names a missing secret', async () => {
    const broken = stdio('node', [oddServer, '--broken'], {
      env: { TOKEN: { env: 'REAL_TOKEN' } },
    });
    const first = open(broken);
    const { problems } = await first.tools.list(first.scope());
    expect(problems[0]?.message).toContain('started with «secret:REAL_TOKEN»');
    const missing = stdio('node', [oddServer], { env: { TOKEN: { env: 'GONE' } } });
    const second = open(missing);
    expect((await second.tools.list(second.scope())).problems).toEqual([
      {
        server: 'files',
        message: '`TOKEN`: the secret in environment variable `GONE` is missing or empty',
      },
    ]);
  });
});

describe('given a server that misbehaves', () => {
  const config = stdio('node', [oddServer]);

  it('lists all pages, and anew after the server says so', async () => {
    const { tools, scope, call } = open(config);
    const names = async () =>
      (await tools.list(scope())).tools.filter((t) => t.id.startsWith('mcp:')).length;
    expect(await names()).toBe(9);
    await call('grow');
    await vi.waitFor(async () => {
      expect(await names()).toBe(10);
    }, 30_000);
    expect(listed).toHaveLength(2);
  });

  it('joins text, names the rest, and keeps the server’s own word on failure', async () => {
    const { call } = open(config);
    expect(text(await call('mixed'))).toBe(
      'one\n[image of type image/png, 4 base64 characters, not shown]\ntwo',
    );
    expect(await call('fail')).toMatchObject({ ok: true, isError: true, text: 'it did not work' });
    expect(await call('refuse')).toMatchObject({ ok: false, kind: 'protocol' });
  });

  it('answers with the effective roots', async () => {
    const { call } = open(config);
    expect(JSON.parse(text(await call('roots')))).toEqual([
      { uri: `file://${at('ws')}`, name: at('ws') },
    ]);
  });

  it('knows nothing of a call whose server died, and starts it again for the next', async () => {
    const { call } = open(config);
    expect(await call('die')).toMatchObject({ ok: false, kind: 'unknown' });
    expect(await call('mixed')).toMatchObject({ ok: true });
  });

  it('ends a call at its deadline and at the caller’s wish', async () => {
    const { call } = open(config);
    expect(await call('hang', {}, { timeoutMs: 100 })).toMatchObject({
      ok: false,
      kind: 'timeout',
    });
    const controller = new AbortController();
    const outcome = call('hang', {}, { signal: controller.signal });
    controller.abort();
    expect(await outcome).toMatchObject({ ok: false, kind: 'unavailable' });
  });

  it('leaves a server alone for a while that does not start', async () => {
    const { tools, scope } = open(stdio('no-such-program', []));
    const first = await tools.list(scope());
    expect(first.problems).toHaveLength(1);
    expect(await tools.list(scope())).toEqual(first);
  });

  it('ends the process of a connection that nobody uses', async () => {
    const { call } = open(stdio('node', [oddServer], { run: 'trusted' }), { idleMs: 50 });
    const pid = Number(text(await call('pid')));
    expect(isAlive(pid)).toBe(true);
    await vi.waitFor(() => {
      expect(isAlive(pid)).toBe(false);
    }, 30_000);
    expect(Number(text(await call('pid')))).not.toBe(pid);
  });

  it('ends all processes when it is closed', async () => {
    const { call } = open(stdio('node', [oddServer], { run: 'trusted' }));
    const pid = Number(text(await call('pid')));
    await opened[0]?.close();
    expect(isAlive(pid)).toBe(false);
  });
});

describe('given agents, principals and sessions', () => {
  const connections = async (config: McpServerConfig, scopes: readonly Partial<ToolScope>[]) => {
    const { tools, scope } = open(config);
    for (const change of scopes) await tools.list(scope(change));
    return new Set(listed.map((fact) => fact.connection)).size;
  };
  const scopes = [
    {},
    { session: 's2' },
    { principal: { kind: 'token' as const, id: 'ana', person: null } },
    { agent: 'reader' },
  ];

  it('opens one connection for each, and one per agent where that is written', async () => {
    expect(await connections(stdio('node', [oddServer]), [...scopes, {}])).toBe(4);
    listed = [];
    expect(await connections(stdio('node', [oddServer], { share: 'agent' }), scopes)).toBe(2);
  });
});

describe('given a server over HTTP', () => {
  let server: Server;
  const seen: (string | undefined)[] = [];
  const arrived: { resolve: () => void } = { resolve: () => undefined };
  const serve = async (): Promise<McpServerConfig> => {
    server = createServer((request, response) => {
      seen.push(request.headers.authorization);
      const mcp = new McpServer({ name: 'web', version: '1' });
      mcp.registerTool('echo', { description: 'Echo.' }, () => ({
        content: [{ type: 'text', text: 'echo value-of-token' }],
      }));
      mcp.registerTool('hang', { description: 'Hangs.' }, () => {
        arrived.resolve();
        return new Promise(() => undefined);
      });
      const transport = new StreamableHTTPServerTransport({});
      void mcp
        .connect(transport as Parameters<typeof mcp.connect>[0])
        .then(() => transport.handleRequest(request, response));
    });
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    const { port } = server.address() as AddressInfo;
    return {
      transport: 'http',
      url: `http://127.0.0.1:${port}/mcp`,
      headers: { Authorization: { env: 'REAL_TOKEN' } },
      expose: '*',
      tools: {},
      share: 'session',
    };
  };
  afterEach(() => {
    server.closeAllConnections();
    server.close();
  });

  it('calls it with the headers of config, and masks what comes back', async () => {
    const { call, tools, scope, find } = open(await serve());
    expect(await call('echo')).toMatchObject({
      ok: true,
      text: 'echo «secret:REAL_TOKEN»',
      masked: 1,
    });
    expect(seen[0]).toBe('value-of-token');
    expect((await tools.inspect(scope(), await find('echo'), {}, 'c1')).confined).toBe(false);
  });

  it('fails a call soon whose server died in the middle of it', async () => {
    const { call } = open(await serve());
    const taken = new Promise<void>((resolve) => {
      arrived.resolve = resolve;
    });
    const outcome = call('hang');
    await taken;
    server.closeAllConnections();
    server.close();
    expect(await outcome).toMatchObject({ ok: false, kind: 'unknown' });
  });
});

describe('given the server with everything', () => {
  it('runs sandboxed and takes progress', async () => {
    const { call } = open(stdio('mcp-server-everything', []));
    expect(text(await call('echo', { message: 'hi' }))).toBe('Echo: hi');
    const long = { duration: 0.2, steps: 2 };
    expect(await call('trigger-long-running-operation', long)).toMatchObject({ ok: true });
  });
});
