import { sameValue } from '../orders/order.ts';
import type { SettingKey } from '../setting-key.ts';
import type { SettingValues } from '../setting-values.ts';
import { serversOf } from '../surfaces/mcp.ts';
import type { Place } from '../surfaces/setting.ts';
import type { Values } from './snapshot-parts.ts';

/** What settings owe each other, restored after every meet. It only narrows: the keys that it changed, with their new values. */
export const closureOf = (values: Values, config: Place['config']): Values => {
  const read = reader(values);
  const changed = new Map<SettingKey, unknown>();
  const owe = <K extends SettingKey>(key: K, value: SettingValues[K]): void => {
    if (!sameValue(read(key), value)) changed.set(key, value);
  };
  const mayLeave =
    read('approval.autonomy') === 'full' || read('workspace.unrestricted_filesystem');
  if (!mayLeave) owe('workspace.workspace_only', true);
  if (read('delegation.mode') === 'forbidden') {
    owe('delegation.delegates', {});
    owe('delegation.spawn', false);
    owe('delegation.sops', []);
  }
  if (read('memory.backend') === 'none') {
    owe('memory.auto_recall', false);
    owe('memory.read_memory_from', []);
    owe('memory.writable', false);
  }
  const servers = new Set(serversOf(config, read('mcp.bundles')).map(({ name }) => name));
  owe('mcp.expose', only(read('mcp.expose'), servers));
  owe('mcp.effects', only(read('mcp.effects'), servers));
  owe('mcp.operands', only(read('mcp.operands'), servers));
  owe('mcp.run', only(read('mcp.run'), servers));
  owe('mcp.share', only(read('mcp.share'), servers));
  return changed;
};

/** The part of a record whose keys are in the set. */
export const only = <V>(
  record: Readonly<Record<string, V>>,
  keys: ReadonlySet<string>,
): Record<string, V> => Object.fromEntries(Object.entries(record).filter(([key]) => keys.has(key)));

/** Reads values with the type that their key has. */
export const reader =
  (values: Values) =>
  <K extends SettingKey>(key: K): SettingValues[K] =>
    values.get(key) as SettingValues[K];
