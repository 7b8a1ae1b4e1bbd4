import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { processFolder, type Ended, type ProcessFolder } from '../support/lockstep-process.ts';

const config = (denied: string): string => `[agents.alpha]
provider = "local"
risk_profile = "careful"
runtime_profile = "short"
[risk_profiles.careful]
autonomy = "full"
[risk_profiles.careful.tools]
allowed = ["time_now", "file_list"]
denied = ${denied}
[runtime_profiles.short]
[providers.local]
type = "scripted"
script = "script.yaml"
prices = "free"
`;

const script = `default:
  - calls: [{ tool: time_now, args: {} }]
  - say: It is late.
`;

let place: ProcessFolder;
let url = '';
let token = '';

const backtest = (...words: string[]): Promise<Ended> => place.lockstep(['backtest', ...words]);
const draft = (name: string): string => join(place.folder, name);

beforeAll(async () => {
  place = await processFolder(config('[]'), script);
  ({ url } = await place.up(['--config', place.config]));
  token = (JSON.parse(readFileSync(join(place.data, 'local.json'), 'utf8')) as { token: string })
    .token;
  const ran = await place.lockstep(['run', 'alpha', 'what time is it?']);
  expect(ran.code).toBe(0);
  writeFileSync(draft('same.toml'), config('[]'));
  writeFileSync(draft('denying.toml'), config('["time_now"]'));
  writeFileSync(draft('wrong.toml'), config('["time_nou"]').replace('autonomy', 'autonomie'));
}, 300_000);
afterAll(() => place.remove(), 300_000);

interface Report {
  readonly turns: { readonly all: number; readonly unchanged: number };
  readonly changes: readonly { readonly tool: string; readonly change: string }[];
}

const reportIn = ({ stdout }: Ended): Report => JSON.parse(stdout) as Report;

describe('given a daemon that has run a turn', () => {
  it('ends with 0 for a draft that changes nothing, whatever is to fail', async () => {
    const ended = await backtest(
      ...['--json', '--config', draft('same.toml')],
      ...['--fail-on', 'newly-allowed,newly-asked,newly-refused,beyond-horizon,unjudged'],
    );
    expect([ended.code, ended.stderr]).toEqual([0, '']);
    const { turns, changes } = reportIn(ended);
    expect([turns.all, turns.unchanged, changes]).toEqual([1, 1, []]);
  }, 300_000);

  it('ends with 1 for what is to fail, and prints the changes as CSV', async () => {
    const denying = ['--config', draft('denying.toml')];
    const failed = await backtest('--csv', '-', ...denying, '--fail-on', 'newly-refused');
    expect([failed.code, failed.stderr]).toEqual([1, 'lockstep: 1 newly-refused\n']);
    const [head, row] = failed.stdout.split('\n');
    expect(head).toMatch(/^change,time,agent,path,person,tool,/);
    expect(row).toMatch(/^newly_refused,.*,alpha,[a-z]+,.*,builtin:time_now,allow,/);
  }, 300_000);

  it('says over REST what it says of the data folder', async () => {
    const words = ['--json', '--config', draft('denying.toml')];
    const remote = await backtest(...words, '--url', url, '--token', token);
    expect([remote.code, remote.stderr]).toEqual([0, '']);
    expect(reportIn(remote)).toEqual(reportIn(await backtest(...words)));
    expect(reportIn(remote).changes).toEqual([
      expect.objectContaining({ tool: 'builtin:time_now', change: 'newly_refused' }),
    ]);
  }, 300_000);

  it('ends with 2 for a config with problems, and names them', async () => {
    const words = ['--config', draft('wrong.toml'), '--url', url, '--token', token];
    const { code, stdout, stderr } = await backtest(...words);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain('risk_profiles.careful.autonomie');
  }, 300_000);
});
