import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import request from 'supertest';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startHarness, type Harness } from './server.fixture.ts';

let folder: string;
let daemon: Harness;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'lockstep-http-'));
  daemon = await startHarness(folder);
});
afterAll(async () => {
  await daemon.close();
  await rm(folder, { recursive: true, force: true });
});

const asked = (token: string, body: object) =>
  request(daemon.http).post('/v1/replays').set('authorization', `Bearer ${token}`).send(body);

describe('given a question that cannot be put to a recorded turn', () => {
  it('refuses who may not see content, and another config to who may not work on configs', async () => {
    const operator = await daemon.token(['operator']);
    expect((await asked(operator, { turn: 't1' })).status).toBe(403);
    const auditor = await daemon.token(['auditor']);
    const refused = await asked(auditor, { turn: 't1', config: { version: 1 } });
    expect(refused.status).toBe(403);
    expect(refused.body).toMatchObject({
      code: 'forbidden',
      detail: 'a replay under another config needs the role operator',
    });
  });

  it('says what is wrong with it, before it looks for the turn', async () => {
    const token = await daemon.token(['auditor', 'operator']);
    const answers = async (body: object) => {
      const { status, body: said } = await asked(token, { turn: 't1', ...body });
      const { code, detail } = said as { readonly code: string; readonly detail: string };
      return [status, code, detail];
    };
    expect(await answers({ trigger: 'rest' })).toEqual([
      400,
      'invalid_body',
      'a trigger is one of a path: name the path too',
    ]);
    expect(await answers({ path: 'loop', trigger: 'rest' })).toEqual([
      400,
      'invalid_body',
      'the path `loop` has no trigger `rest`',
    ]);
    expect(await answers({ config: { version: 99 } })).toEqual([
      404,
      'not_found',
      'there is no config version `99`',
    ]);
    expect(await answers({ path: 'gateway' })).toEqual([404, 'not_found', 'there is no turn `t1`']);
  });

  it('names every problem of a config that is none, with its place', async () => {
    const token = await daemon.token(['auditor', 'operator']);
    const refused = await asked(token, { turn: 't1', config: { text: 'agents = 3\n' } });
    expect(refused.status).toBe(400);
    expect(refused.body).toMatchObject({
      code: 'invalid_config',
      errors: expect.arrayContaining([
        expect.objectContaining({ path: 'agents', line: 1 }),
      ]) as unknown,
    });
  });
});
