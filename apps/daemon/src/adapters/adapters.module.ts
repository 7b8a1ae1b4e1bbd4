import { join } from 'node:path';
import {
  Inject,
  Injectable,
  Module,
  type DynamicModule,
  type OnApplicationShutdown,
  type Provider,
} from '@nestjs/common';
import {
  inlineLimitBytes,
  type Artifacts,
  type Clock,
  type EventStore,
  type Ids,
  type ToolPort,
} from '@lockstep/engine';
import { canonicalJson, digestOf, type Config } from '@lockstep/policy';
import type { Outside } from '../outside.ts';
import { createFactRecorder } from '../record-fact.ts';
import {
  ARTIFACTS,
  CLOCK,
  CURRENT_CONFIG,
  DAEMON_IDENTITY,
  EVENT_STORE,
  IDS,
  MASKER,
  MODELS,
  SANDBOX,
  SECRETS,
  SKILLS,
  TOOLS,
  TOOL_SOURCES,
  type CurrentConfig,
  type DaemonIdentity,
} from '../tokens.ts';
import { systemClock } from './clock/system-clock.ts';
import { uuidV7Ids } from './ids.ts';
import type { ListedFact } from './mcp/mcp-context.ts';
import { mcpTools, type McpTools } from './mcp/mcp-tools.ts';
import { createModelPorts, type ModelPorts } from './models/model-ports.ts';
import { probeSandbox, type SandboxState } from './sandbox/bubblewrap.ts';
import { programPaths } from './sandbox/program-paths.ts';
import { readConfigSecrets } from './secrets/config-secrets.ts';
import { SecretMasker } from './secrets/secret-masker.ts';
import type { SecretSource } from './secrets/secret-ref.ts';
import { createUnsealer } from './secrets/unsealer.ts';
import { Vault } from './secrets/vault.ts';
import { shellTool } from './shell/shell-tool.ts';
import { SkillLibrary } from './skills/skill-library.ts';
import { skillTools } from './skills/skill-tools.ts';
import { builtinTools } from './tools/builtin-tools.ts';
import { compositeTools } from './tools/composite-tools.ts';
import { systemResolver } from './tools/inspect-url.ts';
import { ToolSources } from './tools/tool-source.ts';

const MCP_TOOLS = Symbol('MCP_TOOLS');
const VAULT = Symbol('VAULT');

const idleMs = 300_000;

/** Ends the servers that agents caused before the log closes. */
@Injectable()
export class AdaptersShutdown implements OnApplicationShutdown {
  readonly #mcp: McpTools;

  constructor(@Inject(MCP_TOOLS) mcp: McpTools) {
    this.#mcp = mcp;
  }

  onApplicationShutdown(): Promise<void> {
    return this.#mcp.close();
  }
}

/** The outside world behind ports. Wants CURRENT_CONFIG, EVENT_STORE, ARTIFACTS and DAEMON_IDENTITY from global modules. */
@Module({})
export class AdaptersModule {
  /** @param outside stands in place of the world, for probes alone */
  static forEnvironment(
    env: Readonly<Record<string, string | undefined>>,
    outside: Outside | null = null,
  ): DynamicModule {
    return {
      module: AdaptersModule,
      global: true,
      providers: [...plainProviders(env, outside), ...portProviders(outside), AdaptersShutdown],
      exports: [CLOCK, IDS, MODELS, TOOLS, TOOL_SOURCES, MASKER, SANDBOX, SECRETS, SKILLS],
    };
  }
}

const plainProviders = (
  env: Readonly<Record<string, string | undefined>>,
  outside: Outside | null,
): Provider[] => [
  { provide: CLOCK, useValue: outside?.clock ?? systemClock },
  { provide: IDS, inject: [CLOCK], useFactory: (clock: Clock): Ids => uuidV7Ids(clock) },
  { provide: SKILLS, useFactory: () => outside?.skills ?? new SkillLibrary() },
  {
    provide: SANDBOX,
    useFactory: (): Promise<SandboxState> | SandboxState => outside?.sandbox ?? probeSandbox(),
  },
  {
    provide: SECRETS,
    inject: [CURRENT_CONFIG],
    useFactory: (config: CurrentConfig): SecretSource => ({
      env,
      base: config.current().host.base,
    }),
  },
  {
    provide: VAULT,
    inject: [CURRENT_CONFIG],
    useFactory: (config: CurrentConfig): Vault =>
      new Vault(join(outside?.folder ?? config.current().host.data, 'vault.json')),
  },
];

