/**
 * The vocabulary, as one import. Browser-safe.
 */
export { decodeEventMsg, type EventDecode } from './decode-event.js';
export {
  type DecodedRecord,
  decodeLine,
  detectShape,
  encodeLine,
  type LineDecode,
  type LineShape,
  type UnknownLevel,
} from './decode-line.js';
export {
  type DecodedLine,
  type DecodeSummary,
  PolicyDecoder,
  type PolicyDecoderOptions,
  STREAM_SHAPES,
  type StreamShape,
} from './decode-stream.js';
export { type Event, encodeEvent } from './event.js';
export type {
  EventMsg,
  EventOf,
  ItemCompleted,
  ItemStarted,
  TaskComplete,
  TaskStarted,
  ThreadGoalUpdated,
  ThreadNameUpdated,
  ThreadRolledBack,
  ThreadSettingsApplied,
  TokenCount,
  TurnAborted,
  UserMessage,
} from './event-msg.js';
export { type LegacyTwinOptions, legacyTwins } from './legacy-twins.js';
export {
  type NotSubmittedReason,
  type Op,
  type OpKind,
  type Reply,
  type ReviewDecision,
  Submission,
  type SubmissionOptions,
  type SuspendOutcome,
  type TurnInputMode,
  type TurnInputOp,
  type TurnRouting,
  type UnknownOp,
  type UserInput,
} from './op.js';
export { capOutput, MAX_PERSISTED_OUTPUT_BYTES, OUTPUT_CUT_MARK, withCappedOutput } from './persisted-output.js';
export {
  eventPersistence,
  isPersisted,
  itemPersistence,
  responseItemPersistence,
  type WrittenDialect,
} from './persistence.js';
export {
  judgeLine,
  POLICIES,
  POLICY_RULES,
  type PolicyOutcome,
  type PolicyRule,
  type PolicyVerdict,
  type UnknownTypePolicy,
} from './policies.js';
export {
  type AdditionalTools,
  type AgentMessageItem,
  type ContentItem,
  type CustomToolCall,
  type CustomToolCallOutput,
  type FunctionCall,
  type FunctionCallOutput,
  isGhostSnapshot,
  isOpaqueItem,
  type KnownResponseItem,
  type LocalShellCall,
  type MessageItem,
  type OpaqueResponseItem,
  type ReasoningItem,
  type ResponseItem,
  type ToolSearchCall,
  type ToolSearchOutput,
  unknownContentType,
} from './response-item.js';
export type { Compacted, Dialect, RolloutItem, RolloutItemType, RolloutLine, TurnContext } from './rollout-line.js';
export type { HistoryBase, SessionGit, SessionMeta } from './session-meta.js';
export type { TurnItem } from './turn-item.js';
export { displayName, EVENTS, type KnownName, LINES, RESPONSE_ITEMS, TURN_ITEMS } from './wire-lookup.js';
export {
  CONTENT_ITEM_NAMES,
  type ContentItemType,
  EVENT_NAMES,
  type EventTag,
  LINE_NAMES,
  type LineType,
  type Persistence,
  RESPONSE_ITEM_NAMES,
  type ResponseItemType,
  TURN_ITEM_NAMES,
  type TurnItemType,
  type WireName,
} from './wire-names.js';
