import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runCli } from './program.ts';

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

let folder: string;
let data: string;
let file: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'lockstep-cli-'));
  [data, file] = [join(folder, '.lockstep'), join(folder, 'lockstep.toml')];
  await writeFile(file, config);
  await writeFile(join(folder, 'script.yaml'), 'default: [{ say: "Plain answer." }]\n');
});
afterEach(() => rm(folder, { recursive: true, force: true }));

/** One command line in this process: how it ends and what it writes. */
const lockstep = async (argv: readonly string[]) => {
  let [stdout, stderr] = ['', ''];
  const code = await runCli(argv, {
    env: {},
    cwd: folder,
    write: (text) => {
      stdout += text;
    },
    note: (text) => {
      stderr += text;
    },
    now: Date.now,
    version: '0.0.0',
  });
  return { code, stdout, stderr };
};

const up = ['up', '--no-console', '--port', '0', '--log', 'silent'];

describe('given wrong words', () => {
  it.each([
    [['frobnicate'], /unknown command 'frobnicate'/],
    [['run'], /missing required argument 'agent'/],
    [['run', 'alpha'], /missing required argument 'input'/],
    [['up', '--port', 'many'], /`many` is no port for --port/],
    [['up', '--log', 'loud'], /`loud` is no log level/],
    [['up', '--nonsense'], /unknown option '--nonsense'/],
    [['parityy'], /Did you mean parity\?/],
  ])('ends `lockstep %j` with 2 and says which', async (words, says) => {
    const { code, stdout, stderr } = await lockstep(words);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(says);
    expect(existsSync(data)).toBe(false);
  });
});

describe('given a config that cannot be', () => {
  it.each([
    ['no TOML', 'agents = {', /lockstep\.toml:1:/],
    [
      'an unknown key',
      config.replace('provider =', 'providr ='),
      /agents\.alpha\.providr.*`provider`/,
    ],
    [
      'a dangling profile',
      config.replace('"careful"', '"carefull"'),
      /lockstep\.toml:3:.*`careful`/,
    ],
    ['a script that is not there', config.replace('script.yaml', 'none.yaml'), /none\.yaml/],
    [
      'a value out of range',
      `${config}[gateway]\nport = 99999\n`,
      /lockstep\.toml:12:.*gateway\.port/,
    ],
    [
      'a store without a connection',
      `${config}[store]\ntype = "eventstoredb"\n`,
      /lockstep\.toml:12:.*store\.type.*store\.connection/,
    ],
  ])('ends with 2 for %s, names the place and starts nothing', async (_, text, says) => {
    await writeFile(file, text);
    const { code, stderr } = await lockstep(up);
    expect([code, /unexpected: |\n\s+at /.test(stderr)]).toEqual([2, false]);
    expect(stderr).toMatch(says);
    expect(existsSync(data)).toBe(false);
    expect(await lockstep(['config', 'check'])).toMatchObject({ code: 2 });
  });

  it('ends with 2 when the file is not there', async () => {
    const { code, stderr } = await lockstep(['--config', 'none.toml', ...up]);
    expect([code, stderr]).toEqual([2, expect.stringMatching(/none\.toml.*cannot be read/s)]);
  });
});

describe('given a machine that does not let it start', () => {
  it.each([
    ['a file in place of the data folder', async () => writeFile(data, ''), /is not a folder/],
    [
      'a log that is no database',
      async () => {
        await mkdir(data);
        await writeFile(join(data, 'log.db'), 'x'.repeat(5_000));
      },
      /log\.db` is no database/,
    ],
    [
      'a log that is a folder',
      () => mkdir(join(data, 'log.db'), { recursive: true }),
      /log\.db` is no database/,
    ],
  ])('ends with 4 for %s', async (_, prepare, says) => {
    await prepare();
    const { code, stdout, stderr } = await lockstep(up);
    expect([code, stdout, /unexpected/.test(stderr)]).toEqual([4, '', false]);
    expect(stderr).toMatch(says);
  });
});

describe('given nothing to talk to', () => {
  it('ends with 3 where no daemon runs, and where an address does not answer', async () => {
    const none = await lockstep(['parity']);
    expect([none.code, none.stderr]).toEqual([3, expect.stringContaining('no daemon runs on')]);
    const away = ['--url', 'http://127.0.0.1:9', '--token', 'lks_x', 'turns'];
    const gone = await lockstep(away);
    expect([gone.code, gone.stderr]).toEqual([3, expect.stringContaining('does not answer')]);
    expect(await lockstep(['--url', 'http://127.0.0.1:9', 'turns'])).toMatchObject({
      code: 2,
    });
  });

  it('ends `doctor --log` with 4 where no log is', async () => {
    const { code, stderr } = await lockstep(['doctor', '--log']);
    expect([code, stderr]).toEqual([4, expect.stringContaining('there is no log at')]);
  });

  it('ends `run` with 2 for an agent that is not available', async () => {
    const { code, stderr } = await lockstep(['run', 'nobody', 'hello']);
    expect(code).toBe(2);
    expect(stderr).toContain('agent `nobody` is not available (agent_unavailable)');
  });
});
