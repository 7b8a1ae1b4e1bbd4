import { sameValue } from '../orders/order.ts';
import { entryOf } from '../orders/map.ts';
import { isWithin } from '../paths.ts';
import { matchesPattern } from '../patterns.ts';
import type { Host } from '../request.ts';
import type { SettingKey } from '../setting-key.ts';
import { settings } from '../surfaces/registry.ts';
import type { Place, Setting } from '../surfaces/setting.ts';
import { unknownHost } from './check-config.ts';
import { isLoopback } from './checks/check-network.ts';
import type { Config } from './config.schema.ts';
import type { McpServerConfig } from './mcp.schema.ts';

/** Most keys that are named; beyond it whole agents stand for their settings. */
const maxKeys = 500;

/** The keys that grant more than before, or might: `agents.<alias>.<setting>` for what an agent's layers come to, the key itself
 * for what is no setting. A first config grants each of its agents. Where two values cannot be compared, the change is named. */
export const widens = (
  before: Config | null,
  after: Config,
  host: Host = unknownHost,
): string[] => {
  const keys = [
    ...Object.keys(after.agents).flatMap((alias) => ofAgent(before, after, host, alias)),
    ...(before === null ? [] : ofEdges(before, after)),
    ...(before === null ? [] : ofStarts(before, after)),
    ...(before === null ? [] : ofServers(before, after)),
    ...(before === null ? [] : ofPeople(before, after)),
    ...(before === null ? [] : ofProviders(before, after)),
    ...ofGateway(before, after),
  ];
  if (keys.length <= maxKeys) return keys;
  const short = [...new Set(keys.map((key) => key.split('.').slice(0, 2).join('.')))];
  return short.length <= maxKeys
    ? short
    : [...new Set(short.map((key) => key.split('.', 1).join()))];
};

const ofAgent = (before: Config | null, after: Config, host: Host, alias: string): string[] => {
  const now = entryOf(after.agents, alias);
  const old = before === null ? null : entryOf(before.agents, alias);
  if (now === null || !now.enabled) return [];
  if (before === null || old === null) return [`agents.${alias}`];
  if (!old.enabled) return [`agents.${alias}.enabled`];
  const here: Place = { alias, agent: now, config: after, host };
  const there: Place = { alias, agent: old, config: before, host };
  return settings
    .filter((setting) => grantsMore(setting, here, there))
    .map((setting) => `agents.${alias}.${setting.key}`);
};

const grantsMore = (setting: Setting<SettingKey, unknown>, here: Place, there: Place): boolean => {
  const [now, old] = [setting.derive(here).value, setting.derive(there).value];
  if (sameValue(now, old)) return false;
  const covers = denials.get(setting.key);
  if (covers === undefined) return !setting.order.within(now, old);
  return !patternsOf(old).every((gone) => patternsOf(now).some((kept) => covers(kept, gone)));
};

const patternsOf = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((pattern) => typeof pattern === 'string') : [];

/** Settings that take away: less of them grants more. How one of their patterns covers another. */
const denials = new Map<SettingKey, (wide: string, narrow: string) => boolean>([
  ['tools.denied', matchesPattern],
  ['approval.always_ask', matchesPattern],
  [
    'workspace.forbidden_paths',
    (wide, narrow) =>
      wide === narrow || (narrow.startsWith('/') && wide.startsWith('/') && isWithin(wide, narrow)),
  ],
]);

/** Edges that were there and lend more than before; a new edge is a change of `delegation.delegates`. */
const ofEdges = (before: Config, after: Config): string[] =>
  Object.entries(after.agents).flatMap(([alias, agent]) => {
    const old = entryOf(before.agents, alias)?.delegates ?? [];
    return (agent.delegates ?? []).flatMap((edge) => {
      const known = old.find((other) => other.agent === edge.agent);
      if (known === undefined || lendsNoMore(known.grants ?? {}, edge.grants ?? {})) return [];
      return [`agents.${alias}.delegates.${edge.agent}.grants`];
    });
  });

const lendsNoMore = (old: object, now: object): boolean =>
  Object.entries(now).every(([key, lent]) => {
    const before: unknown = Object.entries(old).find(([name]) => name === key)?.[1];
    return listed(lent).every((pattern) =>
      listed(before).some((one) => matchesPattern(one, pattern)),
    );
  });

