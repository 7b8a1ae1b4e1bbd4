import 'reflect-metadata';
import { Logger, Module, type DynamicModule, type Provider } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { builtinSpecs, type ModelPort } from '@lockstep/engine';
import {
  fakeMemory,
  fakeModel,
  fakeTools,
  fixedClock,
  memoryStore,
  plainMasker,
  sequentialIds,
} from '@lockstep/engine/testing';
import { configSchema, digestOf, type AppliedConfig } from '@lockstep/policy';
import { expect, it } from 'vitest';
import { SkillLibrary } from '../adapters/skills/skill-library.ts';
import * as tokens from '../tokens.ts';
import { ALARMS, timerAlarms } from './alarms.ts';
import { TURN_PROBLEMS, TurnsModule } from './turns.module.ts';
import { TurnsService } from './turns.service.ts';

const Ports = class {
  readonly name = 'ports';
};
Module({})(Ports);

const applied = (): AppliedConfig => {
  const config = configSchema.parse({
    providers: { local: { type: 'scripted', script: 'a.yaml', prices: 'free' } },
    risk_profiles: { careful: {} },
    runtime_profiles: { short: {} },
    agents: { a: { provider: 'local', risk_profile: 'careful', runtime_profile: 'short' } },
  });
  const host = {
    home: '/home/ana',
    base: '/srv',
    data: '/srv/.lockstep',
    config: '/srv/lockstep.toml',
    program: [],
  };
  return { version: 1, digest: digestOf(config), config, host };
};

const ports = (problems: unknown[]): DynamicModule => {
  const clock = fixedClock();
  const ids = sequentialIds();
  const memory = memoryStore({ clock, daemon: 'd1' });
  const model: ModelPort = fakeModel(() => ({ say: 'done' }));
  const current = applied();
  const config: tokens.CurrentConfig = {
    current: () => current,
    version: () => current,
    onApplied: () => () => undefined,
  };
  const value = (provide: symbol, useValue: unknown): Provider => ({ provide, useValue });
  const providers = [
    value(tokens.EVENT_STORE, memory.store),
    value(tokens.LEDGER, memory.ledger),
    value(tokens.ARTIFACTS, memory.artifacts),
    value(tokens.MODELS, { for: () => model }),
    value(tokens.TOOLS, fakeTools(builtinSpecs, { root: '/w', run: () => '' })),
    value(tokens.MASKER, plainMasker()),
    value(tokens.MEMORY, fakeMemory()),
    value(tokens.SKILLS, new SkillLibrary()),
    value(tokens.CLOCK, clock),
    value(tokens.IDS, ids),
    value(tokens.CURRENT_CONFIG, config),
    value(tokens.DAEMON_IDENTITY, { id: 'd1', build: 'test' }),
    value(ALARMS, timerAlarms(clock)),
    value(TURN_PROBLEMS, (problem: unknown) => problems.push(problem)),
  ];
  return { module: Ports, providers, exports: providers };
};

const request = {
  agent: 'a',
  principal: { kind: 'local', id: 'local', person: null },
  session: null,
  origin: { kind: 'run' },
  client: 'none',
  input: 'hello',
  idempotency: null,
  listening: false,
} as const;

it('runs turns that come in through the command bus', async () => {
  Logger.overrideLogger(false);
  const problems: unknown[] = [];
  const app = await NestFactory.createApplicationContext(TurnsModule.over(ports(problems)));
  const turns = app.get(TurnsService);
  const launch = await turns.launch(request);
  if (launch.kind !== 'accepted') throw new Error(JSON.stringify(launch));
  const answer = await turns.settled(launch.turn, new AbortController().signal);
  expect([answer?.status, answer?.reply]).toEqual(['completed', 'done']);
  expect(await turns.stop(30_000)).toBe(true);
  expect((await turns.launch(request)).kind).toBe('refused');
  expect(problems).toEqual([]);
  await app.close();
});
