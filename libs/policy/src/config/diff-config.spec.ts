import { describe, expect, it } from 'vitest';
import { configSchema, type Config } from './config.schema.ts';
import { diffConfigs } from './diff-config.ts';

const config = (value: object): Config => configSchema.parse(value);

describe('what changed between two configs', () => {
  const before = config({
    agents: { a: { autonomy: 'full', tools: { allowed: ['file_*'] } }, b: {} },
    gateway: { port: 1 },
  });

  it('is nothing between equal ones', () => {
    expect(diffConfigs(before, structuredClone(before))).toEqual([]);
  });

  it('is named by key, a list as a whole, a new or removed table as one change', () => {
    const after = config({
      agents: {
        a: { tools: { allowed: ['file_*', 'time_now'] } },
        c: { provider: 'local' },
      },
      gateway: { port: 2 },
    });
    expect(diffConfigs(before, after)).toEqual([
      { path: 'agents.a.autonomy', before: '"full"', after: null },
      {
        path: 'agents.a.tools.allowed',
        before: '["file_*"]',
        after: '["file_*","time_now"]',
      },
      { path: 'agents.b', before: '{"enabled":true}', after: null },
      { path: 'agents.c', before: null, after: '{"enabled":true,"provider":"local"}' },
      { path: 'gateway.port', before: '1', after: '2' },
    ]);
  });

  it('is every section that holds something when there was none before', () => {
    expect(diffConfigs(null, config({ agents: { a: {} } })).map(({ path }) => path)).toEqual([
      'agents',
      'channels',
      'gateway',
      'mcp',
      'store',
    ]);
  });

  it('stays short: a long value is its digest, and many changes are told by table', () => {
    const long = config({
      agents: { a: { tools: { allowed: ['x'.repeat(500), 'y'.repeat(500)] } } },
    });
    const longer = config({
      agents: { a: { tools: { allowed: Array.from({ length: 9 }, () => 'z'.repeat(500)) } } },
    });
    expect(diffConfigs(long, longer)).toEqual([
      {
        path: 'agents.a.tools.allowed',
        before: JSON.stringify(['x'.repeat(500), 'y'.repeat(500)]),
        after: expect.stringMatching(/^\{"chars":4528,"digest":"[0-9a-f]{64}"\}$/) as unknown,
      },
    ]);
    const many = (autonomy: string) =>
      config({
        agents: Object.fromEntries(
          Array.from({ length: 2000 }, (_, index) => [`a${index}`, { autonomy }]),
        ),
      });
    const changes = diffConfigs(many('full'), many('read_only'));
    expect(changes.map(({ path }) => path)).toEqual(['agents']);
    expect(JSON.stringify(changes).length).toBeLessThan(64_000);
  });
});
