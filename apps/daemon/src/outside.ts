import type { Clock, EventStore, Ledger } from '@lockstep/engine';
import type { AppliedConfig } from '@lockstep/policy';
import type { CurrentConfig } from './config/current-config.port.ts';
import type { McpContext } from './adapters/mcp/mcp-context.ts';
import type { MemoryService } from './adapters/memory/memory-service.ts';
import type { ModelPorts } from './adapters/models/model-ports.ts';
import type { SandboxState } from './adapters/sandbox/bubblewrap.ts';
import type { SkillLibrary } from './adapters/skills/skill-library.ts';
import type { Resolver } from './adapters/tools/inspect-url.ts';
import type { ToolSources } from './adapters/tools/tool-source.ts';
import type { MakeChannel } from './paths/channel/channel-runner.ts';
import type { SopRuns } from './paths/sop/sop-runs.port.ts';
import type { Alarms } from './turns/alarms.ts';
import type { Turns } from './turns/turns.port.ts';
import type { Jobs } from './work/jobs.port.ts';

/** What stands in place of the world outside while a daemon is probed: its models, effects, servers, platforms and its clock. The paths,
 * the seam, the gate and the log are the daemon's own. */
export interface Outside {
  /** The config to start on, with the host that it is resolved for; null = the file, for where this daemon is. */
  readonly applied: AppliedConfig | null;
  /** Where rows and sealed values are kept: never the data folder of that host. */
  readonly folder: string;
  readonly clock: Clock;
  readonly alarms: Alarms;
  readonly models: ModelPorts;
  readonly resolver: Resolver;
  readonly skills: SkillLibrary;
  /** The tools as they are, with their effects left out. */
  readonly tools: (sources: ToolSources) => Pick<ToolSources, 'of' | 'list'>;
  /** What processes would be confined by; none is run. */
  readonly sandbox: SandboxState;
  readonly mcp: NonNullable<McpContext['open']>;
  readonly channel: (binding: string) => MakeChannel;
  /** Told once, when turns can be started. */
  readonly opened: (inside: Inside) => void;
}

/** What a probe drives and looks at. */
export interface Inside {
  readonly store: EventStore;
  readonly ledger: Ledger;
  readonly config: CurrentConfig;
  readonly memory: MemoryService;
  readonly turns: Turns;
  readonly jobs: Jobs;
  readonly sops: SopRuns;
}
