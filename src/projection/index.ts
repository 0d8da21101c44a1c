/**
 * Pure folds over rollout lines: the row of a list, the turns, the model's history, the usage. Runs in a browser.
 */
export { clipTitle, maskedTitle, TITLE_MAX_CHARS } from './clip-title.js';
export { typedText } from './content.js';
export {
  FACT_LINES,
  type FactLine,
  type FactNeed,
  factNeed,
  isUsable,
  mayChangeFacts,
} from './fact-lines.js';
export {
  HistoryFold,
  type HistoryPosition,
  lineFilterForHistory,
  type ProjectedHistory,
  projectHistory,
} from './history.js';
export {
  isContextualUserMessage,
  isInjectedUserText,
  isSummaryText,
  isTurnBoundary,
  isUserRequest,
} from './injected.js';
export { formatInstant, parseInstant } from './instant.js';
export type { LineHeader } from './line-header.js';
export { maskedHead } from './masked-head.js';
export { externalCallId, itemOrigin, originOf, weakerOrigin } from './origin.js';
export { splitUserText, type UserTextPart } from './split-user-text.js';
export {
  applyLine,
  FactsFold,
  inheritFacts,
  type LinePlace,
  NO_FACTS,
  type ThreadFacts,
} from './thread-facts.js';
export {
  type GitInfo,
  HIDDEN_REASONS,
  type HiddenReason,
  hiddenReasonOf,
  type ThreadFile,
  type ThreadRow,
  threadRow,
} from './thread-row.js';
export { ORIGINS, type Origin, type TurnItemView, type TurnStatus, type TurnView } from './turn.js';
export { compactedText, eventItemText, type ItemText, responseItemText } from './turn-items.js';
export { type TurnBoundary, type TurnRecord, TurnsFold, type TurnsWindow } from './turns.js';
export { type ThreadUsage, type TokenUsage, UsageFold, type UsageFoldOptions } from './usage.js';
