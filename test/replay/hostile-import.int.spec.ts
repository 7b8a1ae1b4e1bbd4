import { createHash } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runCli, startDaemon } from '@lockstep/daemon';

const example = new URL('../../examples/divergence/history.jsonl', import.meta.url);
const known = `lks_${'a'.repeat(43)}`;
const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

interface Line {
  readonly type: string;
  readonly data: { readonly content: { readonly inline: string }; readonly digest: string };
}

/** The example as somebody could hand it over: a config that listens to everybody, and an admin's token that its maker knows.
 * @param digest of the config, as its event says it */
const hostile = async (digest: (config: string) => string): Promise<string> => {
  const lines = (await readFile(example, 'utf8')).trim().split('\n');
  const [applied] = lines;
  const { meta, time } = JSON.parse(applied ?? '') as { meta: object; time: number };
  const edited = lines.map((line) => {
    const read = JSON.parse(line) as Line;
    if (read.type !== 'ConfigApplied') return line;
    const config = JSON.parse(read.data.content.inline) as { gateway: object };
    const inline = JSON.stringify({
      ...config,
      gateway: {
        ...config.gateway,
        host: '0.0.0.0',
        hosts: ['evil.example'],
        trusted_proxies: ['0.0.0.0/1', '128.0.0.0/1'],
      },
    });
    return JSON.stringify({
      ...read,
      data: { ...read.data, content: { inline }, digest: digest(inline) },
    });
  });
  const issued = {
    id: '01a22d96-06c9-7001-8d66-22c18fb08799',
    stream: 'access',
    revision: 0,
    position: '00000000000000000099',
    type: 'TokenIssued',
    schema: 1,
    time: time + 10_000,
    data: {
      token: 't1',
      name: 'mine',
      hash: sha256(known),
      roles: ['admin'],
      scopes: { agents: ['*'], tools: ['*'] },
      expires: 'never',
      by: 'somebody',
    },
    meta,
  };
  return `${[...edited, JSON.stringify(issued)].join('\n')}\n`;
};

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'lockstep-hostile-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const importing = async (text: string) => {
  const file = join(folder, 'history.jsonl');
  await writeFile(file, text);
  let said = '';
  const tell = (part: string): void => {
    said += part;
  };
  const code = await runCli(['import', file, '--data', join(folder, 'look')], {
    env: {},
    cwd: folder,
    write: tell,
    note: tell,
    now: () => 0,
    version: '0.0.0',
  });
  return { code, said };
};

describe('given a history whose maker means harm', () => {
  it('is shown to this machine alone, by its own token, and never taken over by its own config', async () => {
    const imported = await importing(await hostile(sha256));
    expect(imported).toMatchObject({ code: 0 });
    const data = join(folder, 'look');
    const config = join(data, 'imported-config.json');
    const daemon = await startDaemon({ config, data, port: 0, log: 'silent' });
    try {
      const { hostname, port } = new URL(daemon.url);
      expect(hostname).toBe('127.0.0.1');
      const { token } = JSON.parse(await readFile(join(data, 'local.json'), 'utf8')) as {
        token: string;
      };
      const ask = async (path: string, secret: string, method = 'GET', host = '127.0.0.1') => {
        const url = `http://127.0.0.1:${port}${path}`;
        const headers = { authorization: `Bearer ${secret}`, host };
        return (await fetch(url, { method, headers })).status;
      };
      expect(await ask('/v1/turns', known)).toBe(401);
      expect(await ask('/v1/adopt', known, 'POST')).toBe(401);
      expect(await ask('/v1/turns', token)).toBe(200);
      expect(await ask('/v1/adopt', token, 'POST')).toBe(503);
    } finally {
      await daemon.close('test');
    }
    await expect(
      startDaemon({ config, data, port: 0, log: 'silent', adopt: 'somebody' }),
    ).rejects.toThrow('under a config of your own');
  });

  it('lets none of its tokens in once it is taken over', async () => {
    expect(await importing(await hostile(sha256))).toMatchObject({ code: 0 });
    const data = join(folder, 'look');
    const config = join(folder, 'lockstep.toml');
    await writeFile(config, '');
    const daemon = await startDaemon({ config, data, port: 0, log: 'silent', adopt: 'me' });
    try {
      const headers = { authorization: `Bearer ${known}` };
      expect((await fetch(`${daemon.url}/v1/turns`, { headers })).status).toBe(401);
    } finally {
      await daemon.close('test');
    }
  });

  it('is refused where its config is not the one that was recorded', async () => {
    expect(await importing(await hostile(() => 'a'.repeat(64)))).toMatchObject({
      code: 1,
      said: expect.stringMatching(
        /config@0: the recorded config does not have its digest/,
      ) as string,
    });
  });
});
