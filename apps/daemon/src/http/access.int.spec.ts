import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import request from 'supertest';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { config, startHarness, type Harness } from './server.fixture.ts';

let folder: string;
let daemon: Harness;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'lockstep-http-'));
  daemon = await startHarness(folder);
});
afterEach(async () => {
  await daemon.close();
  await rm(folder, { recursive: true, force: true });
});

const bearer = (token: string): Record<string, string> => ({ authorization: `Bearer ${token}` });
const code = (answer: { readonly body: unknown }): unknown =>
  (answer.body as { readonly code?: unknown }).code;

describe('given a request that cannot be served', () => {
  it('answers an unknown address with a problem document', async () => {
    const answer = await request(daemon.http).get('/v1/nothing').set(bearer(daemon.local));
    expect(answer.status).toBe(404);
    expect(answer.headers['content-type']).toBe('application/problem+json; charset=utf-8');
    expect(answer.body).toEqual({
      type: 'urn:lockstep:problem:not_found',
      title: 'there is no such thing',
      status: 404,
      detail: 'there is nothing at this address: see `/docs` for what there is',
      code: 'not_found',
    });
  });

  it('names each field that misses its schema', async () => {
    const answer = await request(daemon.http)
      .post('/v1/agents/alpha/turns')
      .set(bearer(daemon.local))
      .send({ input: '', wait: 'yes', extra: 1 });
    expect([answer.status, code(answer)]).toEqual([400, 'invalid_body']);
    const { errors } = answer.body as { errors: { path: string }[] };
    expect(errors.map(({ path }) => path).sort()).toEqual(['', 'input', 'wait']);
  });

  it('refuses text that has no UTF-8 form', async () => {
    const answer = await request(daemon.http)
      .post('/v1/agents/alpha/turns')
      .set({ ...bearer(daemon.local), 'content-type': 'application/json' })
      .send('{"input":"\\ud800"}');
    expect([answer.status, code(answer)]).toEqual([400, 'invalid_body']);
  });

  it('refuses broken JSON, another form, and a body that is too large', async () => {
    const post = (type: string, body: string) =>
      request(daemon.http)
        .post('/v1/agents/alpha/turns')
        .set({ ...bearer(daemon.local), 'content-type': type })
        .send(body);
    const broken = await post('application/json', '{"input": ');
    const form = await post('application/x-www-form-urlencoded', 'input=hello');
    const plain = await post('text/plain', 'hello');
    const large = await post('application/json', JSON.stringify({ input: 'x'.repeat(5000) }));
    expect([broken, form, plain, large].map((a) => [a.status, code(a)])).toEqual([
      [400, 'invalid_body'],
      [415, 'unsupported_media_type'],
      [415, 'unsupported_media_type'],
      [413, 'too_large'],
    ]);
  });

  it('refuses a broken address without falling over', async () => {
    const answer = await request(daemon.http).get('/v1/turns/%E0%A4%A').set(bearer(daemon.local));
    expect([answer.status, code(answer)]).toEqual([400, 'invalid_body']);
  });

  it('tells nothing of an agent that is not available', async () => {
    const ask = (alias: string) =>
      request(daemon.http).get(`/v1/agents/${alias}/policy`).set(bearer(daemon.local));
    const [unknown, disabled] = [await ask('nobody'), await ask('beta')];
    expect([unknown.status, disabled.status]).toEqual([404, 404]);
    const words = (a: { body: unknown }): string =>
      JSON.stringify(a.body).replace(/nobody|beta/g, 'X');
    expect(words(disabled)).toBe(words(unknown));
    expect(code(unknown)).toBe('agent_unavailable');
  });
});

describe('given a log that takes no writes', () => {
  it('answers 503 and changes nothing', async () => {
    daemon.stopLog();
    const answer = await request(daemon.http)
      .post('/v1/agents/alpha/pause')
      .set(bearer(daemon.local))
      .send({ why: 'a test' });
    expect([answer.status, code(answer)]).toEqual([503, 'disk_full']);
    expect(daemon.ledger.flags('alpha').paused).toBe(false);
    await request(daemon.http).get('/v1/agents').set(bearer(daemon.local)).expect(200);
    await request(daemon.http).get('/v1/agents').expect(401);
  });
});

