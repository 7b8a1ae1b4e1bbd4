import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as nextTick } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { processFolder, type ProcessFolder } from '../support/lockstep-process.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const config = `[agents.alpha]
provider = "local"
risk_profile = "careful"
runtime_profile = "short"
[risk_profiles.careful]
[runtime_profiles.short]
[providers.local]
type = "scripted"
script = "script.yaml"
prices = "free"
`;

let place: ProcessFolder;
beforeEach(async () => {
  place = await processFolder(config, 'default: [{ say: "Plain answer." }]\n');
});
afterEach(() => place.remove());

describe('given ctrl-c, which each program between terminal and daemon passes on', () => {
  it('stops in good order however often it comes', async () => {
    const daemon = await place.up();
    const local = join(place.data, 'local.json');
    // Only the stop takes this file away; a daemon that died would leave it.
    while (existsSync(local) && signal(daemon.pid)) await nextTick();
    expect(await daemon.stop()).toMatchObject({ code: 0, stderr: '' });
    expect(existsSync(local)).toBe(false);
  });
});

/** Whether there was a process to signal. */
const signal = (pid: number): boolean => {
  try {
    return process.kill(pid, 'SIGINT');
  } catch {
    return false;
  }
};
