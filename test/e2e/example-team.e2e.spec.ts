import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { startDaemon } from '@lockstep/daemon';
import { root } from '../support/sources.ts';

type Daemon = Awaited<ReturnType<typeof startDaemon>>;

const folder = join(root, 'examples', 'team');
let data: string;
let daemon: Daemon;
let token: string;

beforeAll(async () => {
  data = await mkdtemp(join(tmpdir(), 'lockstep-team-'));
  daemon = await startDaemon({
    config: join(folder, 'lockstep.toml'),
    data,
    port: 0,
    log: 'silent',
  });
  token = (JSON.parse(await readFile(join(data, 'local.json'), 'utf8')) as { token: string }).token;
});

afterAll(async () => {
  await daemon.close('the spec ended');
  await rm(data, { recursive: true, force: true });
});

const ask = async (path: string, body?: unknown): Promise<unknown> => {
  const response = await fetch(new URL(path, daemon.url), {
    method: body === undefined ? 'GET' : 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  expect(response.status).toBeLessThan(300);
  return response.json();
};

/** What a person would type to start each scenario of the script. */
const inputs = async (): Promise<string[]> => {
  const script = parse(await readFile(join(folder, 'scripts', 'team.yaml'), 'utf8')) as {
    scenarios: { when: string }[];
  };
  return script.scenarios.map(({ when }) => (when.startsWith('/') ? 'hello' : when));
};

describe('given every scenario of the example team, played by every agent on both paths', () => {
  it('leaves no gap in the matrix, neither wider nor narrower', async () => {
    for (const agent of ['researcher', 'reviewer', 'publisher'])
      for (const input of await inputs())
        for (const route of ['turns', 'runs'])
          await ask(`/v1/agents/${agent}/${route}`, { input, wait: true });
    const { rows } = (await ask('/v1/parity')) as {
      rows: { setting: string; cells: Record<string, { state: string; reason?: string }> }[];
    };
    const gaps = rows.flatMap(({ setting, cells }) =>
      Object.entries(cells).flatMap(([path, cell]) =>
        cell.state === 'gap' ? [`${setting} on ${path}: ${cell.reason ?? ''}`] : [],
      ),
    );
    expect(gaps).toEqual([]);
    const seen = rows.flatMap(({ cells }) => [cells['gateway']?.state, cells['loop']?.state]);
    expect(seen.filter((state) => state === 'enforced').length).toBeGreaterThan(4);
  }, 120_000);
});
