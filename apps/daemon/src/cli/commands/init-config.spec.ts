import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runCli } from '../program.ts';

let folder: string;
let file: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'lockstep-init-'));
  file = join(folder, 'my.toml');
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const lockstep = async (words: readonly string[]) => {
  let err = '';
  const code = await runCli(words, {
    env: {},
    cwd: folder,
    write: () => undefined,
    note: (text) => (err += text),
    now: Date.now,
    version: '0.0.0',
  });
  return { code, err };
};

const own = ['--provider', 'openai_compatible', '--base-url', 'http://127.0.0.1:11434/v1'];
const billed = ['--provider', 'anthropic', '--key-env', 'KEY_OF_MINE'];
const prices = ['--input-price', '3', '--output-price', '15'];

describe('given the flags of `init`', () => {
  it.each([
    ['a server of one’s own as free', own, /^prices = "free"$/m, /^max_cost_usd_per_turn = 0\.5$/m],
    [
      'a provider without prices as unknown, which no cap can bound',
      billed,
      /^# US dollars a million tokens: prices = /m,
      /^max_cost_usd_per_turn = "unlimited"$/m,
    ],
    [
      'prices that are given',
      [...billed, ...prices],
      /^prices = \{ input_per_mtok = 3, output_per_mtok = 15 \}$/m,
      /^max_cost_usd_per_turn = 0\.5$/m,
    ],
  ])('writes %s, in a config that is good', async (_, flags, price, cap) => {
    expect(await lockstep(['init', file, '--model', 'some', ...flags])).toEqual({
      code: 0,
      err: '',
    });
    const text = await readFile(file, 'utf8');
    expect(text).toMatch(price);
    expect(text).toMatch(cap);
    expect((await lockstep(['config', 'check', file])).code).toBe(0);
  });

  it('refuses one price alone, and writes nothing', async () => {
    const flags = [...billed, '--model', 'some', '--input-price', '3'];
    const { code, err } = await lockstep(['init', file, ...flags]);
    expect([code, err]).toEqual([2, expect.stringContaining('give both prices or none')]);
    expect(existsSync(file)).toBe(false);
  });
});