describe('given a token', () => {
  it('keeps its hash alone, and shows its text once', async () => {
    const issued = await request(daemon.http)
      .post('/v1/tokens')
      .set(bearer(daemon.local))
      .send({ name: 'ci', roles: ['viewer'] })
      .expect(201);
    const { token } = issued.body as { token: string };
    expect(token).toMatch(/^lks_[A-Za-z0-9_-]{43}$/);
    const listed = await request(daemon.http).get('/v1/tokens').set(bearer(daemon.local));
    expect(JSON.stringify(listed.body)).not.toContain(token);
    expect(JSON.stringify(daemon.events('TokenIssued'))).not.toContain(token);
    const taken = await request(daemon.http)
      .post('/v1/tokens')
      .set(bearer(daemon.local))
      .send({ name: 'ci', roles: ['viewer'] });
    expect([taken.status, code(taken)]).toEqual([409, 'name_taken']);
  });

  it('ends with its time and with its revocation', async () => {
    const issue = await request(daemon.http)
      .post('/v1/tokens')
      .set(bearer(daemon.local))
      .send({ name: 'brief', roles: ['viewer'], expiresInDays: 1 });
    const { id, token } = issue.body as { id: string; token: string };
    const status = async (): Promise<number> =>
      (await request(daemon.http).get('/v1/agents').set(bearer(token))).status;
    expect(await status()).toBe(200);
    daemon.clock.advance(86_400_000);
    expect(await status()).toBe(401);
    daemon.clock.advance(-86_400_000);
    expect(await status()).toBe(200);
    await request(daemon.http).delete(`/v1/tokens/${id}`).set(bearer(daemon.local)).expect(204);
    expect(await status()).toBe(401);
  });

  it('shows the agents in its scope alone', async () => {
    const token = await daemon.token(['admin'], ['be*']);
    const list = await request(daemon.http).get('/v1/agents').set(bearer(token));
    const { items } = list.body as { items: { alias: string }[] };
    expect(items.map(({ alias }) => alias)).toEqual(['beta']);
    const paused = await request(daemon.http)
      .post('/v1/agents/alpha/pause')
      .set(bearer(token))
      .send({ why: 'a test' });
    expect([paused.status, code(paused)]).toEqual([403, 'forbidden']);
    expect(daemon.events('AgentPaused')).toEqual([]);
  });

  it('of a person acts with the roles that both hold', async () => {
    await daemon.close();
    daemon = await startHarness(
      folder,
      `${config}\n[people.ana]\nidentities = ["token:t1"]\nroles = ["approver"]\n`,
    );
    const token = await daemon.token(['operator', 'approver']);
    const who = await request(daemon.http).get('/v1/session').set(bearer(token));
    expect(who.body).toMatchObject({ person: 'ana', roles: ['viewer', 'approver'] });
    const pause = await request(daemon.http)
      .post('/v1/agents/alpha/pause')
      .set(bearer(token))
      .send({ why: 'a test' });
    expect(pause.status).toBe(403);
  });

  it('leaves an event where it is denied; denials of nobody are counted, one event a minute', async () => {
    const token = await daemon.token(['viewer']);
    await request(daemon.http).get('/v1/tokens').set(bearer(token)).expect(403);
    for (let n = 0; n < 3; n += 1) await request(daemon.http).get('/v1/agents').expect(401);
    const told = (): unknown[] =>
      daemon.events('AccessDenied').map((event) => {
        const data = event.data as { action: string; count: number; principal: string | null };
        return [data.action, data.count, data.principal === null];
      });
    expect(told()).toEqual([
      ['GET /v1/tokens', 1, false],
      ['GET /v1/agents', 1, true],
    ]);
    daemon.clock.advance(60_000);
    await request(daemon.http).get('/v1/agents').expect(401);
    expect(told().at(-1)).toEqual(['GET /v1/agents', 3, true]);
  });
});

