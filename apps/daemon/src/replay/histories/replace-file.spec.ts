import {
  lstatSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { fileNameOf, replaceFile } from './replace-file.ts';

const folder = mkdtempSync(join(tmpdir(), 'lockstep-replace-'));
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

describe('a file that is replaced', () => {
  it('is never written through a link that lies in its place or beside it, and is for its owner alone', async () => {
    const victim = join(folder, 'victim');
    writeFileSync(victim, 'mine');
    symlinkSync(victim, join(folder, 'T.jsonl'));
    symlinkSync(victim, join(folder, 'T.jsonl.new'));
    await replaceFile(join(folder, 'T.jsonl'), (out) => out.writeFile('history'));
    const { mode } = lstatSync(join(folder, 'T.jsonl'));
    expect([mode & 0o170777, readFileSync(join(folder, 'T.jsonl'), 'utf8')]).toEqual([
      0o100600,
      'history',
    ]);
    expect(readFileSync(victim, 'utf8')).toBe('mine');
  });

  it('leaves nothing behind when it cannot be written', async () => {
    const before = readdirSync(folder);
    const failing = replaceFile(join(folder, 'U.jsonl'), () => Promise.reject(new Error('full')));
    await expect(failing).rejects.toThrow('full');
    expect(readdirSync(folder)).toEqual(before);
  });
});

describe('the name of a file for a turn', () => {
  it('is the id where it can be, and differs where the id does', () => {
    const ids = ['a_b', 'a/b', 'a:b', 'a\nb', 'x'.repeat(400), `${'x'.repeat(400)}y`];
    const names = ids.map(fileNameOf);
    expect(names[0]).toBe('a_b');
    expect(new Set(names).size).toBe(ids.length);
    for (const name of names) expect(name).toMatch(/^[\w.~-]{1,120}$/);
  });
});
