export { uuidV7Ids } from './adapters/ids.ts';
export {
  openReadModels,
  type ProjectionStatus,
  type ReadModels,
  type ReadModelsOptions,
} from './store/read-models/read-models.ts';
export { StoreError } from './store/store-error.ts';
export { logPath, openSqliteLog, type SqliteLog } from './store/sqlite/sqlite-log.ts';
export { checkLog, type LogCheck, type LogProblem } from './store/check-log.ts';