describe('given a page of another origin', () => {
  it('refuses a host name that was pointed here, and a foreign origin', async () => {
    const rebound = await request(daemon.http)
      .get('/v1/agents')
      .set({ ...bearer(daemon.local), host: 'evil.example' });
    const foreign = await request(daemon.http)
      .get('/v1/agents')
      .set({ ...bearer(daemon.local), origin: 'https://evil.example' });
    const ours = await request(daemon.http)
      .get('/v1/agents')
      .set({ ...bearer(daemon.local), origin: 'http://localhost:7421' });
    expect([rebound.status, foreign.status, ours.status]).toEqual([403, 403, 200]);
  });
});

describe('given a caller who asks too often', () => {
  it('answers 429 with the wait, and lets others through', async () => {
    await daemon.close();
    daemon = await startHarness(folder, config.replace('max_body_kb = 4', 'rate_per_minute = 2'));
    const token = await daemon.token(['viewer']);
    const ask = () => request(daemon.http).get('/v1/agents').set(bearer(token));
    expect([(await ask()).status, (await ask()).status]).toEqual([200, 200]);
    const late = await ask();
    expect([late.status, code(late), late.headers['retry-after']]).toEqual([
      429,
      'rate_limited',
      '30',
    ]);
    await request(daemon.http).get('/v1/agents').set(bearer(daemon.local)).expect(200);
    daemon.clock.advance(30_000);
    expect((await ask()).status).toBe(200);
  });
});

describe('given a sign-in link', () => {
  const signIn = (body: object) => request(daemon.http).post('/v1/session').send(body);

  it('opens one session, once, and not after ten minutes', async () => {
    const { code: link } = daemon.sessions.createLink(daemon.localId);
    const first = await signIn({ link });
    expect(first.status).toBe(200);
    expect(first.body).toMatchObject({ principal: 'local', via: 'cookie' });
    const [cookie] = first.get('Set-Cookie') ?? [];
    expect(cookie).toMatch(
      /^lockstep_session=[A-Za-z0-9_-]{43}; Path=\/; HttpOnly; SameSite=Strict; Max-Age=43200$/,
    );
    expect((await signIn({ link })).status).toBe(401);
    const late = daemon.sessions.createLink(daemon.localId).code;
    daemon.clock.advance(600_000);
    expect((await signIn({ link: late })).status).toBe(401);
    expect(daemon.events('SignedIn').map(({ data }) => data)).toEqual([
      { principal: 'local', how: 'link', from: '127.0.0.1' },
    ]);
  });

  it('changes something only with the session’s own CSRF value', async () => {
    const { code: link } = daemon.sessions.createLink(daemon.localId);
    const answer = await signIn({ link });
    const cookie = (answer.get('Set-Cookie') ?? [''])[0]?.split(';')[0] ?? '';
    const { csrf } = answer.body as { csrf: string };
    const pause = (headers: Record<string, string>) =>
      request(daemon.http)
        .post('/v1/agents/alpha/pause')
        .set({ cookie, ...headers })
        .send({ why: 'a test' });
    expect((await pause({})).status).toBe(403);
    expect((await pause({ 'lockstep-csrf': 'guess' })).status).toBe(403);
    expect(daemon.events('AgentPaused')).toEqual([]);
    expect((await pause({ 'lockstep-csrf': csrf })).status).toBe(200);
    const current = await request(daemon.http).get('/v1/session').set({ cookie });
    expect(current.body).toMatchObject({ csrf, via: 'cookie' });
    await request(daemon.http)
      .delete('/v1/session')
      .set({ cookie, 'lockstep-csrf': csrf })
      .expect(204);
    await request(daemon.http).get('/v1/session').set({ cookie }).expect(401);
  });

  it('ends the session of a token with the token', async () => {
    const issued = await request(daemon.http)
      .post('/v1/tokens')
      .set(bearer(daemon.local))
      .send({ name: 'ana', roles: ['auditor'] });
    const { id, token } = issued.body as { id: string; token: string };
    const answer = await signIn({ token });
    const cookie = (answer.get('Set-Cookie') ?? [''])[0]?.split(';')[0] ?? '';
    await request(daemon.http).get('/v1/session').set({ cookie }).expect(200);
    await request(daemon.http).delete(`/v1/tokens/${id}`).set(bearer(daemon.local)).expect(204);
    await request(daemon.http).get('/v1/session').set({ cookie }).expect(401);
  });
});

