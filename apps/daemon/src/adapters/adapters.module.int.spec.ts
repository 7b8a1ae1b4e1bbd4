import { mkdirSync, mkdtempSync, realpathSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import 'reflect-metadata';
import { NestApplicationContextOptions } from '@nestjs/common/interfaces/nest-application-context-options.interface.js';
import { NestFactory } from '@nestjs/core';
import type { ToolPort, ToolScope } from '@lockstep/engine';
import { fixedClock, memoryStore } from '@lockstep/engine/testing';
import { configSchema, digestOf, type AppliedConfig } from '@lockstep/policy';
import { describe, expect, it } from 'vitest';
import { snapshotOf } from '../../../../test/support/policy-snapshot.ts';
import { startedModel } from '../../../../test/support/started-calls.ts';
import {
  ARTIFACTS,
  CURRENT_CONFIG,
  DAEMON_IDENTITY,
  EVENT_STORE,
  MASKER,
  MODELS,
  TOOLS,
  type CurrentConfig,
  type Tokens,
} from '../tokens.ts';
import { AdaptersModule } from './adapters.module.ts';

const home = realpathSync(mkdtempSync(join(tmpdir(), 'adapters-')));
mkdirSync(join(home, 'data'));
mkdirSync(join(home, 'ws'));
writeFileSync(join(home, 'play.yaml'), 'default: [{ say: hello }]\n');

const configOf = (script: string): AppliedConfig['config'] =>
  configSchema.parse({
    providers: {
      local: { type: 'scripted', script },
      cloud: {
        type: 'openai_compatible',
        base_url: 'http://127.0.0.1:1/v1',
        model: 'm',
        api_key: { env: 'LLM_KEY' },
      },
    },
    mcp: {
      servers: {
        odd: {
          transport: 'stdio',
          command: 'node',
          args: [join(import.meta.dirname, '../../../../test/support/mcp-server.mjs')],
          expose: ['mixed', 'fail'],
        },
      },
    },
  });
const applied = (version: number, script: string): AppliedConfig => ({
  version,
  digest: 'a'.repeat(64),
  config: configOf(script),
  host: { home, base: home, data: join(home, 'data'), config: join(home, 'x.toml'), program: [] },
});
const versions = [applied(1, 'play.yaml'), applied(2, 'other.yaml')];
const config: CurrentConfig = {
  current: () => versions[1]!,
  version: (n) => versions[n - 1] ?? null,
  onApplied: () => () => undefined,
};
const { store, artifacts } = memoryStore({ daemon: 'daemon', clock: fixedClock() });
const identity = { id: 'daemon', build: 'test' };

class Around {
  readonly is = 'what stands around the module';
}
class Root {
  readonly is = 'the whole';
}

const start = async () => {
  const around = {
    module: Around,
    global: true,
    providers: [
      { provide: CURRENT_CONFIG, useValue: config },
      { provide: EVENT_STORE, useValue: store },
      { provide: ARTIFACTS, useValue: artifacts },
      { provide: DAEMON_IDENTITY, useValue: identity },
    ],
    exports: [CURRENT_CONFIG, EVENT_STORE, ARTIFACTS, DAEMON_IDENTITY],
  };
  const root = {
    module: Root,
    imports: [around, AdaptersModule.forEnvironment({ LLM_KEY: 'value-of-key' })],
  };
  return NestFactory.createApplicationContext(
    root,
    Object.assign(new NestApplicationContextOptions(), { logger: false as const }),
  );
};

const scopeOf = (digest: string): ToolScope => ({
  agent: 'writer',
  principal: { kind: 'local', id: 'local', person: null },
  session: 'session-writer-1',
  turn: 't',
  policyDigest: '0'.repeat(64),
  narrowings: [],
  policy: snapshotOf(join(home, 'ws'), {
    mcp: {
      expose: { odd: [['mixed', 'fail']] },
      run: { odd: 'sandboxed' },
      share: { odd: 'session' },
      servers: { odd: { transport: 'stdio', digest, network: false } },
    },
  }),
});

describe('given the module of a daemon', () => {
  it('gives every port, and records what a server lists before it is used', async () => {
    const app = await start();
    const tools = app.get<ToolPort>(TOOLS);
    const { tools: listed, problems } = await tools.list(
      scopeOf(digestOf(versions[1]!.config.mcp.servers['odd'])),
    );
    expect(problems).toEqual([]);
    const ids = listed.map((t) => t.id).filter((id) => id.startsWith('mcp:'));
    expect(ids).toEqual(['mcp:odd/fail', 'mcp:odd/mixed']);
    const [event] = await store.readStream('agent-writer');
    expect(event?.type).toBe('ToolsListed');
    expect(event?.data).toMatchObject({ server: 'odd', names: ids, hidden: 7 });
    await app.close();
  });

  it('masks the secrets of the config from the start', async () => {
    const app = await start();
    const masker = app.get<Tokens['MASKER']>(MASKER);
    expect(masker.mask('a value-of-key b', { formats: false })).toEqual({
      text: 'a «secret:LLM_KEY» b',
      masked: 1,
    });
    await app.close();
  });

  it('keeps the provider of an older config within reach of a turn that began with it', async () => {
    const app = await start();
    const models = app.get<Tokens['MODELS']>(MODELS);
    const old = models.for('local', digestOf(versions[0]!.config.providers['local']));
    const input = { system: '', tools: [], messages: [{ role: 'user' as const, text: 'x' }] };
    const options = { signal: new AbortController().signal, onDelta: null };
    expect(await old.call(startedModel(input), options)).toMatchObject({ ok: true, text: 'hello' });
    await app.close();
  });
});
