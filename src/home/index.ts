/** Codicil's main entry: open a home, or all of them, and read their sessions. */
export { CodicilError } from '../base/errors.js';
export type { SegmentId, ThreadId } from '../base/ids.js';
export type { HiddenReason, ThreadRow } from '../projection/thread-row.js';
export type { Origin, TurnItemView, TurnStatus, TurnView } from '../projection/turn.js';
export type { Damage, DamageKind, UnknownType } from '../rollout/damage.js';
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
  SessionReader,
  ThreadCandidate,
  ThreadPage,
  ThreadPart,
  ThreadReader,
  TurnsQuery,
  TurnsResult,
  VerifiedFile,
} from '../thread-store/session-reader.js';
export type { HomeSet } from './home-set.js';
export { HomeError } from './locate.js';
export { type OpenHomeOptions, type OpenHomesOptions, openHome, openHomes } from './open-homes.js';
