import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { plainMasker, samplePolicy } from '@lockstep/engine/testing';
import { digestOfText } from '@lockstep/policy';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { identityReader, largestIdentityBytes } from './read-identity.ts';

let base = '';

beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'lockstep-identity-')));
  mkdirSync(join(base, 'data'));
  mkdirSync(join(base, 'ws'));
});
afterEach(() => {
  rmSync(base, { recursive: true, force: true });
});

const read = (...files: readonly string[]) => {
  const paths = files.map((file) => join(base, file));
  return identityReader(plainMasker({ KEY: 'hunter2' }))(
    samplePolicy({
      context: { identity: { files: paths, writable: false } },
      workspace: {
        root: join(base, 'ws'),
        protected: [join(base, 'data'), ...paths],
        protected_except: [],
        siblings: {},
      },
    }),
    [],
  );
};

it('reads the files in their order, masked, each with the digest of what it says', async () => {
  writeFileSync(join(base, 'SOUL.md'), 'I am calm.');
  writeFileSync(join(base, 'ws', 'KEYS.md'), 'The key is hunter2.');
  symlinkSync(join(base, 'SOUL.md'), join(base, 'ws', 'linked.md'));
  const said = (path: string, text: string) => ({
    path: join(base, path),
    digest: digestOfText(text),
    text,
  });
  expect(await read('ws/KEYS.md', 'SOUL.md', 'ws/linked.md')).toEqual({
    ok: true,
    files: [
      said('ws/KEYS.md', 'The key is «secret:KEY».'),
      said('SOUL.md', 'I am calm.'),
      said('ws/linked.md', 'I am calm.'),
    ],
  });
});

it('reads no file that is a link to what is closed to the agent', async () => {
  writeFileSync(join(base, 'data', 'vault.json'), '{}');
  symlinkSync(join(base, 'data', 'vault.json'), join(base, 'ws', 'SOUL.md'));
  expect(await read('ws/SOUL.md')).toEqual({
    ok: false,
    message: `the identity file \`${join(base, 'ws/SOUL.md')}\` cannot be read (it leads to what is closed to the agent): put it there, or take it out of \`context.identity.files\``,
  });
});

it.each<[string, (path: string) => void, string]>([
  ['is not there', () => undefined, 'there is no file'],
  [
    'is a folder',
    (path) => {
      mkdirSync(path);
    },
    'is a folder',
  ],
  [
    'is too large',
    (path) => {
      writeFileSync(path, 'x'.repeat(largestIdentityBytes + 1));
    },
    'larger',
  ],
  [
    'is no text',
    (path) => {
      writeFileSync(path, Buffer.from([0xff]));
    },
    'not a text file',
  ],
  [
    'is a loop',
    (path) => {
      symlinkSync(path, path);
    },
    'real path',
  ],
])('says which file cannot be read and why: it %s', async (_what, make, why) => {
  writeFileSync(join(base, 'first.md'), 'x');
  make(join(base, 'SOUL.md'));
  const found = await read('first.md', 'SOUL.md');
  expect(found.ok ? '' : found.message).toContain(`\`${join(base, 'SOUL.md')}\` cannot be read`);
  expect(found.ok ? '' : found.message).toContain(why);
});
