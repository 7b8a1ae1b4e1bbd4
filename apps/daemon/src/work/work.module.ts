import { Module, type DynamicModule } from '@nestjs/common';
import { SOP_RUNS, type SopRuns } from '../paths/sop/sop-runs.port.ts';
import { SopRunsService } from '../paths/sop/sop-runs.service.ts';
import {
  ARTIFACTS,
  CLOCK,
  CURRENT_CONFIG,
  DAEMON_IDENTITY,
  EVENT_STORE,
  IDS,
  LEDGER,
  MASKER,
  TOOL_SOURCES,
  type CurrentConfig,
  type Tokens,
} from '../tokens.ts';
import { ALARMS, type Alarms } from '../turns/alarms.ts';
import { INTAKE, type Intake } from '../turns/intake.port.ts';
import { Records } from '../turns/records-of.ts';
import type { TurnParts } from '../turns/turn-parts.ts';
import { TURN_PROBLEMS } from '../turns/turns.module.ts';
import { TurnsService } from '../turns/turns.service.ts';
import { JOBS, type Jobs } from './jobs.port.ts';
import { jobTools } from './job-tools.ts';
import { Scheduler } from './scheduler.ts';
import { sopTool } from './sop-tool.ts';

/** Jobs and procedures, to be begun once turns are recovered. */
export class Work {
  readonly jobs: Scheduler;
  readonly sops: SopRunsService;

  constructor(jobs: Scheduler, sops: SopRunsService) {
    this.jobs = jobs;
    this.sops = sops;
  }

  /** Takes up what an earlier daemon left, then follows the clock. */
  async start(): Promise<void> {
    await this.sops.begin();
    await this.jobs.start();
  }

  /** Starts nothing more. Call it before turns are stopped. */
  stop(): void {
    this.jobs.stop();
    this.sops.stop();
  }
}

/** Jobs and procedures, over turns. */
@Module({})
export class WorkModule {
  static over(turns: DynamicModule): DynamicModule {
    return {
      module: WorkModule,
      global: true,
      imports: [turns],
      providers: [
        { provide: Work, useFactory: createWork, inject: [...injected] },
        { provide: JOBS, useFactory: (work: Work): Jobs => work.jobs, inject: [Work] },
        { provide: SOP_RUNS, useFactory: (work: Work): SopRuns => work.sops, inject: [Work] },
      ],
      exports: [Work, JOBS, SOP_RUNS],
    };
  }
}

const injected = [
  TurnsService,
  TOOL_SOURCES,
  EVENT_STORE,
  LEDGER,
  ARTIFACTS,
  MASKER,
  CLOCK,
  IDS,
  CURRENT_CONFIG,
  DAEMON_IDENTITY,
  ALARMS,
  TURN_PROBLEMS,
  { token: INTAKE, optional: true },
] as const;

type Injected = [
  TurnsService,
  Tokens['TOOL_SOURCES'],
  Tokens['EVENT_STORE'],
  Tokens['LEDGER'],
  Tokens['ARTIFACTS'],
  Tokens['MASKER'],
  Tokens['CLOCK'],
  Tokens['IDS'],
  CurrentConfig,
  Tokens['DAEMON_IDENTITY'],
  Alarms,
  TurnParts['report'],
  Intake | undefined,
];

const createWork = (...given: Injected): Work => {
  const [turns, sources, store, ledger, artifacts, masker] = given;
  const [, , , , , , clock, ids, config, identity, alarms, report, intake] = given;
  const parts = {
    ...{ store, ledger, artifacts, config, turns, clock, alarms, ids, identity },
    ...(intake === undefined ? {} : { intake }),
  };
  const records = new Records({
    ...parts,
    live: (turn) => {
      const runner = turns.running.find(turn);
      return runner === null ? null : { state: runner.state, meta: runner.log.meta };
    },
  });
  const sops = new SopRunsService({
    ...parts,
    records,
    masker,
    report: ({ run, error }) => {
      report({ turn: run, error });
    },
  });
  const jobs = new Scheduler({
    ...parts,
    sops,
    report: ({ job, error }) => {
      report({ turn: `job ${job}`, error });
    },
  });
  turns.onGate((record, decision, by) => sops.decideGate(record, decision, by));
  sources.add(jobTools({ jobs, ledger, store, artifacts, config }));
  sources.add(sopTool({ sops, config }));
  return new Work(jobs, sops);
};