const listed = (value: unknown): string[] => (value === '*' ? ['*'] : patternsOf(value));

/** What starts turns and did not before: jobs, heartbeats, procedures and channels. */
const ofStarts = (before: Config, after: Config): string[] => [
  ...(['cron', 'heartbeat', 'sops'] as const).flatMap((section) =>
    newNames(before[section], after[section]).map((name) => `${section}.${name}`),
  ),
  ...Object.entries(after.channels).flatMap(([kind, now]) => {
    const old = Object.entries(before.channels).find(([name]) => name === kind)?.[1] ?? {};
    return newNames(old, now).map((alias) => `channels.${kind}.${alias}`);
  }),
];

const newNames = (old: object, now: object): string[] =>
  Object.keys(now).filter((name) => !Object.hasOwn(old, name));

const ofServers = (before: Config, after: Config): string[] =>
  Object.entries(after.mcp.servers).flatMap(([alias, now]) => {
    const old = entryOf(before.mcp.servers, alias);
    if (old === null) return [];
    return changedKeys(old, now).map((key) => `mcp.servers.${alias}.${key}`);
  });

/** What runs or is called, and what settings do not hold. */
const changedKeys = (old: McpServerConfig, now: McpServerConfig): string[] => {
  const repeats = Object.keys(now.tools)
    .filter((tool) => entryOf(now.tools, tool)?.repeatable === true)
    .filter((tool) => entryOf(old.tools, tool)?.repeatable !== true)
    .map((tool) => `tools.${tool}.repeatable`);
  if (old.transport === 'stdio' && now.transport === 'stdio') {
    const changed = (['command', 'args', 'env'] as const).filter(
      (key) => !sameValue(old[key], now[key]),
    );
    return [...changed, ...(now.network && !old.network ? ['network'] : []), ...repeats];
  }
  if (old.transport === 'http' && now.transport === 'http') {
    const changed = (['url', 'headers'] as const).filter((key) => !sameValue(old[key], now[key]));
    return [...changed, ...repeats];
  }
  return ['transport', ...repeats];
};

/** A token acts with the roles that its person holds too, so an identity that moves or goes may free a token. */
const ofPeople = (before: Config, after: Config): string[] => {
  const changed = Object.entries(after.people).flatMap(([name, now]) => {
    const old = entryOf(before.people, name);
    if (old === null) return [`people.${name}`];
    const more = now.roles.some((role) => !old.roles.includes(role));
    const moved = !sameValue([...now.identities].sort(), [...old.identities].sort());
    return [
      ...(more ? [`people.${name}.roles`] : []),
      ...(moved ? [`people.${name}.identities`] : []),
    ];
  });
  const gone = Object.keys(before.people).filter((name) => entryOf(after.people, name) === null);
  return [...changed, ...gone.map((name) => `people.${name}`)];
};

/** Another address sees what agents say; another price makes a cap worth more or less. */
const ofProviders = (before: Config, after: Config): string[] =>
  Object.entries(after.providers).flatMap(([alias, now]) => {
    const old = entryOf(before.providers, alias);
    if (old === null) return [];
    const address = (provider: typeof now) => ('base_url' in provider ? provider.base_url : null);
    return [
      ...(address(old) === address(now) ? [] : [`providers.${alias}.base_url`]),
      ...(sameValue(old.prices ?? null, now.prices ?? null) ? [] : [`providers.${alias}.prices`]),
    ];
  });

const ofGateway = (before: Config | null, after: Config): string[] => {
  const now = after.gateway;
  const old = before?.gateway ?? null;
  const added = (key: 'hosts' | 'trusted_proxies') =>
    now[key].some((entry) => old?.[key].includes(entry) !== true);
  const raised = (key: 'max_body_kb' | 'rate_per_minute') => old !== null && now[key] > old[key];
  return [
    ...(isLoopback(now.host) || now.host === old?.host ? [] : ['gateway.host']),
    ...(['hosts', 'trusted_proxies'] as const).filter(added).map((key) => `gateway.${key}`),
    ...(['max_body_kb', 'rate_per_minute'] as const).filter(raised).map((key) => `gateway.${key}`),
  ];
};
