import type { EnforcedKey } from '@lockstep/policy';
import { approvalRows } from './approval.row.ts';
import { budgetsRows } from './budgets.row.ts';
import { contextRows } from './context.row.ts';
import { memoryRows, shellRows, skillsRows } from './kept.row.ts';
import { channelsRows, delegationRows } from './others.row.ts';
import { mcpRows, networkRows, outputRows, secretsRows } from './outside.row.ts';
import type { Row } from './row.ts';
import { toolsRows } from './tools.row.ts';
import { workspaceRows } from './workspace.row.ts';

/** Every enforced setting with what config means for it: a setting without a row does not compile. */
export const rows = {
  ...toolsRows,
  ...approvalRows,
  ...budgetsRows,
  ...contextRows,
  ...memoryRows,
  ...skillsRows,
  ...workspaceRows,
  ...shellRows,
  ...networkRows,
  ...mcpRows,
  ...delegationRows,
  ...channelsRows,
  ...secretsRows,
  ...outputRows,
} satisfies Record<EnforcedKey, readonly Row[]>;
