import { execFile } from 'node:child_process';
import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { snapshotOf } from '../../../../../test/support/policy-snapshot.ts';
import { rootsFactOf } from '../tools/roots-fact.ts';
import { confined, probeSandbox, type ConfinedCommand } from './bubblewrap.ts';
import { programPaths } from './program-paths.ts';
import { sandboxView } from './sandbox-view.ts';

let bwrap = '';
beforeAll(async () => {
  const state = await probeSandbox();
  if (!state.ok) throw new Error(state.reason);
  bwrap = state.bwrap;
});

const home = realpathSync(mkdtempSync(join(tmpdir(), 'sandbox-')));
const put = (path: string, text: string): string => {
  const at = join(home, path);
  mkdirSync(join(at, '..'), { recursive: true });
  writeFileSync(at, text);
  return at;
};
const at = (path: string): string => join(home, path);
put('ws/note.txt', 'note');
put('ws/.env', 'SECRET');
put('ws/deep/er/.env.local', 'SECRET');
put('ws/private/key', 'SECRET');
put('data/log.db', 'SECRET');
put('data/workspaces/reader/shared.txt', 'shared');
put('data/workspaces/reader/mine/x', 'SECRET');
put('data/workspaces/third/y', 'SECRET');
symlinkSync(at('data/log.db'), at('ws/link'));

const policy = snapshotOf(at('ws'), {
  workspace: {
    forbidden_paths: ['**/.env', '**/.env.*', '/etc', at('ws/private')],
    protected: [at('data'), at('data/workspaces/third')],
    protected_except: [at('data/workspaces')],
    access: { reader: 'read' },
    siblings: {
      reader: {
        root: at('data/workspaces/reader'),
        forbidden_paths: [at('data/workspaces/reader/mine')],
      },
      third: { root: at('data/workspaces/third'), forbidden_paths: [] },
    },
  },
});

const run = (
  script: string,
  change: Partial<ConfinedCommand> = {},
): Promise<{ code: number; out: string }> => {
  const seen = sandboxView(policy, rootsFactOf({ policy, narrowings: [] }));
  if (!seen.ok) throw new Error(seen.message);
  const spawn = confined(bwrap, seen.view, programPaths(), {
    command: 'sh',
    args: ['-c', script],
    cwd: at('ws'),
    base: home,
    network: false,
    hidden: [at('data')],
    env: {},
    beside: 'named_files',
    ...change,
  });
  return new Promise((done) => {
    const env = { ...spawn.env, USER: 'operator', LOGNAME: 'operator' };
    execFile(spawn.command, [...spawn.args], { env }, (error, stdout, stderr) => {
      done({ code: error === null ? 0 : Number(error.code), out: stdout + stderr });
    });
  });
};

describe('given a process in the sandbox of a workspace', () => {
  it('reads and writes in the root', async () => {
    expect(await run('cat note.txt; echo new > made.txt')).toEqual({ code: 0, out: 'note' });
    expect(readFileSync(at('ws/made.txt'), 'utf8')).toBe('new\n');
  });

  it.each([
    ['a forbidden file', 'cat .env'],
    ['a forbidden file deep below', 'cat deep/er/.env.local'],
    ['a forbidden folder', 'cat private/key'],
    ['the data folder', `cat ${at('data/log.db')}`],
    ['the data folder through a link', 'cat link'],
    ['a sibling without access', `cat ${at('data/workspaces/third/y')}`],
    ['what a readable sibling forbids', `cat ${at('data/workspaces/reader/mine/x')}`],
    ['the system’s accounts', 'cat /etc/passwd /etc/shadow'],
    ['other processes', 'cat /proc/[0-9]*/environ | tr "\\0" "\\n" | grep -a vitest; ls /proc/'],
  ])('sees nothing of %s', async (_, script) => {
    const { out } = await run(script);
    expect(out).not.toContain('SECRET');
    expect(out).not.toContain('root:');
    expect(out).not.toContain('vitest');
  });

  it('cannot replace what is masked', async () => {
    await run('echo x > .env; echo x > private/new; rm -f .env; mv private moved');
    expect(readFileSync(at('ws/.env'), 'utf8')).toBe('SECRET');
    expect(readFileSync(at('ws/private/key'), 'utf8')).toBe('SECRET');
  });

  it('reads a sibling with read access and cannot write there', async () => {
    const file = at('data/workspaces/reader/shared.txt');
    const { code, out } = await run(`cat ${file}; echo x > ${file}`);
    expect(out).toContain('shared');
    expect(code).not.toBe(0);
    expect(readFileSync(file, 'utf8')).toBe('shared');
  });

  it('has no variable but PATH, HOME and what config names', async () => {
    const { out } = await run('env | cut -d= -f1 | sort | tr "\\n" " "', { env: { TOKEN: 't' } });
    expect(out).toBe('HOME PATH PWD TOKEN ');
  });

  it('keeps values out of the command line', () => {
    const seen = sandboxView(policy, rootsFactOf({ policy, narrowings: [] }));
    if (!seen.ok) throw new Error(seen.message);
    const spawn = confined(bwrap, seen.view, programPaths(), {
      command: 'sh',
      args: [],
      cwd: at('ws'),
      base: home,
      network: false,
      hidden: [],
      env: { TOKEN: 'value-of-token' },
      beside: 'named_files',
    });
    expect(spawn.args.join(' ')).not.toContain('value-of-token');
    expect(spawn.env['TOKEN']).toBe('value-of-token');
  });

  it('has no network unless it is opened', async () => {
    const script = 'cat /proc/net/dev | tail -n +3 | cut -d: -f1 | tr -d " \\n"';
    expect((await run(script)).out).toBe('lo');
    const interfaces = readFileSync('/proc/net/dev', 'utf8').split('\n').slice(2, -1);
    const open = await run(script, { network: true });
    expect(open.out.length).toBeGreaterThanOrEqual(interfaces.length * 2);
  });

  it('runs node and the project’s own programs', async () => {
    const { code, out } = await run('node -p 1+1; command -v mcp-server-filesystem');
    expect(code).toBe(0);
    expect(out).toMatch(/^2\n\/.*node_modules\/\.bin\/mcp-server-filesystem\n$/);
  });

  it('sees a file that config names as its program, and not one that is hidden', async () => {
    const script = put('servers/hello.mjs', 'console.log("hello")');
    expect((await run('', { command: 'node', args: [script] })).out).toBe('hello\n');
    const hidden = await run('', { command: 'node', args: [script], hidden: [at('servers')] });
    expect(hidden.code).not.toBe(0);
  });

  it('sees no file that an agent names in a command line, and a folder put beside it read-only', async () => {
    const file = put('servers/other.txt', 'SECRET');
    const folder = put('skill/text.md', 'of the skill').replace('/text.md', '');
    const beside = [{ from: folder, at: '/skills/one' }];
    const named = await run('', { command: 'cat', args: [file, '/skills/one/text.md'], beside });
    expect(named.out).toContain('of the skill');
    expect(named.out).not.toContain('SECRET');
    const written = await run('echo x > /skills/one/text.md', { beside });
    expect(written.code).not.toBe(0);
    expect(readFileSync(join(folder, 'text.md'), 'utf8')).toBe('of the skill');
  });
});
