import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { builtinSpecs, type Operand, type ToolOutcome, type ToolScope } from '@lockstep/engine';
import { fixedClock } from '@lockstep/engine/testing';
import { beforeEach, describe, expect, it } from 'vitest';
import { snapshotOf } from '../../../../../test/support/policy-snapshot.ts';
import { startedTool } from '../../../../../test/support/started-calls.ts';
import { SecretMasker } from '../secrets/secret-masker.ts';
import { createUnsealer } from '../secrets/unsealer.ts';
import { Vault } from '../secrets/vault.ts';
import { ToolSources } from './tool-source.ts';
import { builtinTools } from './builtin-tools.ts';
import { compositeTools } from './composite-tools.ts';

const vault = new Vault(null);
const masker = new SecretMasker(vault, [{ name: 'KEY', value: 'value-of-key' }]);
const sources = new ToolSources();
sources.add(builtinTools({ clock: fixedClock(), resolver: () => Promise.resolve([]) }));
const tools = compositeTools({
  sources,
  masker,
  unsealer: createUnsealer(masker, vault),
});

let home = '';
let scope: ToolScope;
const at = (path: string): string => join(home, path);
const put = (path: string, text: string | Buffer): string => {
  mkdirSync(dirname(at(path)), { recursive: true });
  writeFileSync(at(path), text);
  return at(path);
};
const scopeIn = (policy: ToolScope['policy']): ToolScope => ({
  agent: policy.agent,
  principal: { kind: 'local', id: 'local', person: null },
  session: 's',
  turn: 't',
  policyDigest: '0'.repeat(64),
  narrowings: [],
  policy,
});
beforeEach(() => {
  home = realpathSync(mkdtempSync(join(tmpdir(), 'tools-')));
  mkdirSync(at('ws'));
  scope = scopeIn(snapshotOf(at('ws')));
});

const specOf = (name: string) => {
  const spec = builtinSpecs.find((s) => s.id === `builtin:${name}`);
  if (spec === undefined) throw new Error(name);
  return spec;
};
const signal = new AbortController().signal;
const inspect = (name: string, args: object) => tools.inspect(scope, specOf(name), args, 'c1');
const run = (
  name: string,
  args: object,
  operands: readonly Operand[],
  unsealed: string[] = [],
): Promise<ToolOutcome> =>
  tools.run(scope, startedTool(specOf(name), args, { operands: [...operands], unsealed }), signal);
/** Looks, lets something happen in between, and runs what was authorized. */
const call = async (name: string, args: object, between = (): void => undefined) => {
  const { operands } = await inspect(name, args);
  between();
  return run(name, args, operands);
};
const text = (outcome: ToolOutcome): string => (outcome.ok ? outcome.text : outcome.kind);
const temporaries = (): string[] =>
  readdirSync(at('ws'), { recursive: true })
    .map(String)
    .filter((n) => n.includes('.lockstep-'));

describe('given a workspace', () => {
  it('makes the folder on first use', async () => {
    rmSync(at('ws'), { recursive: true });
    expect(await call('file_write', { path: 'a/b.txt', content: 'hi' })).toEqual({
      ok: true,
      text: 'wrote 2 bytes to `a/b.txt`',
      isError: false,
      masked: 0,
      touched: [{ kind: 'opened', path: at('ws/a/b.txt'), access: 'write' }],
    });
    expect(readFileSync(at('ws/a/b.txt'), 'utf8')).toBe('hi');
  });

  it('reads a file, and lines of it', async () => {
    const path = put('ws/a.txt', 'one\ntwo\nthree\n');
    expect(await call('file_read', { path: 'a.txt' })).toEqual({
      ok: true,
      text: 'one\ntwo\nthree\n',
      isError: false,
      masked: 0,
      touched: [{ kind: 'opened', path, access: 'read' }],
    });
    expect(text(await call('file_read', { path, offset: 2, limit: 1 }))).toBe('two\n');
  });

  it('replaces a file at once and keeps its mode', async () => {
    chmodSync(put('ws/run.sh', 'old'), 0o750);
    await call('file_write', { path: 'run.sh', content: 'new' });
    expect(readFileSync(at('ws/run.sh'), 'utf8')).toBe('new');
    expect(statSync(at('ws/run.sh')).mode & 0o7777).toBe(0o750);
    expect(temporaries()).toEqual([]);
  });

  it('edits one passage that occurs exactly once', async () => {
    put('ws/a.txt', 'one two two');
    const edit = (old_text: string) =>
      call('file_edit', { path: 'a.txt', old_text, new_text: '$&!' });
    expect(await edit('two')).toMatchObject({
      isError: true,
      text: 'the old text occurs more than once in `a.txt`',
    });
    expect(await edit('six')).toMatchObject({ isError: true });
    expect(await edit('one')).toMatchObject({ isError: false });
    expect(readFileSync(at('ws/a.txt'), 'utf8')).toBe('$&! two two');
  });

  it('shows the old content of what a call writes, masked', async () => {
    put('ws/a.txt', 'key: value-of-key');
    expect((await inspect('file_write', { path: 'a.txt', content: '' })).before).toBe(
      'key: «secret:KEY»',
    );
    expect((await inspect('file_write', { path: 'new.txt', content: '' })).before).toBeNull();
    expect((await inspect('file_read', { path: 'a.txt' })).before).toBeNull();
  });
});

