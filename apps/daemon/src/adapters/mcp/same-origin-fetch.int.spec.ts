import { describe, expect, it } from 'vitest';
import { startScriptedServer } from '../../../../../test/support/http-script.ts';
import { sameOriginFetch } from './same-origin-fetch.ts';

describe('a server that redirects', () => {
  it('is followed inside its origin, and never with the headers of config to another', async () => {
    // Given a server that moves `/mcp` inside itself and everything else to another
    const other = await startScriptedServer((_, response) => response.end('elsewhere'));
    const server = await startScriptedServer((seen, response) => {
      if (seen.path === '/mcp/') response.end('here');
      else
        response
          .writeHead(307, { location: seen.path === '/mcp' ? '/mcp/' : `${other.url}/mcp` })
          .end();
    });
    const init = { method: 'POST', headers: { 'x-api-key': 'canary' }, body: '{}' };
    // When it is called
    const inside = await sameOriginFetch(`${server.url}/mcp`, init);
    const outside = await sameOriginFetch(`${server.url}/out`, init);
    // Then the other one hears nothing
    expect([inside.status, await inside.text(), outside.status]).toEqual([200, 'here', 307]);
    expect(server.requests.map((seen) => [seen.path, seen.headers['x-api-key']])).toEqual([
      ['/mcp', 'canary'],
      ['/mcp/', 'canary'],
      ['/out', 'canary'],
    ]);
    expect(other.requests).toEqual([]);
    await server.close();
    await other.close();
  });
});
