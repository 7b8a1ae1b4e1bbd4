import { settingKeys, type SettingKey } from '../setting-key.ts';
import { approvalSettings } from './approval.ts';
import { budgetsSettings } from './budgets.ts';
import { channelsSettings } from './channels.ts';
import { contextSettings } from './context.ts';
import { delegationSettings } from './delegation.ts';
import { mcpSettings } from './mcp.ts';
import { memorySettings } from './memory.ts';
import { networkSettings } from './network.ts';
import { outputSettings } from './output.ts';
import { secretsSettings } from './secrets.ts';
import { shellSettings } from './shell.ts';
import { skillsSettings } from './skills.ts';
import { toolsSettings } from './tools.ts';
import { workspaceSettings } from './workspace.ts';
import type { Setting } from './setting.ts';

/** Raised with every change of what a written value means or of how values meet; stands in each snapshot. */
export const registryVersion = 2;

/** Every setting that there is, by key. */
export const registry = {
  ...toolsSettings,
  ...approvalSettings,
  ...budgetsSettings,
  ...contextSettings,
  ...memorySettings,
  ...skillsSettings,
  ...workspaceSettings,
  ...shellSettings,
  ...networkSettings,
  ...mcpSettings,
  ...delegationSettings,
  ...channelsSettings,
  ...secretsSettings,
  ...outputSettings,
} satisfies { readonly [K in SettingKey]: Setting<K> };

/** The same, in the order of the keys, for code that treats all alike. */
export const settings: readonly Setting<SettingKey, unknown>[] = settingKeys.map(
  (key): Setting<SettingKey, unknown> => registry[key],
);
