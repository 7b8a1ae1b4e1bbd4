import { builtinSpecs, type Operand, type ToolScope, type Touched } from '@lockstep/engine';
import { fixedClock } from '@lockstep/engine/testing';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { ServerResponse } from 'node:http';
import {
  startScriptedServer,
  type ScriptedServer,
} from '../../../../../test/support/http-script.ts';
import { snapshotOf } from '../../../../../test/support/policy-snapshot.ts';
import { startedTool } from '../../../../../test/support/started-calls.ts';
import { builtinTools } from './builtin-tools.ts';

const spec = builtinSpecs.find((s) => s.id === 'builtin:http_fetch')!;
const scope: ToolScope = {
  agent: 'writer',
  principal: { kind: 'local', id: 'local', person: null },
  session: 's',
  turn: 't',
  policyDigest: '0'.repeat(64),
  narrowings: [],
  policy: snapshotOf('/nowhere', { network: { allowed_hosts: [['*']] } }),
};
const resolved: string[] = [];
const tools = builtinTools({
  clock: fixedClock(),
  resolver: (host) => {
    resolved.push(host);
    return Promise.resolve(['127.0.0.1']);
  },
});

let server: ScriptedServer;
afterEach(() => server.close());

const serve = async (answer: (response: ServerResponse) => void): Promise<number> => {
  server = await startScriptedServer((_, response) => {
    answer(response);
  });
  return Number(new URL(server.url).port);
};

const fetchTool = async (
  args: Record<string, unknown>,
  change: { operands?: Operand[]; signal?: AbortSignal } = {},
) => {
  const { operands } = await tools.inspect(scope, spec, args, 'c1');
  const touched: Touched[] = [];
  const started = startedTool(spec, args, { operands: change.operands ?? [...operands] });
  const signal = change.signal ?? new AbortController().signal;
  return tools.run(scope, started, args, { signal, touched });
};

describe('given a server', () => {
  it('connects to the judged address under the name, and says where it was', async () => {
    const port = await serve((r) => r.setHeader('content-type', 'text/plain').end('hello'));
    const url = `http://judged.test:${port}/path?q=1`;
    expect(await fetchTool({ url, headers: { 'X-One': '1' } })).toEqual({
      ok: true,
      text: 'HTTP 200 OK\ncontent-type: text/plain\n\nhello',
      isError: false,
      masked: 0,
      touched: [
        { kind: 'connected', host: 'judged.test', port, address: '127.0.0.1', scheme: 'http' },
      ],
    });
    expect(server.requests[0]?.headers).toMatchObject({
      host: `judged.test:${port}`,
      'x-one': '1',
    });
    expect(server.requests[0]?.path).toBe('/path?q=1');
  });

  it('asks for the name once, at the verdict', async () => {
    const port = await serve((r) => r.end());
    resolved.length = 0;
    await fetchTool({ url: `http://once.test:${port}/` });
    expect(resolved).toEqual(['once.test']);
  });

  it('returns a redirect instead of following it', async () => {
    const port = await serve((r) => r.writeHead(302, { location: 'http://10.0.0.1/x' }).end());
    expect(await fetchTool({ url: `http://a.test:${port}/` })).toMatchObject({
      ok: true,
      text: 'HTTP 302 Found\nlocation: http://10.0.0.1/x\n\n',
    });
    expect(server.requests).toHaveLength(1);
  });

  it('ignores proxies of the environment', async () => {
    const port = await serve((r) => r.end('direct'));
    for (const name of ['http_proxy', 'HTTP_PROXY', 'ALL_PROXY'])
      vi.stubEnv(name, 'http://127.0.0.1:1');
    vi.stubEnv('NODE_USE_ENV_PROXY', '1');
    const outcome = await fetchTool({ url: `http://a.test:${port}/` });
    vi.unstubAllEnvs();
    expect(outcome).toMatchObject({ ok: true, text: 'HTTP 200 OK\n\ndirect' });
  });

  it('cuts a body at its limit', async () => {
    const port = await serve((r) => r.end('x'.repeat(3 * 1024 * 1024)));
    const outcome = await fetchTool({ url: `http://a.test:${port}/` });
    expect(outcome.ok && outcome.text.length).toBeLessThan(2 * 1024 * 1024 + 100);
    expect(outcome.ok && outcome.text.endsWith('[cut after 2097152 bytes]')).toBe(true);
  });

  it('names bytes that are no text', async () => {
    const port = await serve((r) => r.end(Buffer.alloc(100, 0xff)));
    expect(await fetchTool({ url: `http://a.test:${port}/` })).toMatchObject({
      text: 'HTTP 200 OK\n\n[100 bytes that are no text]',
    });
  });

  it('knows that nothing is known of a sent request whose answer broke off', async () => {
    const port = await serve((r) => r.destroy());
    const url = `http://a.test:${port}/`;
    expect(await fetchTool({ url })).toMatchObject({ ok: false, kind: 'io' });
    expect(await fetchTool({ url, method: 'POST', body: '{}' })).toMatchObject({
      ok: false,
      kind: 'unknown',
    });
  });

  it('ends with the signal', async () => {
    const port = await serve(() => undefined);
    const controller = new AbortController();
    const outcome = fetchTool({ url: `http://a.test:${port}/` }, { signal: controller.signal });
    await server.arrived(1);
    controller.abort();
    expect(await outcome).toMatchObject({ ok: false, kind: 'unavailable' });
  });

  it.each([
    ['a header of the connection', { headers: { Host: 'other.test' } }],
    ['a line break in a header', { headers: { 'X-A': 'a\r\nX-B: b' } }],
    ['a body with GET', { body: 'x' }],
  ])('refuses %s', async (_, args) => {
    const port = await serve((r) => r.end());
    expect(await fetchTool({ url: `http://a.test:${port}/`, ...args })).toMatchObject({
      isError: true,
    });
    expect(server.requests).toEqual([]);
  });

  it('goes nowhere else than to the host that was judged', async () => {
    const port = await serve((r) => r.end());
    const judged = await tools.inspect(scope, spec, { url: `http://judged.test:${port}/` }, 'c1');
    const outcome = await fetchTool(
      { url: `http://other.test:${port}/` },
      { operands: [...judged.operands] },
    );
    expect(outcome).toMatchObject({ ok: false, kind: 'protocol' });
    expect(server.requests).toEqual([]);
  });
});
