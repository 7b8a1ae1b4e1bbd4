export {
  aliasSchema,
  effectNames,
  effectSchema,
  pathNames,
  pathNameSchema,
  roleNames,
  roleSchema,
  surfaceNames,
  triggersByPath,
  triggerSchema,
  type Alias,
  type Effect,
  type PathName,
  type Role,
  type SurfaceName,
  type Trigger,
} from './names.ts';
export { configSchema, type Config } from './config/config.schema.ts';
export type { AgentConfig } from './config/agent.schema.ts';
export type { McpServerConfig } from './config/mcp.schema.ts';
export type { ProviderConfig } from './config/provider.schema.ts';
export type {
  ChannelsConfig,
  DiscordChannel,
  MqttChannel,
  SlackChannel,
  TelegramChannel,
  WebhookChannel,
} from './config/channels.schema.ts';
export { cronSchema, sopStepSchema } from './config/work.schema.ts';
export type { AccessMode, OperandDeclaration, SecretRef } from './config/values.schema.ts';
export { secretRef } from './config/values.schema.ts';
export {
  policySnapshotSchema,
  type Clauses,
  type Limit,
  type PolicySnapshot,
  type PricesMicro,
} from './snapshot.ts';
export { enforcedKeys, settingKeys, type EnforcedKey, type SettingKey } from './setting-key.ts';
export {
  hostSchema,
  narrowingSchema,
  originSchema,
  principalSchema,
  resolveRecordsSchema,
  resolveRequestSchema,
  tokenRecordSchema,
  type Host,
  type Narrowing,
  type Origin,
  type Principal,
  type ResolveRecords,
  type ResolveRequest,
  type TokenRecord,
} from './request.ts';
export {
  appliedNarrowingSchema,
  provenanceEntrySchema,
  resolutionProblemSchema,
  type AppliedConfig,
  type AppliedNarrowing,
  type ProvenanceEntry,
  type ResolutionProblem,
} from './resolution.ts';
export { formatPath } from './config/problem.ts';
export { canonicalJson, digestOf, digestOfText } from './canonical.ts';
export {
  isResolvedPolicy,
  narrowPolicy,
  resolve,
  resolveAgain,
  type Resolution,
  type ResolvedPolicy,
} from './resolve.ts';
export {
  builtinEffects,
  builtinTools,
  findBuiltinTool,
  type BuiltinTool,
} from './builtin-tools.ts';
export { absolutePath, isWithin, normalPath, pathWithin } from './paths.ts';
export {
  matchesBelow,
  matchesClauses,
  matchesPattern,
  matchingPattern,
  normalizeToolPattern,
  type ClauseMatch,
} from './patterns.ts';
export {
  matchesHost,
  matchesHostClauses,
  normalizeHostPattern,
  parseHostPattern,
  type HostPattern,
  type HostTarget,
} from './host-patterns.ts';
export { configFormats, type ConfigFormat, type ConfigText } from './config/read-document.ts';
export { parseConfig, type ParsedConfig } from './config/parse-config.ts';
export { formatProblem, type ConfigProblem, type ConfigProblemCode } from './config/problem.ts';
export { parseStoredConfig, readableConfig, type StoredConfig } from './config/stored-config.ts';
export { configJsonSchema } from './config/json-schema.ts';
export { admitsSender } from './resolving/admits-sender.ts';
export { depthBelow, inheritedNarrowings, isAuthority } from './resolving/children.ts';
export { channelOwner } from './resolving/origin.ts';
export { bindingsOf, channelOf, declaresChannels } from './surfaces/channel-owner.ts';
export { findSopStep, sopStepName } from './surfaces/sop-step.ts';
export { foldNarrowings } from './resolving/fold-narrowings.ts';
export { originNarrowings, type OriginNarrowings } from './resolving/origin-narrowings.ts';
export { registry, registryVersion } from './surfaces/registry.ts';
export { diffConfigs, type ConfigChange } from './config/diff-config.ts';
export { widens } from './config/widens.ts';
export { readPolicy, type ReadPolicy } from './read-policy.ts';
export { settings } from './surfaces/registry.ts';
export type { LayerKind, Setting } from './surfaces/setting.ts';
export type { SettingValues } from './setting-values.ts';
export { valueAt } from './resolving/snapshot-parts.ts';
export { explainPolicy, explainSetting, type ExplainedSetting } from './explain/explain.ts';
export { valueText } from './explain/value-text.ts';
export { comparePolicies, type Difference } from './explain/compare-policies.ts';
export { settingsMarkdown } from './explain/settings-markdown.ts';
export { composeYaml } from './config/compose-yaml.ts';
