export {
  artifactPartBytes,
  appendLimitBytes,
  contentSchema,
  digestSchema,
  eventLimitBytes,
  inlineLimitBytes,
  type Content,
} from './events/content.ts';
export {
  metaSchema,
  positionSchema,
  type Meta,
  type NewMeta,
  type Position,
} from './events/envelope.ts';
export {
  eventTypes,
  familyOf,
  isEventType,
  parseEvent,
  payloads,
  payloadsByFamily,
  type DataOf,
  type EventOf,
  type EventProblem,
  type EventType,
  type Fact,
  type KnownParts,
  type LockstepEvent,
  type NewEvent,
  type StreamFamily,
  type TurnEvent,
  type TurnFact,
} from './events/event.ts';
export { probedEvents } from './events/probed-events.ts';
export {
  grantFieldSchema,
  toolSpecSchema,
  type AskedCall,
  type CapUse,
  type ConfigRef,
  type DecidedBy,
  type Facts,
  type DeclaredOperand,
  type GrantField,
  type Operand,
  type RootsFact,
  type RuleId,
  type ToolSpec,
  type Touched,
  type Usage,
} from './events/parts.ts';
export type {
  AppendResult,
  EventFilter,
  EventStore,
  ExpectedRevision,
  ReadAllOptions,
  ReadAllResult,
  Subscription,
  SubscriptionMessage,
} from './ports/event-store.ts';
export type { Job } from './events/job-events.ts';
export {
  replyToSchema,
  type MemoryScope,
  type RecalledRow,
  type ReplyTo,
} from './events/turn-parts.ts';
export type { Artifacts } from './ports/artifacts.ts';
export type { Clock, Ids } from './ports/clock.ts';
export type {
  AcceptedMessage,
  ConnectionRecord,
  FlagRecord,
  JobTimes,
  OpenJobRun,
  OwedReply,
  Ledger,
  LiveToken,
  PendingRecord,
  SessionRecord,
  SopRunRecord,
  SpendingRecord,
  UnknownOutcome,
  WaitingMessage,
} from './ports/ledger.ts';
export type { Masker, MaskOptions } from './ports/masker.ts';
export type {
  AbortSignalLike,
  ModelInput,
  ModelMessage,
  ModelOutcome,
  ModelPort,
} from './ports/model.ts';
export type { OperandFacts, ToolOutcome, ToolPort, ToolScope } from './ports/tools.ts';
export {
  isStartedModelCall,
  isStartedToolCall,
  startedModelCall,
  startedToolCall,
  type StartedModelCall,
  type StartedToolCall,
} from './turn/started.ts';
export { fenceUntrusted } from './context/fence.ts';
export {
  currentMessages,
  pastTurn,
  textFrom,
  type ConversationTurn,
  type TextOf,
} from './context/conversation.ts';
export {
  nothingMade,
  systemParts,
  systemText,
  type Made,
  type SystemParts,
} from './context/system-text.ts';
export {
  expiryOf,
  isInMemoryScope,
  memoryKeeperOf,
  memoryScopeOf,
  actsFor,
  personOf,
  recallsUnasked,
  type OwnedRow,
} from './context/memory-scope.ts';
export { loadShellReader, type ShellReader } from './shell/read-line.ts';
export {
  renderLine,
  type ShellCommand,
  type ShellLine,
  type ShellRedirect,
} from './shell/shell-line.ts';
export type { Memory, MemoryKeeper, MemoryQuery, Recalled } from './ports/memory.ts';
export {
  leftOut,
  trimContext,
  type Trim,
  type TrimInput,
  type TrimmedContext,
} from './context/trim.ts';
export type {
  CommandOf,
  PersonDecision,
  ChildLink,
  PreparedCall,
  PreparedModelCall,
  ToolReport,
  TurnCommand,
} from './turn/commands.ts';
export { countCodePoints, cutText, type CutText } from './turn/cut-text.ts';
export { decide } from './turn/decide.ts';
export { turnDecider } from './turn/decider.ts';
export type { Decision, Refusal } from './turn/decision.ts';
export { askUser } from './turn/decisions/start-call.ts';
export { evolve, evolveAll, type RecordedFact } from './turn/evolve.ts';
export { digestOfContent } from './turn/evolve-calls.ts';
export {
  inputDigest,
  noTools,
  prepareModelInput,
  toolList,
  type BuiltInput,
  type ToolList,
} from './turn/model-input.ts';
export { nextDeadline, nextEffect, type TurnEffect } from './turn/next-effect.ts';
export {
  expiryAt,
  graceAfterStartMs,
  promisedGrants,
  recoverySteps,
  type RecoveryStep,
} from './turn/recover.ts';
export { readCall, unsealedIn } from './turn/read-call.ts';
export { speculate } from './turn/speculate.ts';
export { timeCaps } from './turn/time-caps.ts';
export { whyRefused } from './turn/why-refused.ts';
export {
  activeAt,
  callsOf,
  initialState,
  waitsForOthers,
  type CallState,
  type OpenTurn,
  type RunningCall,
  type TurnState,
} from './turn/state.ts';
export type { GateCall, GateState, Verdict } from './gate/verdict.ts';
export { authorize } from './gate/authorize.ts';
export { fits, release, remainder, reserve, settle, type Account } from './budget/account.ts';
export { capUses, nothingInFlight, type InFlight, type TurnSpending } from './budget/cap-uses.ts';
export { detectLoop, type CallKey } from './budget/detect-loop.ts';
export {
  outsideCaps,
  type CappedTurn,
  type HeldSpending,
  type Live,
} from './budget/outside-caps.ts';
export { emergencyStop } from './turn/decisions/stop.ts';
export {
  deciderName,
  whyNoVote,
  whyNotApprover,
  type ApproverRights,
  type DecidableRequest,
} from './gate/approver.ts';
export { estimatePromptTokens, estimateTokens } from './budget/estimate-tokens.ts';
export { judgeModelCall, type ModelCallBudget } from './budget/judge-model-call.ts';
export { addCost, priceOf, type Cost } from './budget/price-of.ts';
export { bindingOf, destinationOf, type Bound } from './gate/binding.ts';
export { approvalView, type ApprovalView, type ApprovalViewInput } from './gate/approval-view.ts';
export { whyGrantVoid } from './gate/void-grant.ts';
export { matchGrants, type GrantedCall } from './gate/match-grants.ts';
export { pathVisible } from './gate/path-operand.ts';
export { visibleText } from './gate/visible-text.ts';
export { advertise, whyWithheld } from './tools/advertise.ts';
export { aliasTools } from './tools/alias-tools.ts';
export { builtinSpecs, childTools } from './tools/builtin-specs.ts';
export { checkArguments, type ArgumentsCheck } from './tools/check-arguments.ts';
export { effectsOf } from './tools/effects.ts';
export { mcpSpec, type ListedTool, type McpSpecResult } from './tools/mcp-spec.ts';
export { specDigest, specText } from './tools/spec-digest.ts';
export { operandPointers, type PointedOperands } from './tools/operand-pointers.ts';
export type { Withheld } from './tools/withheld.ts';
export type { KeyedProjection, Projection } from './projections/projection.ts';
export {
  cellStates,
  type CellState,
  type GapKind,
  type Objection,
  type ParityCell,
  type ParityCellDetail,
  type ParityRow,
  type ParityView,
  type TriggerCell,
} from './projections/parity-matrix.view.ts';
export type { TurnRow, TurnStatus } from './projections/turn-list.view.ts';
export type { TurnAnswer } from './projections/turn-answer.view.ts';
export type { StepTone, TimelineStep, TurnDetail } from './projections/turn-detail.view.ts';
export type { TrailEntry } from './projections/agent-trail.view.ts';
export type { InboxRow } from './projections/approvals-inbox.view.ts';
export { foldLedger, ledgerTypes } from './ledger/fold-ledger.ts';
export { ledgerOf } from './ledger/ledger-of.ts';
export {
  emptyLedger,
  freezeLedger,
  ledgerVersion,
  takeChanges,
  thawLedger,
  keepChanges,
  letGo,
  type StoredRows,
  type LedgerChange,
  type LedgerState,
} from './ledger/ledger-state.ts';
export { artifactsOver, artifactStream, joinArtifact } from './log/artifacts-over.ts';
export { matchesFilter } from './log/filter.ts';
export { utf8Bytes } from './log/size.ts';
export { numberOf, positionOf, stampedEvent, type Stamp } from './log/stamp.ts';
export { subscription, type SubscriptionSource } from './log/subscription.ts';
export { bitesOf, judgeTurn, monitors, witnesses, type Bite } from './monitors/judge-turn.ts';
export type { Monitor, Witness } from './monitors/monitor.ts';
export {
  noSurroundings,
  recordTurn,
  type ConnectionOwner,
  type RecordedGrant,
  type RecordedTurn,
  type Surroundings,
} from './monitors/recorded-turn.ts';
export {
  coverageOf,
  parityCell,
  parityMatrix,
  parityView,
  type ParityQuery,
  type ParityState,
} from './projections/parity-matrix.ts';
export { eventTitle } from './projections/event-title.ts';
export { triggersByPath } from '@lockstep/policy';
export { turnList, type TurnListRow } from './projections/turn-list.ts';
export {
  foldTurnDetail,
  turnDetail,
  type ArtifactText,
  type FoldedTurn,
} from './projections/turn-detail.ts';
export { matchesTrail, trailEntry, type TrailFilter } from './projections/agent-trail.ts';
export { approvalsInbox } from './projections/approvals-inbox.ts';
export { unifiedDiff } from './gate/unified-diff.ts';
export { thisBuild, type Engine } from './replay/engine.ts';
export {
  historyCollector,
  readHistory,
  turnsOf,
  type HistoryCollector,
  type ReadHistory,
} from './replay/read-history.ts';
export {
  expectedVerdictSchema,
  historyFormat,
  historyHeaderSchema,
  type AboutHistory,
  type ExpectedVerdict,
  type HistoryHeader,
} from './replay/history/header.ts';
export {
  historyBounds,
  historyReader,
  type HistoryBounds,
  type HistoryReader,
  type RunningDigest,
  type TakenLine,
} from './replay/history/reader.ts';
export { headerOf, historyText } from './replay/history/write.ts';
export { replayer, replayTurn, type Replayer, type ReplayHistory } from './replay/replay-turn.ts';
export type { EventRef, FieldDifference, HistoryProblem, ReplayReport } from './replay/report.ts';
export { replaySteps } from './replay/replay-steps.ts';
export {
  counterfactual,
  counterfactuals,
  counterfactualsOver,
  type Counterfactuals,
} from './replay/counterfactual/counterfactual.ts';
export type { CounterfactualAsk, OtherStart } from './replay/counterfactual/ask.ts';
export type {
  ComparedStep,
  CounterfactualReport,
  CounterfactualStart,
  PolicyDifference,
  VerdictChange,
  VerdictComparison,
  VerdictSeen,
} from './replay/counterfactual/report.ts';
export type {
  BacktestChange,
  BacktestGroup,
  BacktestReport,
  ChangeCounts,
  UnjudgedTurn,
} from './replay/backtest/report.ts';
export {
  recordingOf,
  recordingOver,
  type Recording,
  type RecordingSource,
} from './replay/recording.ts';
export { originOf, type JudgedTurn, type TurnOrigin } from './replay/backtest/judged-turn.ts';
export { addTurns } from './replay/backtest/count-turns.ts';
export {
  emptyTally,
  mergeTallies,
  tallyLimits,
  type BacktestTally,
  type TallyLimits,
} from './replay/backtest/tally.ts';
export { backtestReport } from './replay/backtest/backtest-report.ts';
export { bisect, type BisectAsk } from './replay/bisect/bisect.ts';
export type { BisectKey, BisectReport } from './replay/bisect/report.ts';
export { ddmin } from './replay/minimize/ddmin.ts';
export { minimize, type MinimizeAsk } from './replay/minimize/minimize.ts';
export type { MinimizeReport } from './replay/minimize/report.ts';
export {
  definitionText,
  readDefinition,
  sopDefinition,
  type SopDefinition,
  type SopStep,
  type WrittenSop,
} from './sop/definition.ts';
export { decideSop, type SopCommand, type SopDecision } from './sop/decide-sop.ts';
export type { GateDecision } from './sop/decide-gate.ts';
export { evolveSop } from './sop/evolve-sop.ts';
export { currentStep, nextSopEffect, stepTurn, type SopEffect } from './sop/next-sop-effect.ts';
export { renderPrompt, type PromptTexts } from './sop/render-prompt.ts';
export { outputProblem } from './sop/check-output.ts';
export {
  initialSop,
  type EndedSop,
  type OpenSop,
  type RunningStep,
  type SopEvent,
  type SopFact,
  type SopGate,
  type SopState,
} from './sop/state.ts';
export { gateView } from './sop/gate-view.ts';
export { jobList } from './projections/job-list.ts';
export type { JobRow, JobRunRow } from './projections/job-list.view.ts';
export { sopRuns } from './projections/sop-runs.ts';
export type { SopRunRow, SopStepRow } from './projections/sop-runs.view.ts';
