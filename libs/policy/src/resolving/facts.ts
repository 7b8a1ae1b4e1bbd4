import { digestOf } from '../canonical.ts';
import type { McpServerConfig } from '../config/mcp.schema.ts';
import type { ProviderConfig } from '../config/provider.schema.ts';
import { entryOf } from '../orders/map.ts';
import { sortedSet } from '../orders/order.ts';
import { absolutePath, isWithin, normalPath } from '../paths.ts';
import type { PolicySnapshot, PricesMicro } from '../snapshot.ts';
import { byTool, serversOf } from '../surfaces/mcp.ts';
import { registry } from '../surfaces/registry.ts';
import type { Place } from '../surfaces/setting.ts';
import { below } from '../surfaces/written.ts';

type Workspace = PolicySnapshot['workspace'];

/** What the settings of an agent need to act and what is no setting itself. */
export interface PolicyFacts {
  readonly provider: PolicySnapshot['provider'];
  readonly siblings: Workspace['siblings'];
  readonly directories: Readonly<Record<string, string>>;
  readonly repeatable: PolicySnapshot['mcp']['repeatable'];
  readonly servers: PolicySnapshot['mcp']['servers'];
}

/** Absolute paths that no setting opens, and those below them that stay open: the deepest of both lists decides. */
export type Protection = Pick<Workspace, 'protected' | 'protected_except'>;

/** The facts of an agent whose provider is known. */
export const factsOf = (place: Place, alias: string, provider: ProviderConfig): PolicyFacts => ({
  provider: providerFact(alias, provider),
  siblings: siblingsOf(place),
  directories: directoriesOf(place),
  ...serverFacts(place),
});

/** The config file and what it names, the data folder but for workspaces, the program, and each sibling's root that this policy
 * has no access to. Identity files that the agent may write are open to it.
 * @param writable absolute identity files of the agent that it may write */
export const protectionOf = (
  { config, host }: Place,
  workspace: Pick<Workspace, 'root' | 'access' | 'siblings'>,
  writable: readonly string[],
): Protection => {
  const { root, access, siblings } = workspace;
  const closed = Object.entries(siblings)
    .filter(([alias, sibling]) => entryOf(access, alias) === null && sibling.root !== root)
    .map(([, sibling]) => sibling.root);
  return {
    protected: sortedSet([
      normalPath(host.config),
      normalPath(host.data),
      ...host.program.map(normalPath),
      ...filesNamedBy(config)
        .map((file) => absolutePath(host.base, host.home, file))
        .filter((file) => !writable.includes(file)),
      ...closed,
    ]),
    protected_except: sortedSet([
      below(host.data, 'workspaces'),
      // A root inside another agent's folder is still this agent's.
      ...(closed.some((folder) => isWithin(folder, root)) ? [root] : []),
    ]),
  };
};

const directoriesOf = ({ agent, config, host }: Place): PolicyFacts['directories'] =>
  Object.fromEntries(
    sortedSet(agent.skill_bundles ?? []).flatMap((alias) => {
      const bundle = entryOf(config.skill_bundles, alias);
      return bundle === null ? [] : [[alias, absolutePath(host.base, host.home, bundle.directory)]];
    }),
  );

const providerFact = (alias: string, provider: ProviderConfig): PolicyFacts['provider'] => ({
  alias,
  type: provider.type,
  model: provider.type === 'scripted' ? 'scripted' : provider.model,
  digest: digestOf(provider),
  prices: pricesOf(provider),
  timeout_secs: provider.timeout_secs,
  max_attempts: provider.max_attempts,
});

const microDollars = (dollars: number): number => Math.round(dollars * 1_000_000);

const pricesOf = ({ type, prices }: ProviderConfig): PricesMicro => {
  if (prices === undefined) return { kind: type === 'scripted' ? 'free' : 'unknown' };
  if (prices === 'free') return { kind: 'free' };
  return {
    kind: 'priced',
    input: microDollars(prices.input_per_mtok),
    output: microDollars(prices.output_per_mtok),
    cachedInput: microDollars(prices.cached_input_per_mtok ?? prices.input_per_mtok),
  };
};

const siblingsOf = (place: Place): PolicyFacts['siblings'] => {
  const others = Object.entries(place.config.agents).filter(([alias]) => alias !== place.alias);
  return Object.fromEntries(
    others.map(([alias, agent]) => {
      const there: Place = { ...place, alias, agent };
      const root = registry['workspace.root'].derive(there).value;
      const forbidden = registry['workspace.forbidden_paths'].derive(there).value;
      return [alias, { root, forbidden_paths: forbidden }];
    }),
  );
};

/** Every file and folder that config names by path and no agent may touch, as written. */
export const filesNamedBy = (config: Place['config']): string[] => [
  ...Object.values(config.skill_bundles).map((bundle) => bundle.directory),
  ...Object.values(config.agents).flatMap((agent) => agent.context?.identity?.files ?? []),
  ...Object.values(config.runtime_profiles).flatMap((p) => p.context?.identity?.files ?? []),
  ...secretFilesOf(config),
];

/** Files of secrets and scripts that config names, as written: they are nobody's to read. */
export const secretFilesOf = (config: Place['config']): string[] => [
  ...Object.values(config.providers).flatMap(providerFiles),
  ...Object.values(config.mcp.servers).flatMap(serverFiles),
  ...Object.values(config.channels.webhook).flatMap(({ secret }) => fileOf(secret)),
  ...Object.values(config.channels.mqtt).flatMap(({ password }) => fileOf(password)),
  ...Object.values(config.channels.telegram).flatMap(({ token }) => fileOf(token)),
  ...Object.values(config.channels.slack).flatMap((slack) => [
    ...fileOf(slack.bot_token),
    ...fileOf(slack.app_token),
  ]),
  ...Object.values(config.channels.discord).flatMap(({ token }) => fileOf(token)),
];

const providerFiles = (provider: ProviderConfig): string[] =>
  provider.type === 'scripted' ? [provider.script] : fileOf(provider.api_key);

const serverFiles = (server: McpServerConfig): string[] =>
  Object.values(server.transport === 'stdio' ? server.env : server.headers).flatMap(fileOf);

type MaybeSecret = string | { env: string } | { file: string } | undefined;

const fileOf = (value: MaybeSecret): string[] =>
  typeof value === 'object' && 'file' in value ? [value.file] : [];

const serverFacts = (place: Place): Pick<PolicyFacts, 'repeatable' | 'servers'> => {
  const found = serversOf(place.config, place.agent.mcp_bundles ?? []);
  return {
    repeatable: Object.fromEntries(
      found.map(({ name, server }) => {
        const marked = byTool(server, (tool) => (tool.repeatable === true ? true : undefined));
        return [name, sortedSet(Object.keys(marked))];
      }),
    ),
    servers: Object.fromEntries(
      found.map(({ name, server }) => [
        name,
        {
          transport: server.transport,
          digest: digestOf(server),
          network: server.transport === 'stdio' && server.network,
        },
      ]),
    ),
  };
};
