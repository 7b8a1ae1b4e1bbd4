import { Module, type DynamicModule } from '@nestjs/common';
import { CommandBus, CqrsModule } from '@nestjs/cqrs';
import {
  ARTIFACTS,
  CLOCK,
  CURRENT_CONFIG,
  DAEMON_IDENTITY,
  EVENT_STORE,
  IDS,
  LEDGER,
  MASKER,
  MEMORY,
  MODELS,
  SKILLS,
  TOOLS,
  TURNS,
  type Tokens,
  type CurrentConfig,
} from '../tokens.ts';
import { identityReader } from '../adapters/identity/read-identity.ts';
import type { SkillLibrary } from '../adapters/skills/skill-library.ts';
import { skillReader } from '../adapters/skills/skill-prompt.ts';
import { ALARMS, type Alarms } from './alarms.ts';
import { DispatchTurnHandler } from './dispatch-turn.handler.ts';
import { INTAKE, type Intake } from './intake.port.ts';
import { RUNNING_TURNS } from './running-turns.ts';
import type { TurnParts } from './turn-parts.ts';
import { TurnsService } from './turns.service.ts';

/** Told of what should not happen and does not stop the daemon. */
export const TURN_PROBLEMS = Symbol('TURN_PROBLEMS');

/** Turns, over the ports that another module provides and exports. */
@Module({})
export class TurnsModule {
  static over(ports: DynamicModule): DynamicModule {
    return {
      module: TurnsModule,
      imports: [CqrsModule.forRoot(), ports],
      providers: [
        DispatchTurnHandler,
        { provide: TurnsService, useFactory: createService, inject: [...injected, CommandBus] },
        { provide: TURNS, useExisting: TurnsService },
        {
          provide: RUNNING_TURNS,
          useFactory: (turns: TurnsService) => turns.running,
          inject: [TurnsService],
        },
      ],
      exports: [TURNS, TurnsService],
    };
  }
}

const injected = [
  EVENT_STORE,
  LEDGER,
  ARTIFACTS,
  MODELS,
  TOOLS,
  MASKER,
  CLOCK,
  IDS,
  CURRENT_CONFIG,
  DAEMON_IDENTITY,
  ALARMS,
  TURN_PROBLEMS,
  MEMORY,
  SKILLS,
  { token: INTAKE, optional: true },
];

type Injected = [
  Tokens['EVENT_STORE'],
  Tokens['LEDGER'],
  Tokens['ARTIFACTS'],
  Tokens['MODELS'],
  Tokens['TOOLS'],
  Tokens['MASKER'],
  Tokens['CLOCK'],
  Tokens['IDS'],
  CurrentConfig,
  Tokens['DAEMON_IDENTITY'],
  Alarms,
  TurnParts['report'],
  Tokens['MEMORY'],
  SkillLibrary,
  Intake | undefined,
  CommandBus,
];

const createService = (...given: Injected): TurnsService => {
  const [store, ledger, artifacts, models, tools, masker] = given;
  const [, , , , , , clock, ids, config, identity, alarms, report, memory, skills, intake, bus] =
    given;
  const parts: TurnParts = {
    store,
    ledger,
    artifacts,
    models,
    tools,
    masker,
    memory,
    readIdentity: identityReader(masker),
    readSkills: skillReader(skills, masker),
    clock,
    ids,
    config,
    identity,
    alarms,
    report,
    ...(intake === undefined ? {} : { intake }),
  };
  return new TurnsService(parts, (command) => bus.execute(command));
};