describe('given what a call names', () => {
  const operand = async (path: string, name = 'file_read') =>
    (await inspect(name, { path, content: '' })).operands[0];

  it('says what text and machine make of it', async () => {
    put('ws/a.txt', 'a');
    expect(await operand('x/../a.txt', 'file_write')).toEqual({
      kind: 'path',
      access: 'write',
      given: 'x/../a.txt',
      lexical: at('ws/a.txt'),
      real: at('ws/a.txt'),
      exists: true,
      content: 'ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb',
    });
  });

  it('follows links, dangling ones too, and climbs by text', async () => {
    put('out/secret', 's');
    symlinkSync(at('out'), at('ws/link'));
    symlinkSync(at('out/new'), at('ws/dangling'));
    symlinkSync('loop', at('ws/loop'));
    expect(await operand('link/secret')).toMatchObject({ real: at('out/secret'), exists: true });
    expect(await operand('dangling')).toMatchObject({ real: at('out/new'), exists: false });
    expect(await operand('dangling/x')).toMatchObject({ real: at('out/new/x'), exists: false });
    expect(await operand('../out/secret')).toMatchObject({ lexical: at('out/secret') });
    expect(await operand('loop')).toMatchObject({ real: null });
    expect(await operand('a\0b')).toMatchObject({ real: null });
    expect(await operand('a.txt/b')).toMatchObject({ real: at('ws/a.txt/b'), exists: false });
  });

  it('names the real paths of all roots, and of what is forbidden where they differ', async () => {
    mkdirSync(at('real'));
    symlinkSync(at('real'), at('alias'));
    scope = scopeIn(
      snapshotOf(at('ws'), {
        workspace: {
          allowed_roots: [at('alias'), at('gone')],
          forbidden_paths: [at('alias/x')],
          siblings: { reader: { root: at('gone'), forbidden_paths: [] } },
        },
      }),
    );
    expect((await inspect('file_read', { path: 'a' })).roots).toEqual({
      root: at('ws'),
      allowed: [
        { path: at('alias'), real: at('real') },
        { path: at('gone'), real: null },
      ],
      siblings: { reader: null },
      denied: [{ path: at('alias/x'), real: at('real/x') }],
    });
  });

  it('judges a search without a path as one of the workspace', async () => {
    expect((await inspect('file_search', { pattern: 'x' })).operands).toMatchObject([
      { given: '.', real: at('ws') },
    ]);
  });
});

