import { laterKeys } from '../setting-key.ts';

const laterSections = ['skill_bundles', 'peer_groups', 'channels', 'cron', 'sops', 'heartbeat'];

/** Names at agent level that spell a later setting. */
const laterAgentKeys = ['channels', 'skill_bundles', 'delegates'];

const writtenAtAgent: ReadonlySet<string> = new Set([
  'skills.bundles',
  'delegation.delegates',
  'channels.bindings',
  'channels.peers',
]);

const laterSettings = laterKeys
  .filter((key) => !writtenAtAgent.has(key))
  .map((key) => key.split('.'));

/** Every place of a config file that this build knows and does not act on yet; `*` is any name. Deepest names first, so that a
 * table is reached after what it holds. */
export const laterPlaces: readonly (readonly string[])[] = [
  ...laterSections.map((section) => [section]),
  ...laterAgentKeys.map((key) => ['agents', '*', key]),
  ...['agents', 'risk_profiles', 'runtime_profiles'].flatMap((section) =>
    laterSettings.map((setting) => [section, '*', ...setting]),
  ),
  ['store', 'connection'],
];

/** Tables that hold later settings and nothing else. */
export const laterTables: readonly (readonly string[])[] = [
  ['memory'],
  ['skills'],
  ['shell'],
  ['delegation'],
  ['context', 'identity'],
];
