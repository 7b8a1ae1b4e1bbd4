import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { runDaemon, type RunningDaemon } from '../support/running-daemon.ts';

// Elsewhere transcripts, captures and exports held what a tool printed: credentials that nobody had typed.

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const secret = 'plum-Orchard-77-canary';
process.env['CASES_BOUND'] = secret;
/** Handed to commands under a name that says what it is. */
const handed = 'pear-Meadow-42-canary';
process.env['CASES_API_TOKEN'] = handed;
/** In the form of a token that config does not name. */
const found = `ghp_${'Zq8Lm2Wx'.repeat(5).slice(0, 36)}`;

/** Where the token stands, of which nobody said that it is one. */
const file = 'workspaces/alpha/found.txt';
const server = join(import.meta.dirname, '../support/mcp-server.mjs');

const config = `
[agents.alpha]
provider = "local"
risk_profile = "open"
runtime_profile = "short"
mcp_bundles = ["odd"]
[risk_profiles.open]
autonomy = "full"
[risk_profiles.open.tools]
allowed = ["mcp:odd/env", "file_write", "file_read", "memory_store", "spawn", "shell"]
[risk_profiles.open.shell]
allowed_commands = ["printenv"]
env_passthrough = ["CASES_API_TOKEN"]
[risk_profiles.open.delegation]
mode = "allow"
spawn = true
[runtime_profiles.short]
[providers.local]
type = "scripted"
script = "script.yaml"
prices = "free"
[mcp.servers.odd]
transport = "stdio"
command = "node"
args = ["${server}"]
run = "trusted"
expose = "*"
env = { BOUND = { env = "CASES_BOUND" } }
[mcp_bundles.odd]
servers = ["odd"]
`;

const script = `
scenarios:
  - when: "/^print it/"
    steps:
      - calls: [{ tool: "mcp:odd/env", args: {} }, { tool: file_read, args: { path: found.txt } }]
      - calls: [{ tool: shell, args: { command: "printenv CASES_API_TOKEN" } }]
      - calls:
          - { tool: memory_store, args: { text: "kept: {{results.0}} {{results.1}}" } }
          - { tool: spawn, args: { input: "print below" } }
      - say: "It is {{results.0}} and ${secret} and ${found}"
  - when: "/^print below/"
    steps:
      - calls: [{ tool: "mcp:odd/env", args: {} }]
      - say: "Below: {{results.0}}"
default: [{ say: fine }]
`;

let run: RunningDaemon;
beforeAll(async () => {
  run = await runDaemon(config, script);
  await mkdir(join(run.data, 'workspaces/alpha'), { recursive: true });
  await writeFile(join(run.data, file), `token: ${found}`);
});
afterAll(() => run.remove());

/** Every file below a folder. */
const filesBelow = async (folder: string): Promise<readonly string[]> => {
  const entries = await readdir(folder, { withFileTypes: true, recursive: true });
  return entries.filter((one) => one.isFile()).map((one) => join(one.parentPath, one.name));
};
const holders = async (): Promise<readonly string[]> => {
  const held: string[] = [];
  for (const file of await filesBelow(run.data)) {
    const bytes = await readFile(file);
    if ([secret, found, handed].some((one) => bytes.includes(one)))
      held.push(file.slice(run.data.length + 1));
  }
  return held.filter((path) => path !== 'vault.json');
};

describe('given a tool that prints secrets that nobody typed', () => {
  it('leaves them in no file that holds what happened, and in no export', async () => {
    const input = `print it, ${secret}`;
    const { body } = await run.admin().post('/v1/agents/alpha/turns', { input, wait: true });
    const { status, reply } = body as { status: string; reply: string };
    expect(status).toBe('completed');
    expect(reply).not.toContain(secret);
    expect(reply).not.toContain(found);
    const { text } = await run.admin().get('/v1/events?limit=1000');
    expect(text).toContain('MemoryStored');
    expect(text).toContain('ChildTurnLinked');
    expect(text).toContain('print below');
    expect(text).not.toContain(secret);
    expect(text).not.toContain(found);
    expect(text).toContain(String.raw`exit code 0\n«secret:CASES_API_TOKEN»`);
    expect(text).not.toContain(handed);
    expect(await holders()).toEqual([file]);
    await run.stop();
    expect(await holders()).toEqual([file]);
  });
});
