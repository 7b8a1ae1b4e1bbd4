import { mkdir, readdir } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
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

const up = ['up', '--no-console', '--port', '0', '--log', 'error'];

describe('given wrong words', () => {
  it('ends with 2 and says which', async () => {
    const { code, stdout, stderr } = await place.lockstep(['parityy']);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(/unknown command 'parityy'[^]*Did you mean parity\?/);
  });
});

describe('given a machine that does not let it start', () => {
  it('ends with 4 for a folder that may only be read, and leaves it as it was', async () => {
    await mkdir(place.data);
    const around = ['bwrap', '--die-with-parent', '--bind', '/', '/', '--dev-bind', '/dev', '/dev'];
    const started = place.up([], [...around, '--ro-bind', place.data, place.data, '--']);
    await expect(started).rejects.toThrow(/ended with 4: lockstep: .*data.* cannot be written/);
    expect(await readdir(place.data)).toEqual([]);
  });

  it('ends with 4 for a port in use, and with 4 for a second daemon, which leaves the first alone', async () => {
    const holder = createServer();
    await new Promise<void>((done) => holder.listen(0, '127.0.0.1', done));
    const port = String((holder.address() as AddressInfo).port);
    const taken = await place.lockstep(['up', '--no-console', '--port', port, '--log', 'error']);
    expect([taken.code, taken.stderr]).toEqual([4, expect.stringContaining(`port ${port}`)]);
    await new Promise((done) => holder.close(done));
    const first = await place.up();
    const second = await place.lockstep(up);
    expect([second.code, second.stderr]).toEqual([
      4,
      expect.stringMatching(new RegExp(`in use by process ${first.pid} `)),
    ]);
    const run = await place.lockstep(['run', 'alpha', 'hello']);
    expect([run.code, run.stdout]).toEqual([0, 'Plain answer.\n']);
    expect(await first.stop()).toMatchObject({ code: 0 });
  });
});
