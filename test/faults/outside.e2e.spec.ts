import { mkdtemp, rm } from 'node:fs/promises';
import { createConnection, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { LockstepEvent } from '@lockstep/engine';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../support/eventually.ts';
import type { ScriptedServer } from '../support/http-script.ts';
import { rebuildLog } from '../support/log-folder.ts';
import { startOpenAiServer, type OpenAiReply } from '../support/openai-server.ts';
import { doneLines } from '../support/rich-team.ts';
import { runDaemon, type RunningDaemon } from '../support/running-daemon.ts';

const server = fileURLToPath(new URL('../support/breaking-mcp-server.mjs', import.meta.url));

const config = (model: string, lines: string): string => `
[providers.remote]
type = "openai_compatible"
base_url = "${model}/v1"
model = "local"
timeout_secs = 1
max_attempts = 2
prices = "free"
[providers.local]
type = "scripted"
script = "script.yaml"
prices = "free"
[risk_profiles.open]
autonomy = "full"
[risk_profiles.open.tools]
allowed = ["mcp:breaking/*", "file_*"]
[runtime_profiles.short.budgets]
tool_timeout_secs = 1
[agents.remote]
provider = "remote"
risk_profile = "open"
runtime_profile = "short"
[agents.local]
provider = "local"
risk_profile = "open"
runtime_profile = "short"
mcp_bundles = ["breaking"]
[mcp.servers.breaking]
transport = "stdio"
command = "${process.execPath}"
args = ["${server}", "${lines}"]
run = "trusted"
expose = "*"
${['dies', 'hangs', 'works', 'floods'].map((tool) => `[mcp.servers.breaking.tools.${tool}]\neffect = ["write"]\noperands = "none"`).join('\n')}
[mcp_bundles.breaking]
servers = ["breaking"]
`;
const script = `
scenarios:
${['dies', 'hangs', 'floods']
  .map(
    (tool) => `  - when: "${tool}"
    steps:
      - calls: [{ tool: "mcp:breaking/${tool}", args: {} }]
      - calls: [{ tool: "mcp:breaking/works", args: {} }]
      - say: "first: {{results.0}} then: {{results.1}}"`,
  )
  .join('\n')}
default: [{ say: "${'plain words '.repeat(2_500)}" }]
`;

/** What the model server does with a turn whose input names the fault. */
const faults: Readonly<Record<string, OpenAiReply>> = {
  stalls: { kind: 'hang' },
  'is cut': { kind: 'cut', text: 'half an ans' },
  'sends rubbish': { kind: 'malformed' },
  'sends junk': { kind: 'junk', text: 'so far so good' },
  'never finishes': { kind: 'unfinished', text: 'and then' },
  'asks for a tool that is none': {
    kind: 'answer',
    calls: [{ name: 'no_such_tool', args: '{"x":' }],
  },
};

let folder: string;
let lines: string;
let model: ScriptedServer;
let running: RunningDaemon;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'lockstep-outside-'));
  lines = join(folder, 'lines');
  model = await startOpenAiServer(({ body }) => {
    const said = JSON.stringify(body['messages']);
    if (said.includes('"tool"')) return { kind: 'answer', text: 'I see.' };
    const fault = Object.entries(faults).find(([name]) => said.includes(name))?.[1];
    return fault ?? { kind: 'answer', text: 'fine' };
  });
  running = await runDaemon(config(model.url, lines), script);
});
afterAll(async () => {
  await running.stop();
  // Whatever went on outside: the log can be made again from itself.
  await rebuildLog(running.data);
  await running.remove();
  await model.close();
  await rm(folder, { recursive: true, force: true });
});

const play = async (
  agent: string,
  input: string,
): Promise<{ readonly status: string; readonly events: readonly LockstepEvent[] }> => {
  const { body } = await running.admin().post(`/v1/agents/${agent}/turns`, { input, wait: true });
  const { id, status } = body as { readonly id: string; readonly status: string };
  const read = await running.admin().get(`/v1/turns/${id}/events`);
  return { status, events: (read.body as { readonly items: LockstepEvent[] }).items };
};
const typesOf = ({ events }: { readonly events: readonly LockstepEvent[] }): string[] =>
  events.map(({ type }) => type);

describe('given a model server that', () => {
  it.each(['stalls', 'is cut', 'sends rubbish', 'sends junk', 'never finishes'])(
    '%s, the turn fails with the reason after as many tries as it may, and no call is made of it',
    async (fault) => {
      const turn = await play('remote', fault);
      expect(turn.status).toBe('failed');
      const types = typesOf(turn);
      expect(types.filter((type) => type === 'ModelCallStarted').length).toBeLessThanOrEqual(2);
      expect(types.filter((type) => type === 'ModelCallFailed').length).toBe(
        types.filter((type) => type === 'ModelCallStarted').length,
      );
      expect(types.at(-1)).toBe('TurnFailed');
      expect(types).not.toContain('ToolCallStarted');
    },
    120_000,
  );

  it('asks for a tool that is none, the call is refused', async () => {
    const turn = await play('remote', 'asks for a tool that is none');
    expect(turn.status).toBe('completed');
    expect(typesOf(turn)).toContain('ToolCallRefused');
    expect(typesOf(turn)).not.toContain('ToolCallStarted');
  });
});

describe('given a tool server that', () => {
  it.each(['dies', 'hangs', 'floods'])(
    '%s in the middle of a call: it ends in time, runs once, and the next call has a server',
    async (tool) => {
      const before = await doneLines(lines);
      const turn = await play('local', tool);
      expect(turn.status).toBe('completed');
      const ends = turn.events.filter(({ type }) =>
        ['ToolCallCompleted', 'ToolCallFailed', 'ToolCallOutcomeUnknown'].includes(type),
      );
      expect(ends.map(({ type }) => type)[0]).toMatch(/ToolCallFailed|ToolCallOutcomeUnknown/);
      expect(ends.map(({ type }) => type)[1]).toBe('ToolCallCompleted');
      expect((await doneLines(lines)).slice(before.length)).toEqual([tool, 'works']);
    },
    120_000,
  );
});

describe('given subscribers that do not read', () => {
  it('goes on at its pace, and what it holds for them is bounded', async () => {
    const sockets = await Promise.all(Array.from({ length: 100 }, () => subscriber(running)));
    const before = process.memoryUsage();
    const turns = 30;
    for (let n = 0; n < turns; n += 10)
      await Promise.all(Array.from({ length: 10 }, () => play('local', `n ${n}`)));
    const after = process.memoryUsage();
    for (const socket of sockets) socket.destroy();
    // Each of them missed some megabytes; nobody keeps those for them.
    const grown = after.heapUsed + after.external - before.heapUsed - before.external;
    expect(grown / 1_048_576).toBeLessThan(150);
    await eventually('the streams to be gone', async () => {
      const { text } = await running.admin().get('/metrics');
      return /^lockstep_streams_open 0$/m.test(text) ? true : null;
    });
  });
});

/** A client that follows the whole log with content and never reads. */
const subscriber = (at: RunningDaemon): Promise<Socket> =>
  new Promise((done, failed) => {
    const { port } = new URL(at.url());
    const socket = createConnection(Number(port), '127.0.0.1', () => {
      socket.pause();
      socket.write(
        `GET /v1/events/stream?after=start HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\nauthorization: Bearer ${at.local()}\r\n\r\n`,
        () => {
          done(socket);
        },
      );
    });
    socket.on('error', failed);
  });
