import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { runCli } from '../program.ts';

const folder = mkdtempSync(join(tmpdir(), 'lockstep-cli-'));
const history = fileURLToPath(
  new URL('../../../../../examples/divergence/history.jsonl', import.meta.url),
);
const written = (name: string, text: string): string => {
  const file = join(folder, name);
  writeFileSync(file, text);
  return file;
};
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

const backtest = async (...words: string[]) => {
  let [stdout, stderr] = ['', ''];
  const code = await runCli(['backtest', ...words], {
    env: {},
    cwd: folder,
    write: (text) => {
      stdout += text;
    },
    note: (text) => {
      stderr += text;
    },
    now: () => 0,
    version: '0.0.0',
  });
  return { code, stdout, stderr };
};

describe('given a backtest that cannot be made', () => {
  it.each([
    ['no draft', [], /name one draft/],
    ['two drafts', ['--config', 'a.toml', '--config-version', '1'], /name one draft/],
    ['no whole number', ['--config-version', '1.5'], /give a whole number from 1 on/],
    ['a word that nothing can fail on', ['--fail-on', 'all'], /`all` is none of newly-allowed/],
    ['no time', ['--config-version', '1', '--since', 'soon'], /`soon` is no time/],
    ['no path', ['--path', 'side'], /side/],
    ['two things to print', ['--config-version', '1', '--csv', '-', '--json'], /both print/],
    ['no file', ['--config', 'none.toml'], /cannot read the config file/],
    ['a version that was never', ['--config-version', '9', '--file', history], /version 9/],
  ] as const)('ends with 2 for %s', async (_, words, says) => {
    const { code, stdout, stderr } = await backtest(...words);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(says);
  });

  it('ends with 2 for a config with problems and names each with its line', async () => {
    const draft = written('draft.toml', '[agents.clerk]\nrisk_profil = "reading"\n');
    const { code, stdout, stderr } = await backtest('--config', draft, '--file', history);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain('draft.toml:2:');
    expect(stderr).toContain('agents.clerk.risk_profil');
  });

  it('ends with 1 for a history that is none, and with 4 where there is no log', async () => {
    const file = written('cut.jsonl', '{"id":');
    const cut = await backtest('--config-version', '1', '--file', file);
    expect([cut.code, cut.stdout]).toEqual([1, '']);
    expect(cut.stderr).toContain('line 1: this line is no JSON');
    const nowhere = await backtest('--config-version', '1');
    expect([nowhere.code, nowhere.stdout]).toEqual([4, '']);
    expect(nowhere.stderr).toContain('there is no log at');
  });
});
