import { Module, type DynamicModule, type Type } from '@nestjs/common';
import { APP_FILTER, APP_GUARD, APP_PIPE } from '@nestjs/core';
import { CqrsModule } from '@nestjs/cqrs';
import type { ToolPort } from '@lockstep/engine';
import { TOOLS, TURNS, type Turns } from '../tokens.ts';
import { AccessGuard } from './access.guard.ts';
import { EventStreams } from './event-streams.ts';
import { DryRun } from './dry-run.ts';
import { HTTP_PARTS, type HttpBase, type HttpParts } from './http-parts.ts';
import { OPENAPI, type OpenApi } from './openapi.ts';
import { ProblemFilter } from './problem.filter.ts';
import { AdoptController } from './routes/adopt.controller.ts';
import { AgentsController } from './routes/agents.controller.ts';
import { ApprovalsController } from './routes/approvals.controller.ts';
import { BacktestsController } from './routes/backtests.controller.ts';
import { ChannelsController } from './routes/channels.controller.ts';
import { ConfigController } from './routes/config.controller.ts';
import { DocsController } from './routes/docs.controller.ts';
import { EventsController } from './routes/events.controller.ts';
import { JobsController } from './routes/jobs.controller.ts';
import { Launcher } from './routes/launch.ts';
import { OpenAiController } from './routes/openai.controller.ts';
import { OpsController } from './routes/ops.controller.ts';
import { OutcomesController } from './routes/outcomes.controller.ts';
import { ParityController } from './routes/parity.controller.ts';
import { BisectsController } from './routes/bisects.controller.ts';
import { ReplaysController } from './routes/replays.controller.ts';
import { SessionController } from './routes/session.controller.ts';
import { SessionsController } from './routes/sessions.controller.ts';
import { SopsController } from './routes/sops.controller.ts';
import { StartController } from './routes/start.controller.ts';
import { StopController } from './routes/stop.controller.ts';
import { TokensController } from './routes/tokens.controller.ts';
import { TurnsController } from './routes/turns.controller.ts';
import { WebSocketController } from './routes/websocket.controller.ts';
import { turnHandlers } from './turns/turn-commands.ts';
import { validationPipe } from './validation.ts';

export const controllers: readonly Type[] = [
  StartController,
  OpenAiController,
  WebSocketController,
  TurnsController,
  EventsController,
  ParityController,
  ReplaysController,
  BisectsController,
  BacktestsController,
  AgentsController,
  SessionsController,
  ApprovalsController,
  OutcomesController,
  StopController,
  AdoptController,
  ChannelsController,
  JobsController,
  SopsController,
  ConfigController,
  TokensController,
  SessionController,
  OpsController,
  DocsController,
];

@Module({})
export class HttpModule {
  /** @param ports modules that export TURNS and TOOLS, or are global and do */
  static over(base: HttpBase, openApi: OpenApi, ports: readonly DynamicModule[]): DynamicModule {
    return {
      module: HttpModule,
      imports: [CqrsModule.forRoot(), ...ports],
      controllers: [...controllers],
      providers: [
        {
          provide: HTTP_PARTS,
          inject: [TURNS, TOOLS],
          useFactory: (turns: Turns, tools: ToolPort): HttpParts => ({
            ...base,
            turns,
            dryRun: new DryRun({ ...base, tools }),
          }),
        },
        { provide: OPENAPI, useValue: openApi },
        { provide: APP_GUARD, useClass: AccessGuard },
        { provide: APP_PIPE, useFactory: validationPipe },
        { provide: APP_FILTER, useFactory: () => new ProblemFilter(base.log) },
        EventStreams,
        Launcher,
        ...turnHandlers,
      ],
    };
  }
}
