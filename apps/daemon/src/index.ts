export { startDaemon, type Daemon, type DaemonOptions } from './daemon.ts';
export { StartError } from './start-error.ts';
export { skillReader, type ReadSkills } from './adapters/skills/skill-prompt.ts';
export { SkillLibrary } from './adapters/skills/skill-library.ts';
export { identityReader, type ReadIdentity } from './adapters/identity/read-identity.ts';
export { childTools } from './adapters/children/child-tools.ts';
export { uuidV7Ids } from './adapters/ids.ts';
export {
  openReadModels,
  type ProjectionStatus,
  type ReadModels,
  type ReadModelsOptions,
} from './store/read-models/read-models.ts';
export { StoreError } from './store/store-error.ts';
export { readConnection } from './store/eventstore/connection-text.ts';
export { openEventStoreLog } from './store/eventstore/load.ts';
export type { EventStoreLog } from './store/eventstore/open-eventstore-log.ts';
export { logPath, openSqliteLog, type SqliteLog } from './store/sqlite/sqlite-log.ts';
export { prepareBacktest, type PreparedBacktest } from './replay/backtest/backtest-log.ts';
export { checkLog, type LogCheck, type LogProblem } from './store/check-log.ts';
export { ALARMS, timerAlarms, type Alarms } from './turns/alarms.ts';
export { TurnsService } from './turns/turns.service.ts';
export type { TurnParts } from './turns/turn-parts.ts';
export type {
  ApprovalDecision,
  DecisionResult,
  Delta,
  LaunchResult,
  TurnRequest,
  Turns,
} from './turns/turns.port.ts';
export type { CurrentConfig } from './config/current-config.port.ts';
export type { ChannelMessage } from './paths/channel/channel-message.ts';
export { encodeDiscord } from './paths/channel/discord/discord.wire.ts';
export { encodeMqtt } from './paths/channel/mqtt/mqtt.wire.ts';
export { encodeSlack } from './paths/channel/slack/slack.wire.ts';
export { encodeTelegram } from './paths/channel/telegram/telegram.wire.ts';
export { encodeWebhook } from './paths/channel/webhook/webhook.wire.ts';
export { openRecordedLog, type RecordedLog } from './replay/histories/open-recorded-log.ts';
export { readHistoryFile } from './replay/histories/read-history-file.ts';
export {
  checkHistory,
  verifyHistory,
  type HistoryCheck,
} from './replay/histories/verify-histories.ts';
export { layHistory, type Imported } from './replay/import/lay-history.ts';
export { runCli, type Surroundings } from './cli/program.ts';
