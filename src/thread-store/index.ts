/** Stores of threads: the ports for reading and writing, stores on disk and in memory, and the writer of a log. */
export { AppendFailedError, LogChangedError, OrdinalOverflowError, SyncFailedError } from '../rollout/errors.js';
export {
  type CreateRecorder,
  type Durability,
  type RecorderOptions,
  type ResumeRecorder,
  RolloutRecorder,
} from '../rollout/recorder.js';
export { type AcquireWriterLock, acquireWriterLock, type WriterLock } from '../rollout/writer-lock.js';
export {
  DamagedError,
  IndexNotWritableError,
  SearchError,
  ThreadBusyError,
  ThreadNotFoundError,
  UnreadableHomeError,
  UnsupportedError,
} from './errors.js';
export type { Writer } from './first-record.js';
export { LocalSessionReader, type LocalSessionReaderOptions } from './local/local-session-reader.js';
export { LocalThreadStore, type LocalThreadStoreOptions, type ThreadLifecycle } from './local/local-thread-store.js';
export { MemoryThreadStore, type MemoryThreadStoreOptions } from './memory/memory-thread-store.js';
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
export type {
  Appended,
  CreateThread,
  ForkThread,
  LiveThread,
  NewThreadMeta,
  ReadThread,
  RolledBack,
  StoredThread,
  StoredThreadPage,
  StoredThreadQuery,
  ThreadPatch,
  ThreadStore,
  ThreadStoreCapabilities,
} from './thread-store.js';
