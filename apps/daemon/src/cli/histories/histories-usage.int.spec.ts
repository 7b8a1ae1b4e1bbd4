import { execFileSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runCli } from '../program.ts';

const folder = mkdtempSync(join(tmpdir(), 'lockstep-histories-'));
const history = fileURLToPath(
  new URL('../../../../../examples/divergence/history.jsonl', import.meta.url),
);
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

const lockstep = async (...argv: readonly string[]) => {
  const said: string[] = [];
  let out = '';
  const code = await runCli(argv, {
    env: {},
    cwd: folder,
    write: (text) => {
      out += text;
      said.push(text);
    },
    note: (text) => said.push(text),
    now: () => 0,
    version: '0.0.0',
  });
  return { code, out, said: said.join('').replace(/\u001b\[\d+m/g, '') };
};

describe('given a folder in which not all is a history', () => {
  it('names what is no regular file as refused and reads the rest', async () => {
    const place = join(folder, 'mixed');
    mkdirSync(join(place, 'd.jsonl'), { recursive: true });
    execFileSync('mkfifo', [join(place, 'p.jsonl')]);
    copyFileSync(history, join(place, 'z.jsonl'));
    const { code, out } = await lockstep('--json', 'histories', 'verify', place);
    const { histories } = JSON.parse(out) as { histories: { file: string; state: string }[] };
    expect([code, histories.map(({ file, state }) => [file, state])]).toEqual([
      1,
      [
        ['d.jsonl', 'refused'],
        ['p.jsonl', 'refused'],
        ['z.jsonl', 'diverged'],
      ],
    ]);
  });
});

describe('given a config that fixtures are to be held to', () => {
  it('ends with 2 and every problem when it has some', async () => {
    writeFileSync(join(folder, 'bad.toml'), '[agents.clerk]\nrisk_profil = "reading"\n');
    const { code, said } = await lockstep('--config', 'bad.toml', 'histories', 'verify', history);
    expect([code, said.includes('unexpected')]).toEqual([2, false]);
    expect(said).toContain('agents.clerk.risk_profil');
  });
});

describe('given a turn or an agent that is not there', () => {
  const nothing = join(folder, 'nothing.jsonl');
  beforeAll(async () => {
    const done = await lockstep('--data', 'log', 'import', history);
    expect(done.code, done.said).toBe(0);
  });

  it('ends an export with 2, says so and writes nothing', async () => {
    const agent = ['--data', 'log', 'histories', 'export', '--agent', 'nosuch', '--out', nothing];
    expect(await lockstep(...agent)).toEqual({
      code: 2,
      out: '',
      said: 'lockstep: the log holds no such turn of an agent `nosuch`, nothing was written\n',
    });
    const turn = ['--data', 'log', 'histories', 'export', '--turn', 'none', '--out', nothing];
    expect(await lockstep(...turn)).toEqual({
      code: 2,
      out: '',
      said: 'lockstep: there is no turn `none`\n',
    });
    expect(existsSync(nothing)).toBe(false);
  });

  it('ends a backtest with 2 for the agent, and a gate over no turns with 1', async () => {
    const version = ['--data', 'log', 'backtest', '--config-version', '1'];
    const unknown = await lockstep(...version, '--agent', 'nosuch');
    expect([unknown.code, unknown.said]).toEqual([
      2,
      'lockstep: no agent `nosuch`: neither the log nor the draft knows one of this name\n',
    ]);
    const later = [...version, '--since', '2199-01-01T00:00:00Z'];
    expect((await lockstep(...later)).code).toBe(0);
    const gate = await lockstep(...later, '--fail-on', 'newly-allowed');
    expect(gate.code, gate.said).toBe(1);
    expect(gate.said).toContain('lockstep: nothing was judged\n');
  });

  it.each([['replay'], ['bisect'], ['minimize']])('ends a %s of a file with 2', async (command) => {
    expect(await lockstep(command, 'none', '--file', history)).toEqual({
      code: 2,
      out: '',
      said: 'lockstep: the history holds no turn `none`\n',
    });
  });
});
