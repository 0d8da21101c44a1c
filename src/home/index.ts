/** Codicil's main entry: open a home, or all of them, and read their sessions. */
export { CodicilError } from '../base/errors.js';
export type { SegmentId, ThreadId } from '../base/ids.js';
export type { HiddenReason, ThreadRow } from '../projection/thread-row.js';
export type { Origin, TurnItemView, TurnStatus, TurnView } from '../projection/turn.js';
export type { Damage, DamageKind, UnknownType } from '../rollout/damage.js';
export type { LogEntry, LogFunction, LogLevel, LogPartition, LogQuery, LogRow } from '../state/logs/index.js';
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
} from '../thread-store/session-reader.js';
export type { AuditedDatabase, AuditOptions, AuditProblem, AuditProblemKind, AuditReport } from './audit-homes.js';
export type { Diagnostics } from './diagnostics.js';
export type { DoctorCheck } from './doctor/check.js';
export type { DiskReport, HomeUsage } from './doctor/disk-report.js';
export type { DoctorReport } from './doctor/doctor.js';
export type { DoctorOptions, DoctorProgress } from './doctor/options.js';
export type { SecretsReport } from './doctor/secrets-report.js';
export type { HomeSet } from './home-set.js';
export { HomeError } from './locate.js';
export { type OpenHomeOptions, type OpenHomesOptions, openHome, openHomes } from './open-homes.js';
export { type OpenThreadHomeOptions, openThreadHome } from './open-thread-home.js';
export { openProgramLog, type ProgramLog, type ProgramLogOptions } from './program-log.js';
export { type LogPage, type ReadLogOptions, readProgramLog } from './read-log.js';
export { type ChangedThread, ForeignHomeError, type ThreadHome, type TrashedThread } from './thread-home.js';