describe('given somebody who changes things between verdict and call', () => {
  const swapped = { ok: false, kind: 'late_swap' };
  const write = (path: string, between: () => void) =>
    call('file_write', { path, content: 'mine' }, between);

  it('writes nothing through a folder that became a link', async () => {
    put('ws/dir/a.txt', 'a');
    mkdirSync(at('out'));
    put('out/a.txt', 'a');
    const outcome = await write('dir/a.txt', () => {
      renameSync(at('ws/dir'), at('ws/moved'));
      symlinkSync(at('out'), at('ws/dir'));
    });
    expect(outcome).toMatchObject(swapped);
    expect(readFileSync(at('out/a.txt'), 'utf8')).toBe('a');
    expect(readdirSync(at('out'))).toEqual(['a.txt']);
  });

  it('writes nothing through a file that became a link', async () => {
    put('ws/a.txt', 'a');
    put('out', 'a');
    const outcome = await write('a.txt', () => {
      rmSync(at('ws/a.txt'));
      symlinkSync(at('out'), at('ws/a.txt'));
    });
    expect(outcome).toMatchObject({ ...swapped, touched: [] });
    expect(readFileSync(at('out'), 'utf8')).toBe('a');
  });

  it('writes nothing where a new file was to be and a link or a file is', async () => {
    put('out', 'a');
    expect(
      await write('new.txt', () => {
        symlinkSync(at('out'), at('ws/new.txt'));
      }),
    ).toMatchObject(swapped);
    expect(
      await write('new2.txt', () => {
        put('ws/new2.txt', 'theirs');
      }),
    ).toMatchObject(swapped);
    expect(readFileSync(at('out'), 'utf8')).toBe('a');
    expect(readFileSync(at('ws/new2.txt'), 'utf8')).toBe('theirs');
    expect(temporaries()).toEqual([]);
  });

  it('overwrites nothing whose content changed', async () => {
    put('ws/a.txt', 'a');
    expect(
      await write('a.txt', () => {
        put('ws/a.txt', 'b');
      }),
    ).toMatchObject(swapped);
    expect(readFileSync(at('ws/a.txt'), 'utf8')).toBe('b');
  });

  it('reads nothing through a link that came late', async () => {
    put('ws/a.txt', 'a');
    put('out', 'SECRET');
    const outcome = await call('file_read', { path: 'a.txt' }, () => {
      rmSync(at('ws/a.txt'));
      symlinkSync(at('out'), at('ws/a.txt'));
    });
    expect(outcome).toMatchObject(swapped);
  });

  it('makes no folders below a link that came late', async () => {
    mkdirSync(at('out'));
    const outcome = await write('x/y/new.txt', () => {
      symlinkSync(at('out'), at('ws/x'));
    });
    expect(outcome).toMatchObject(swapped);
    expect(readdirSync(at('out'))).toEqual([]);
  });
});

describe('given files that are none to work with', () => {
  it('writes no file with several hard links', async () => {
    put('out', 'a');
    linkSync(at('out'), at('ws/a.txt'));
    expect(await call('file_write', { path: 'a.txt', content: 'x' })).toMatchObject({
      ok: false,
      kind: 'io',
    });
    expect(await call('file_edit', { path: 'a.txt', old_text: 'a', new_text: 'x' })).toMatchObject({
      ok: false,
    });
    expect(readFileSync(at('out'), 'utf8')).toBe('a');
  });

  it.each(['file_read', 'file_write', 'file_search'])(
    'never waits for a pipe in %s',
    async (name) => {
      execFileSync('mkfifo', [at('ws/pipe')]);
      const outcome = await call(name, { path: 'pipe', content: 'x', pattern: 'x' });
      expect(outcome.ok && !outcome.isError && name !== 'file_search').toBe(false);
    },
  );

  it('says so for folders, binary files and missing ones', async () => {
    put('ws/bin', Buffer.from([0xff, 0xfe, 0x00, 0x41]));
    mkdirSync(at('ws/dir'));
    expect(await call('file_read', { path: 'bin' })).toMatchObject({
      isError: true,
      text: '`bin` is not a text file in UTF-8',
    });
    expect(await call('file_read', { path: 'dir' })).toMatchObject({ isError: true });
    expect(await call('file_write', { path: 'dir', content: '' })).toMatchObject({ isError: true });
    expect(await call('file_read', { path: 'gone' })).toMatchObject({
      isError: true,
      text: 'there is no `gone`',
    });
  });

  it('refuses a file that is too large, without reading it whole', async () => {
    execFileSync('truncate', ['-s', '200M', at('ws/huge')]);
    expect(await call('file_read', { path: 'huge' })).toMatchObject({ kind: 'too_large' });
    expect(await call('file_write', { path: 'huge', content: '' })).toMatchObject({
      kind: 'too_large',
    });
    expect(statSync(at('ws/huge')).size).toBe(200 * 1024 * 1024);
  });

  it('runs nothing that was not authorized', async () => {
    put('ws/a.txt', 'a');
    expect(await run('file_read', { path: 'a.txt' }, [])).toMatchObject({ kind: 'protocol' });
    const { operands } = await inspect('file_read', { path: 'other.txt' });
    expect(await run('file_read', { path: 'a.txt' }, operands)).toMatchObject({ kind: 'protocol' });
  });
});