const portProviders = (outside: Outside | null): Provider[] => [
  {
    provide: MASKER,
    inject: [VAULT, CURRENT_CONFIG, SECRETS],
    useFactory: (vault: Vault, config: CurrentConfig, secrets: SecretSource): SecretMasker => {
      const masker = new SecretMasker(vault);
      const know = (next: Config): void => {
        masker.know(readConfigSecrets(next, secrets).known);
      };
      know(config.current().config);
      config.onApplied((applied) => {
        know(applied.config);
      });
      return masker;
    },
  },
  {
    provide: MODELS,
    inject: [CURRENT_CONFIG, SECRETS, MASKER],
    useFactory: (config: CurrentConfig, secrets: SecretSource, masker: SecretMasker): ModelPorts =>
      outside?.models ??
      createModelPorts(() => knownConfigs(config), {
        secrets,
        know: knowIn(masker),
        mask: (text) => masker.mask(text, { formats: true }).text,
      }),
  },
  {
    provide: MCP_TOOLS,
    inject: [
      CURRENT_CONFIG,
      SECRETS,
      MASKER,
      SANDBOX,
      CLOCK,
      IDS,
      EVENT_STORE,
      ARTIFACTS,
      DAEMON_IDENTITY,
    ],
    useFactory: (...parts: McpParts): McpTools => openMcp(parts, outside?.mcp),
  },
  ...toolProviders(outside),
];

const toolProviders = (outside: Outside | null): Provider[] => [
  {
    provide: TOOL_SOURCES,
    inject: [CLOCK, MCP_TOOLS, SKILLS, ARTIFACTS, SANDBOX, CURRENT_CONFIG, MASKER, SECRETS],
    useFactory: (...[clock, mcp, library, artifacts, ...rest]: SourceParts): ToolSources => {
      const [sandbox, config, masker, { env }] = rest;
      const processes = { sandbox, host: () => config.current().host, masker, env };
      const sources = new ToolSources();
      sources.add(builtinTools({ clock, resolver: outside?.resolver ?? systemResolver }));
      sources.add(mcp);
      sources.add(shellTool(processes));
      sources.add(skillTools({ library, artifacts, processes }));
      return sources;
    },
  },
  {
    provide: TOOLS,
    inject: [TOOL_SOURCES, MASKER, VAULT],
    useFactory: (sources: ToolSources, masker: SecretMasker, vault: Vault): ToolPort =>
      compositeTools({
        sources: outside?.tools(sources) ?? sources,
        masker,
        unsealer: createUnsealer(masker, vault),
        ...(outside === null ? {} : { after: afterBy(outside) }),
      }),
  },
];

const afterBy =
  ({ clock, alarms }: Outside) =>
  (ms: number, late: () => void): (() => void) =>
    alarms.at(clock.now() + ms, late);

type SourceParts = [
  clock: Clock,
  mcp: McpTools,
  library: SkillLibrary,
  artifacts: Artifacts,
  sandbox: SandboxState,
  config: CurrentConfig,
  masker: SecretMasker,
  secrets: SecretSource,
];

type McpParts = [
  config: CurrentConfig,
  secrets: SecretSource,
  masker: SecretMasker,
  sandbox: SandboxState,
  clock: Clock,
  ids: Ids,
  store: EventStore,
  artifacts: Artifacts,
  identity: DaemonIdentity,
];

const openMcp = (parts: McpParts, open: Outside['mcp'] | undefined): McpTools => {
  const [config, secrets, masker, sandbox, clock, ids, store, artifacts, identity] = parts;
  const { id: daemon, build } = identity;
  const recorder = createFactRecorder({ store, ids, clock, daemon, build });
  return mcpTools(
    {
      server: (alias, digest) => {
        for (const known of knownConfigs(config)) {
          const server = known.mcp.servers[alias];
          if (server !== undefined && digestOf(server) === digest) return server;
        }
        return null;
      },
      host: () => config.current().host,
      secrets,
      know: knowIn(masker),
      sandbox,
      program: programPaths(),
      onListed: async (fact) => {
        const { agent, session, principal } = fact;
        const data = await listedData(fact, artifacts);
        const context = { principal, agent, session };
        await recorder.record(`agent-${agent}`, [{ type: 'ToolsListed', data }], context);
      },
      clock,
      idleMs,
      open,
    },
    systemResolver,
  );
};

const listedData = async (fact: ListedFact, artifacts: Artifacts) => {
  const { server, connection, tools, hidden } = fact;
  const text = canonicalJson(tools);
  const content =
    Buffer.byteLength(text) <= inlineLimitBytes ? { inline: text } : await stored(artifacts, text);
  const names = tools.map((tool) => tool.id);
  return { server, connection, tools: content, names, hidden };
};

const stored = async (artifacts: Artifacts, text: string) => {
  const { digest, bytes } = await artifacts.put(text);
  return { artifact: digest, bytes };
};

const knowIn =
  (masker: SecretMasker) =>
  (name: string, value: string): void => {
    masker.know([{ name, value }]);
  };

/** The config in force, then the older ones: what a running turn began with stays within reach. */
function* knownConfigs(config: CurrentConfig): Generator<Config> {
  const { version, config: current } = config.current();
  yield current;
  for (let older = version - 1; older >= 1; older -= 1) {
    const applied = config.version(older);
    if (applied !== null) yield applied.config;
  }
}
