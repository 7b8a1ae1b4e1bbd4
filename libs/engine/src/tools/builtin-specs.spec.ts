import { describe, expect, it } from 'vitest';
import { builtinTools } from '@lockstep/policy';
import { toolSpecSchema } from '../events/parts.ts';
import { sampleTool } from '../testing/index.ts';
import { builtinSpecs } from './builtin-specs.ts';
import { checkArguments } from './check-arguments.ts';
import { effectsOf, leastEffects } from './effects.ts';
import { specDigest } from './spec-digest.ts';

it('describes every built-in tool, and no other', () => {
  const known = builtinTools.map((tool) => tool.id);
  expect(builtinSpecs.map((spec) => spec.id)).toEqual(known.toSorted());
});

describe.each(builtinSpecs.map((spec) => [spec.alias, spec] as const))(
  'given %s',
  (_name, spec) => {
    it('is a well-formed spec with the digest of its own content', () => {
      expect(toolSpecSchema.parse(spec)).toEqual(spec);
      expect(spec.digest).toBe(specDigest(spec));
    });

    it('has the least effects that the policy knows it by', () => {
      const known = builtinTools.find((tool) => tool.id === spec.id);
      expect(leastEffects(spec)).toEqual(known?.effects);
    });

    it('refuses an argument that it does not know', () => {
      const args: Record<string, unknown> = Object.fromEntries(
        Object.entries(samples[spec.alias] ?? {}).concat([['approved', true]]),
      );
      expect(checkArguments(spec, samples[spec.alias])).toEqual({ ok: true });
      expect(checkArguments(spec, args)).toEqual({
        ok: false,
        kind: 'mismatch',
        message: 'the arguments must NOT have additional properties: `approved`',
      });
    });
  },
);

const samples: Readonly<Record<string, object>> = {
  ask_user: { question: 'Which?', choices: ['a', 'b'] },
  file_edit: { path: 'a', old_text: 'x', new_text: '' },
  file_list: { path: '.', recursive: true },
  file_read: { path: 'a', offset: 1, limit: 10 },
  file_search: { pattern: 'x', path: '.' },
  file_write: { path: 'a', content: '' },
  http_fetch: { url: 'https://api.example.com', method: 'POST', headers: { a: 'b' }, body: 'x' },
  time_now: { timezone: 'Europe/Berlin' },
  shell: { command: 'git status' },
  memory_store: { text: 'x', tags: ['a'] },
  memory_recall: { query: 'x', limit: 3 },
  memory_forget: { id: 'm1' },
  skill_read: { skill: 'writing' },
  delegate: { agent: 'reviewer', input: 'x', background: true },
  message_peer: { agent: 'reviewer', channel: 'webhook.support', text: 'x' },
  spawn: { input: 'x', tools: ['file_read'], background: false },
  cron_add: { name: 'daily', schedule: '0 7 * * *', prompt: 'x', timezone: 'UTC', tools: [] },
  cron_list: {},
  cron_remove: { name: 'daily' },
  sop_start: { name: 'release', input: 'x' },
};

it.each([
  ['file_read', {}],
  ['file_read', { path: '' }],
  ['file_read', { path: ['a'] }],
  ['file_read', { path: 'a', offset: 0 }],
  ['file_read', { path: 'a', limit: 1.5 }],
  ['file_edit', { path: 'a', old_text: '', new_text: 'x' }],
  ['http_fetch', { url: 'https://a.example.com', method: 'get' }],
  ['http_fetch', { url: 'https://a.example.com', method: 'CONNECT' }],
  ['ask_user', { question: 'Which?', choices: [] }],
  ['shell', { command: '' }],
  ['memory_store', { text: '' }],
  ['memory_recall', { query: 'x', limit: 0 }],
  ['delegate', { agent: 'reviewer' }],
  ['spawn', { input: 'x', tools: 'file_read' }],
  ['cron_add', { name: 'daily', schedule: '0 7 * * *' }],
  ['sop_start', { input: 'x' }],
  ['time_now', []],
  ['time_now', null],
])('refuses %s with %j', (name, args) => {
  expect(checkArguments(sampleTool(name), args).ok).toBe(false);
});

describe('given an address to fetch', () => {
  const fetch = sampleTool('http_fetch');
  it.each([
    [{}, ['network']],
    [{ method: 'GET' }, ['network']],
    [{ method: 'HEAD' }, ['network']],
    [{ method: 'POST' }, ['write', 'network']],
    [{ method: 'DELETE' }, ['write', 'network']],
    [{ method: 7 }, ['write', 'network']],
  ])('has the effects of %j', (args, effects) => {
    expect(effectsOf(fetch, args)).toEqual(effects);
  });
});
