import { readdirSync, readFileSync } from 'node:fs';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { processFolder, type ProcessFolder } from '../support/lockstep-process.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

// No other process of the machine waits this long.
const seconds = `${600 + (process.pid % 1000) / 1000}`;

const config = `
[agents.ada]
provider = "local"
risk_profile = "open"
runtime_profile = "short"
[risk_profiles.open]
autonomy = "full"
[risk_profiles.open.tools]
allowed = ["shell"]
[risk_profiles.open.shell]
allowed_commands = ["sleep"]
[runtime_profiles.short]
[runtime_profiles.short.budgets]
tool_timeout_secs = 2
[providers.local]
type = "scripted"
script = "script.yaml"
prices = "free"
`;
const script = `
scenarios:
  - when: "sleep"
    steps:
      - calls: [{ tool: shell, args: { command: "sleep ${seconds} | sleep ${seconds}" } }]
      - say: "{{results.0}}"
`;

let folder: ProcessFolder;
beforeEach(async () => {
  folder = await processFolder(config, script);
});
afterEach(() => folder.remove());

const sleepers = (): readonly string[] =>
  readdirSync('/proc').filter((pid) => {
    if (!/^\d+$/.test(pid)) return false;
    try {
      return readFileSync(`/proc/${pid}/cmdline`, 'utf8') === `sleep\0${seconds}\0`;
    } catch {
      return false;
    }
  });

it('a process of an agent ends with a daemon that is killed', async () => {
  const daemon = await folder.up();
  void folder.lockstep(['run', 'ada', 'sleep']);
  await eventually('two processes', () => (sleepers().length === 2 ? true : null));
  await daemon.kill();
  await eventually('their end', () => (sleepers().length === 0 ? true : null));
});

it('a process of an agent ends with the time of its call', async () => {
  await folder.up();
  const turn = await folder.lockstep(['run', 'ada', 'sleep']);
  expect(turn.stdout).toContain('2000 ms');
  await eventually('their end', () => (sleepers().length === 0 ? true : null));
});
