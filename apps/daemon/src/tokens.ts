import type { Artifacts, Clock, EventStore, Ids, Ledger, Masker, ToolPort } from '@lockstep/engine';
import type { Logger } from 'pino';
import type { ModelPorts } from './adapters/models/model-ports.ts';
import type { MemoryService } from './adapters/memory/memory-service.ts';
import type { SkillLibrary } from './adapters/skills/skill-library.ts';
import type { SecretSource } from './adapters/secrets/secret-ref.ts';
import type { ToolSources } from './adapters/tools/tool-source.ts';
import type { SandboxState } from './adapters/sandbox/bubblewrap.ts';

export { CURRENT_CONFIG, type CurrentConfig } from './config/current-config.port.ts';
export { TURNS, type Turns } from './turns/turns.port.ts';

/** Who writes: stands in every event's meta. `id` is new at every start of the daemon (its incarnation). */
export interface DaemonIdentity {
  readonly id: string;
  readonly build: string;
}

export const EVENT_STORE = Symbol('EVENT_STORE');
export const LEDGER = Symbol('LEDGER');
export const ARTIFACTS = Symbol('ARTIFACTS');
export const MODELS = Symbol('MODELS');
export const TOOLS = Symbol('TOOLS');
/** Where parts of the daemon add the tools that they bring. */
export const TOOL_SOURCES = Symbol('TOOL_SOURCES');
/** Where secrets named in config are read. */
export const SECRETS = Symbol('SECRETS');
export const MASKER = Symbol('MASKER');
/** Kept rows of all agents. */
export const MEMORY = Symbol('MEMORY');
/** Skills of all bundles. */
export const SKILLS = Symbol('SKILLS');
/** Whether this machine can confine a process, found out once at start. */
export const SANDBOX = Symbol('SANDBOX');
export const CLOCK = Symbol('CLOCK');
export const IDS = Symbol('IDS');
export const DAEMON_IDENTITY = Symbol('DAEMON_IDENTITY');
/** The daemon's own log, for lines that are no events. */
export const LOG = Symbol('LOG');

/** What each token gives. */
export interface Tokens {
  readonly EVENT_STORE: EventStore;
  readonly LEDGER: Ledger;
  readonly ARTIFACTS: Artifacts;
  readonly MODELS: ModelPorts;
  readonly TOOLS: ToolPort;
  readonly TOOL_SOURCES: ToolSources;
  readonly SECRETS: SecretSource;
  readonly MASKER: Masker;
  readonly MEMORY: MemoryService;
  readonly SKILLS: SkillLibrary;
  readonly SANDBOX: SandboxState;
  readonly CLOCK: Clock;
  readonly IDS: Ids;
  readonly DAEMON_IDENTITY: DaemonIdentity;
  readonly LOG: Logger;
}
