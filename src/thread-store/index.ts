/** Stores of threads: the reading port, the one that reads a home on disk, and the writer of its logs. */
export {
  AppendFailedError,
  LogChangedError,
  OrdinalOverflowError,
  SyncFailedError,
} from '../rollout/errors.js';
export {
  type Appended,
  type CreateRecorder,
  type Durability,
  type RecorderOptions,
  type ResumeRecorder,
  RolloutRecorder,
} from '../rollout/recorder.js';
export { type AcquireWriterLock, acquireWriterLock, type WriterLock } from '../rollout/writer-lock.js';
export { IndexNotWritableError, SearchError, ThreadNotFoundError, UnreadableHomeError } from './errors.js';
export { LocalSessionReader, type LocalSessionReaderOptions } from './local/local-session-reader.js';
export type {
  FileDamage,
  HistoryResult,
  HomeInfo,
  HomeKind,
  IndexProgress,
  IndexState,
  ListQuery,
  RawLine,
  ReadOptions,
  RebuildResult,
  SearchHit,
  SearchPage,
  SearchQuery,
  SessionReader,
  ThreadCandidate,
  ThreadPage,
  ThreadPart,
  ThreadReader,
  TurnsQuery,
  TurnsResult,
  VerifiedFile,
} from './session-reader.js';