describe('given lists and searches', () => {
  beforeEach(() => {
    put('ws/a.md', 'alpha\nbeta\nalpha again');
    put('ws/sub/b.md', 'alpha');
    put('ws/.env', 'alpha SECRET');
    put('ws/sub/.env.local', 'alpha SECRET');
    put('out/c.md', 'alpha SECRET');
    symlinkSync(at('out'), at('ws/out'));
    symlinkSync(at('out/c.md'), at('ws/c.md'));
    symlinkSync(at('ws/a.md'), at('ws/z.md'));
  });

  it('leaves closed entries out and says how many', async () => {
    expect(text(await call('file_list', { path: '.' }))).toBe(
      'a.md\nsub/\nz.md\n[3 entries are not shown]',
    );
    expect(text(await call('file_list', { path: '.', recursive: true }))).toBe(
      'a.md\nsub/\nz.md\nsub/b.md\n[4 entries are not shown]',
    );
  });

  it('finds lines in what may be seen and nowhere else', async () => {
    const outcome = await call('file_search', { pattern: 'alpha' });
    expect(text(outcome)).toBe(
      [
        'a.md:1: alpha',
        'a.md:3: alpha again',
        'z.md:1: alpha',
        'z.md:3: alpha again',
        'sub/b.md:1: alpha',
        '[4 entries are not shown]',
      ].join('\n'),
    );
    expect(outcome.touched).toEqual(
      [at('ws/a.md'), at('ws/a.md'), at('ws/sub/b.md')].map((path) => ({
        kind: 'opened',
        path,
        access: 'read',
      })),
    );
  });

  it('takes the pattern literally, and one file as well', async () => {
    put('ws/a.md', 'x(a+)+$ y');
    expect(text(await call('file_search', { pattern: '(a+)+$', path: 'a.md' }))).toBe(
      'a.md:1: x(a+)+$ y',
    );
    expect(text(await call('file_search', { pattern: '.*', path: 'a.md' }))).toBe('[nothing]');
  });

  it('ends at a bound', async () => {
    put('ws/long.txt', 'hit\n'.repeat(2000));
    const found = text(await call('file_search', { pattern: 'hit' })).split('\n');
    expect(found.filter((l) => l.startsWith('long.txt:'))).toHaveLength(500);
    expect(found).toContain('[cut here; there is more]');
  });
});

describe('given secrets', () => {
  const token = `ghp_${'Zz9x'.repeat(9)}`;

  it('masks what is read, and hands it back to a tool that the policy names alone', async () => {
    put('ws/a.txt', `${token} value-of-key`);
    const read = await call('file_read', { path: 'a.txt' });
    expect(read).toMatchObject({ masked: 2 });
    const sealed = text(read);
    expect(sealed).toMatch(/^«sealed:[0-9a-f]{24}» «secret:KEY»$/);
    const args = { path: 'b.txt', content: sealed };
    const names = [...sealed.matchAll(/:([^»]+)»/g)].map((m) => m[1] ?? '');
    const { operands } = await inspect('file_write', args);
    await run('file_write', args, operands, names);
    expect(readFileSync(at('ws/b.txt'), 'utf8')).toBe(sealed);
    rmSync(at('ws/b.txt'));
    scope = scopeIn(snapshotOf(at('ws'), { secrets: { unseal: [['builtin:file_write']] } }));
    await run('file_write', args, operands, names);
    expect(readFileSync(at('ws/b.txt'), 'utf8')).toBe(`${token} value-of-key`);
  });

  it('puts no secret into a path', async () => {
    scope = scopeIn(snapshotOf(at('ws'), { secrets: { unseal: [['*']] } }));
    masker.mask('value-of-key', { formats: false, agent: 'writer' });
    const args = { path: '«secret:KEY»', content: 'x' };
    const { operands } = await inspect('file_write', args);
    expect(await run('file_write', args, operands, ['KEY'])).toMatchObject({ kind: 'protocol' });
    expect(existsSync(at('ws/value-of-key'))).toBe(false);
  });
});

describe('given the other tools', () => {
  it('tells the time in a zone, and says which zone it does not know', async () => {
    expect(text(await run('time_now', { timezone: 'Asia/Tokyo' }, []))).toBe(
      '2026-01-01T00:00:00.000Z (Asia/Tokyo: Thursday 2026-01-01 09:00:00 GMT+09:00)',
    );
    expect(await run('time_now', { timezone: 'Mars/Base' }, [])).toMatchObject({ isError: true });
  });

  it('ends a call at its deadline and at the caller’s wish', async () => {
    put('ws/a.txt', 'a');
    const { operands } = await inspect('file_search', { pattern: 'a' });
    const spec = specOf('file_search');
    const controller = new AbortController();
    controller.abort();
    expect(
      await tools.run(
        scope,
        startedTool(spec, { pattern: 'a' }, { operands: [...operands] }),
        controller.signal,
      ),
    ).toMatchObject({ kind: 'unavailable', message: 'the call was cancelled' });
  });
});
