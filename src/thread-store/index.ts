/** Stores of threads: the reading port, and the one that reads a home on disk. */
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
