import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { LockstepEvent } from '@lockstep/engine';
import { rebuildLog } from '../support/log-folder.ts';
import { runDaemon, type RunningDaemon } from '../support/running-daemon.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

/** What only `owner` may ever see. */
const canary = 'canary-5f2c19';

const profile = (tools: string): string => `
autonomy = "full"
tools = { allowed = ${tools} }
`;

const config = `
[agents.owner]
provider = "local"
risk_profile = "owner"
runtime_profile = "short"
mcp_bundles = ["files"]
[agents.intruder]
provider = "local"
risk_profile = "anything"
runtime_profile = "short"
[agents.boxed]
provider = "local"
risk_profile = "two"
runtime_profile = "short"
mcp_bundles = ["other"]
[risk_profiles.owner]${profile('["*"]')}
[risk_profiles.anything]${profile('"*"')}
[risk_profiles.two]${profile('["file_read", "file_write", "mcp:other/*"]')}
[risk_profiles.two.approval]
route = { on_no_approver = "deny" }
[runtime_profiles.short.budgets]
max_tool_calls = 100
[providers.local]
type = "scripted"
script = "script.yaml"
prices = "free"
[mcp.servers.files]
transport = "stdio"
command = "mcp-server-filesystem"
args = ["{workspace}"]
expose = ["read_text_file", "list_directory"]
[mcp.servers.files.tools.read_text_file]
effect = ["read"]
operands = [{ at = "/path", kind = "path", access = "read" }]
[mcp.servers.other]
transport = "stdio"
command = "mcp-server-filesystem"
args = ["{workspace}"]
expose = ["read_text_file", "write_file"]
[mcp.servers.other.tools.read_text_file]
effect = ["read"]
operands = [{ at = "/path", kind = "path", access = "read" }]
[mcp_bundles.files]
servers = ["files"]
[mcp_bundles.other]
servers = ["other"]
`;

interface Attempt {
  readonly tool: string;
  readonly args: object;
}
/** One turn that makes the calls at once. A name with a colon is a canonical id; the script knows it by its alias too. */
const scriptOf = (scenarios: Readonly<Record<string, readonly Attempt[]>>): string =>
  JSON.stringify({
    scenarios: Object.entries(scenarios).map(([when, calls]) => ({
      when: `/^${when}$/`,
      steps: [{ calls }, { say: 'Tried: {{results.0}}' }],
    })),
    default: [{ say: 'No such scenario.' }],
  });

let run: RunningDaemon;
let secret: string;
const home = (agent: string): string => join(run.data, 'workspaces', agent);

/** Every spelling of another's tools that a model could come up with. */
const foreignTools = [
  'mcp:files/read_text_file',
  'files__read_text_file',
  'files/read_text_file',
  'mcp__files__read_text_file',
  'read_text_file',
  'FILES__READ_TEXT_FILE',
  'mcp:FILES/read_text_file',
  'mcp:files/../files/read_text_file',
  'builtin:mcp:files/read_text_file',
];
/** Every way to name another's file. */
const foreignPaths = (): string[] => [
  secret,
  '../owner/secret.txt',
  './a/../../owner/secret.txt',
  'to-file',
  'to-folder/secret.txt',
  `/proc/self/root${secret}`,
  `${home('intruder')}/../owner/secret.txt`,
  `${home('OWNER')}/secret.txt`,
  join(run.data, 'log.db'),
  join(run.data, 'local.json'),
  run.config,
];

const files: Attempt[] = [];
beforeAll(async () => {
  run = await runDaemon(config, scriptOf({}));
  secret = join(home('owner'), 'secret.txt');
  for (const agent of ['owner', 'intruder', 'boxed']) await mkdir(home(agent), { recursive: true });
  await writeFile(secret, canary);
  for (const agent of ['intruder', 'boxed']) {
    await symlink(secret, join(home(agent), 'to-file'));
    await symlink(home('owner'), join(home(agent), 'to-folder'));
  }
  for (const path of foreignPaths())
    files.push(
      { tool: 'file_read', args: { path } },
      { tool: 'file_edit', args: { path, old_text: 'canary', new_text: 'x' } },
      { tool: 'file_write', args: { path, content: 'overwritten' } },
      { tool: 'file_search', args: { path, pattern: 'canary' } },
      { tool: 'file_list', args: { path } },
    );
  const boxed = foreignPaths().flatMap((path) => [
    { tool: 'mcp:other/read_text_file', args: { path } },
    { tool: 'mcp:other/write_file', args: { path, content: 'overwritten' } },
  ]);
  await writeFile(
    join(run.folder, 'script.yaml'),
    scriptOf({
      'read mine': [{ tool: 'mcp:files/read_text_file', args: { path: 'secret.txt' } }],
      'call theirs': foreignTools.map((tool) => ({ tool, args: { path: secret } })),
      'open theirs': files,
      'through my server': boxed,
      'look wide': [
        { tool: 'file_search', args: { pattern: 'canary' } },
        { tool: 'file_list', args: { path: '.', recursive: true } },
      ],
      'outside my set': [
        { tool: 'http_fetch', args: { url: 'http://127.0.0.1:1/' } },
        { tool: 'File_Read', args: { path: 'to-file' } },
        { tool: 'file_read ', args: { path: 'to-file' } },
        { tool: 'file_list', args: { path: '.' } },
        { tool: 'builtin:file_edit', args: { path: 'a', old_text: 'a', new_text: 'b' } },
        { tool: 'shell', args: { command: 'id' } },
      ],
    }),
  );
  await run.stop();
  await run.start();
});
afterAll(() => run.remove());

