import { mkdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { LockstepEvent } from '@lockstep/engine';
import { runDaemon, type RunningDaemon } from '../support/running-daemon.ts';

// Elsewhere the file tools kept to the workspace and a line of shell wrote through the same link a moment later.

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const config = `
[agents.alpha]
provider = "local"
risk_profile = "open"
runtime_profile = "short"
[risk_profiles.open]
autonomy = "full"
[risk_profiles.open.tools]
allowed = ["file_*", "shell"]
[risk_profiles.open.shell]
allowed_commands = ["cp", "cat", "tee", "ln"]
[runtime_profiles.short.budgets]
max_tool_calls = 60
[providers.local]
type = "scripted"
script = "script.yaml"
prices = "free"
`;

/** Names that lead out of the workspace. */
const names = ['to-file', 'to-nothing', 'to-folder/new.txt', 'one/two/up.txt'];

const calls = names.flatMap((name) => [
  { tool: 'file_write', args: { path: name, content: 'by a file tool' } },
  { tool: 'shell', args: { command: `cat mine.txt > ${name}` } },
  { tool: 'shell', args: { command: `cp mine.txt ${name}` } },
  { tool: 'shell', args: { command: `cat mine.txt | tee ${name}` } },
]);
const script = JSON.stringify({ default: [{ calls }, { say: 'tried' }] });

let run: RunningDaemon;
let outside: string;
beforeAll(async () => {
  run = await runDaemon(config, script);
  const home = join(run.data, 'workspaces/alpha');
  outside = join(run.folder, 'outside');
  await mkdir(join(home, 'one'), { recursive: true });
  await mkdir(outside);
  await writeFile(join(outside, 'kept.txt'), 'untouched');
  await writeFile(join(home, 'mine.txt'), 'by a line of shell');
  await symlink(join(outside, 'kept.txt'), join(home, 'to-file'));
  await symlink(join(outside, 'nothing.txt'), join(home, 'to-nothing'));
  await symlink(outside, join(home, 'to-folder'));
  await symlink('../../../../outside', join(home, 'one/two'));
});
afterAll(() => run.remove());

describe('given links that lead out of the workspace', () => {
  it('writes through none of them, by file tools, redirects or programs', async () => {
    const body = { input: 'write', wait: true };
    const answer = await run.admin().post('/v1/agents/alpha/turns', body);
    const { id, status } = answer.body as { readonly id: string; readonly status: string };
    expect(status).toBe('completed');
    const read = await run.admin().get(`/v1/turns/${id}/events?limit=1000`);
    const { items } = read.body as { readonly items: readonly LockstepEvent[] };
    const ends = new Map<string, string>();
    for (const event of items) {
      if (event.type === 'ToolCallRefused') ends.set(event.data.call, event.data.rule);
      if (event.type === 'ToolCallCompleted')
        ends.set(event.data.call, event.data.isError ? 'failed' : 'ran');
    }
    // A redirect is a path that the gate sees; what a program opens by itself is kept inside by the sandbox.
    const outsideRule = 'workspace.workspace_only';
    const expected = names.flatMap(() => [outsideRule, outsideRule, 'failed', 'failed']);
    expect(calls.map((_, index) => ends.get(`m1a1s0c${index}`))).toEqual(expected);
    expect(await readFile(join(outside, 'kept.txt'), 'utf8')).toBe('untouched');
    await expect(stat(join(outside, 'nothing.txt'))).rejects.toThrow('ENOENT');
    await expect(stat(join(outside, 'new.txt'))).rejects.toThrow('ENOENT');
    await expect(stat(join(outside, 'up.txt'))).rejects.toThrow('ENOENT');
  });
});