describe('given the config', () => {
  const text = (): Promise<string> => readFile(join(folder, 'lockstep.toml'), 'utf8');

  it('is replaced only by who saw the one in force', async () => {
    const view = await request(daemon.http).get('/v1/config').set(bearer(daemon.local));
    const etag = String(view.headers['etag']);
    const changed = (await text()).replace('max_tool_iterations = 6', 'max_tool_iterations = 9');
    const put = (headers: Record<string, string>, body: string) =>
      request(daemon.http)
        .put('/v1/config')
        .set({ ...bearer(daemon.local), ...headers })
        .send({ text: body });
    const bare = await put({}, changed);
    expect([bare.status, code(bare)]).toEqual([428, 'precondition_required']);
    const done = await put({ 'if-match': etag }, changed);
    expect([done.status, (done.body as { version: number }).version]).toEqual([200, 2]);
    expect(await text()).toBe(changed);
    const stale = await put({ 'if-match': etag }, config);
    expect([stale.status, code(stale)]).toEqual([412, 'config_changed']);
    const version = await request(daemon.http)
      .get('/v1/config/versions/2')
      .set(bearer(daemon.local));
    expect(version.body).toMatchObject({
      by: 'local',
      diff: [
        { path: 'runtime_profiles.short.budgets.max_tool_iterations', before: '6', after: '9' },
      ],
      widens: ['agents.alpha.budgets.max_tool_iterations'],
    });
  });

  it('is kept when the new one has a problem, and the rejection is an event', async () => {
    const before = await text();
    const { digest } = daemon.config.current();
    const answer = await request(daemon.http)
      .put('/v1/config')
      .set({ ...bearer(daemon.local), 'if-match': `"${digest}"` })
      .send({ text: before.replace('"careful"', '"carefull"') });
    expect([answer.status, code(answer)]).toEqual([400, 'invalid_config']);
    const { errors } = answer.body as { errors: { path: string; line: number }[] };
    expect(errors.map(({ path, line }) => [path, line])).toEqual([
      ['agents.alpha.risk_profile', 4],
    ]);
    expect(await text()).toBe(before);
    expect(daemon.config.current().digest).toBe(digest);
    expect(daemon.events('ConfigRejected').map(({ data }) => data)).toMatchObject([
      { by: 'local', problems: [{ path: 'agents.alpha.risk_profile', line: 4 }] },
    ]);
  });

  it('is judged with all problems and without coming into force', async () => {
    const answer = await request(daemon.http)
      .post('/v1/config/check')
      .set(bearer(daemon.local))
      .send({ text: '[agents.alpha]\nprovider = "none"\nrisk_profile = "none"\n' });
    expect(answer.body).toMatchObject({
      ok: false,
      digest: null,
      problems: [
        { path: 'agents.alpha.provider', line: 2 },
        { path: 'agents.alpha.risk_profile', line: 3 },
      ],
    });
    expect(daemon.config.current().version).toBe(1);
  });

  it('takes up an edit of the file, and keeps the one before when the edit is broken', async () => {
    const file = join(folder, 'lockstep.toml');
    await writeFile(file, (await text()).replace('supervised', 'full'));
    await daemon.config.reload();
    expect(daemon.config.current().version).toBe(2);
    await writeFile(file, 'agents = ');
    await daemon.config.reload();
    expect(daemon.config.current().version).toBe(2);
    expect(daemon.events('ConfigRejected').length).toBe(1);
    expect(daemon.config.version(1)?.config.risk_profiles['careful']?.autonomy).toBe('supervised');
  });
});