interface Answer {
  readonly id: string;
  readonly status: string;
  readonly session: string;
  readonly reply: string | null;
}
const ask = async (agent: string, input: string, session?: string): Promise<Answer> => {
  const body = { input, wait: true, ...(session === undefined ? {} : { session }) };
  const answer = await run.admin().post(`/v1/agents/${agent}/turns`, body);
  return answer.body as Answer;
};
const eventsOf = async (turn: string): Promise<LockstepEvent[]> =>
  (
    (await run.admin().get(`/v1/turns/${turn}/events?limit=1000`)).body as {
      items: LockstepEvent[];
    }
  ).items;
const of = <T extends LockstepEvent['type']>(events: readonly LockstepEvent[], type: T) =>
  events.filter((e): e is Extract<LockstepEvent, { type: T }> => e.type === type);

describe('given three agents under one daemon', () => {
  it('lets the owner read its own file through its own server', async () => {
    const answer = await ask('owner', 'read mine');
    expect(answer.reply).toContain(canary);
  });

  it("refuses the owner's MCP tools to another in every spelling, at dispatch, with the rule", async () => {
    const { id, status } = await ask('intruder', 'call theirs');
    expect(status).toBe('completed');
    const events = await eventsOf(id);
    expect(of(events, 'ToolCallRefused').map(({ data }) => [data.tool, data.rule])).toEqual(
      foreignTools.map(() => [null, 'gate.unknown_tool']),
    );
    expect(of(events, 'ToolCallStarted')).toEqual([]);
    const [called] = of(events, 'ModelCallStarted');
    expect(called?.data.advertised.filter((tool) => tool.startsWith('mcp:'))).toEqual([]);
  });

  it("refuses the owner's files to another by every path and tool", async () => {
    const { id, status } = await ask('intruder', 'open theirs');
    expect(status).toBe('completed');
    const events = await eventsOf(id);
    expect(of(events, 'ToolCallStarted')).toEqual([]);
    const refused = of(events, 'ToolCallRefused');
    expect(refused.length).toBe(files.length);
    expect(new Set(refused.map(({ data }) => data.rule))).toEqual(
      new Set(['workspace.forbidden_paths']),
    );
    expect(await readFile(secret, 'utf8')).toBe(canary);
  });

  it('leaves links out of what a search or a list shows', async () => {
    const { id } = await ask('intruder', 'look wide');
    const results = of(await eventsOf(id), 'ToolCallCompleted');
    expect(results.length).toBe(2);
    expect(JSON.stringify(results)).not.toContain('secret.txt');
  });

  it("refuses the owner's files through the other's own sandboxed server", async () => {
    const { id, status } = await ask('boxed', 'through my server');
    expect(status).toBe('completed');
    const events = await eventsOf(id);
    const read = of(events, 'ToolCallStarted').filter(
      ({ data }) => data.tool === 'mcp:other/read_text_file',
    );
    expect(read).toEqual([]);
    // What the server's undeclared tool was let try, the sandbox refused.
    const ends = of(events, 'ToolCallCompleted');
    expect(ends.map(({ data }) => data.isError)).toEqual(ends.map(() => true));
    expect(await readFile(secret, 'utf8')).toBe(canary);
  });

  it("refuses the owner's session to another agent", async () => {
    const { session } = await ask('owner', 'read mine');
    const foreign = await run
      .admin()
      .post('/v1/agents/intruder/turns', { input: 'call theirs', session, wait: true });
    expect([foreign.status, (foreign.body as { code: string }).code]).toEqual([403, 'forbidden']);
  });

  it('refuses what was not advertised, in the name of the rule that kept it away', async () => {
    const { id } = await ask('boxed', 'outside my set');
    const events = await eventsOf(id);
    expect(of(events, 'ToolCallRefused').map(({ data }) => [data.alias, data.rule])).toEqual([
      ['builtin:http_fetch', 'tools.allowed'],
      ['builtin:File_Read', 'gate.unknown_tool'],
      ['builtin:file_read ', 'gate.unknown_tool'],
      ['builtin:file_list', 'tools.allowed'],
      ['builtin:file_edit', 'tools.allowed'],
      ['builtin:shell', 'tools.allowed'],
    ]);
    expect(of(events, 'ToolCallStarted')).toEqual([]);
  });

  it('never let the canary into an event or a model input of another', async () => {
    await run.stop();
    const built = await rebuildLog(run.data);
    expect(built.turns).toBeGreaterThan(6);
    await run.start();
    const { body } = await run.admin().get('/v1/events?limit=1000');
    const { items } = body as { items: LockstepEvent[] };
    expect(items.length).toBeLessThan(1000);
    // Inputs of models are made of these events alone, as the log built them again above.
    const seen = items.filter((event) => JSON.stringify(event).includes(canary));
    expect(new Set(seen.map(({ meta }) => meta.agent))).toEqual(new Set(['owner']));
  });
});
