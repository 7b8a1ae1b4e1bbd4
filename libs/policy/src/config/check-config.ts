import type { Host } from '../request.ts';
import { checkApprovers } from './checks/check-approvers.ts';
import { checkBudgets } from './checks/check-budgets.ts';
import { checkChannels, checkIdleGroups, warnDeafChannels } from './checks/check-channels.ts';
import { warnBareProcesses } from './checks/check-bare-processes.ts';
import type { CheckContext, ConfigCheck } from './checks/check-context.ts';
import { checkEdges, checkMemorySources, warnBareEdges } from './checks/check-delegation.ts';
import { checkIdentity } from './checks/check-identity.ts';
import { checkIdle } from './checks/check-idle.ts';
import { checkInert } from './checks/check-inert.ts';
import { checkLocked } from './checks/check-locked.ts';
import { checkMcp } from './checks/check-mcp.ts';
import { checkNames, warnIncomplete } from './checks/check-names.ts';
import { checkNetwork } from './checks/check-network.ts';
import { warnOpenBase } from './checks/check-open-base.ts';
import { checkPathTexts, checkRoots } from './checks/check-paths.ts';
import { checkPeople } from './checks/check-people.ts';
import { checkSharedRoots } from './checks/check-shared-roots.ts';
import { warnSopTool } from './checks/check-sop-tool.ts';
import { checkStore } from './checks/check-store.ts';
import {
  checkToolPatterns,
  warnIdleDenials,
  warnIdleSkills,
} from './checks/check-tool-patterns.ts';
import { checkWork } from './checks/check-work.ts';
import type { ConfigProblem } from './problem.ts';

/** Rules that look at one entry or name at a time: they hold for what could be read of a file, whatever is wrong elsewhere. */
const ofEntries: readonly ConfigCheck[] = [
  checkNames,
  checkStore,
  checkChannels,
  checkEdges,
  checkWork,
  checkApprovers,
  checkToolPatterns,
  checkNetwork,
  checkPeople,
  checkPathTexts,
  checkLocked,
  checkMcp,
];

/** Rules on what the layers of an agent come to: they need every section. */
const ofLayers: readonly ConfigCheck[] = [
  checkRoots,
  checkSharedRoots,
  checkIdentity,
  checkBudgets,
  checkMemorySources,
];

const warnings: readonly ConfigCheck[] = [
  warnIncomplete,
  warnIdleDenials,
  warnIdleSkills,
  warnDeafChannels,
  warnBareEdges,
  warnBareProcesses,
  warnSopTool,
  warnOpenBase,
];

export const checkEntries = (context: CheckContext): ConfigProblem[] =>
  ofEntries.flatMap((check) => check(context));

export const checkLayers = (context: CheckContext): ConfigProblem[] =>
  ofLayers.flatMap((check) => check(context));

/** Settings that can change nothing; asked once all else is sound, or this would accuse the wrong one. */
export const findInert = (context: CheckContext): ConfigProblem[] => [
  ...checkInert(context),
  ...checkIdle(context),
  ...checkIdleGroups(context),
];

export const findWarnings = (context: CheckContext): ConfigProblem[] =>
  warnings.flatMap((check) => check(context));

/** Stands in when nobody says where the file lies: no system folder is near these, so only absolute paths can clash. */
export const unknownHost: Host = {
  home: '/~',
  base: '/~/config',
  data: '/~/config/.lockstep',
  config: '/~/config/lockstep',
  program: [],
};
