/**
 * What the log may take. Bytes of rows are estimated (text only); those of files are measured.
 */

export interface LogBounds {
  /** Bytes of one partition: a thread, or a process where an entry belongs to no thread. */
  readonly partitionBytes: number;
  /** Rows of one partition. */
  readonly partitionRows: number;
  /** Rows older than this go when the log is opened. */
  readonly retentionMs: number;
  /** A database above this gives up its oldest rows, down to half of it: partitions are many. */
  readonly fileBytes: number;
  /** A write-ahead log above this is moved into the database after a batch. */
  readonly walCheckpointBytes: number;
  /** Above this, where a long reader keeps it from being moved, nothing is written. */
  readonly walMaxBytes: number;
}

const MIB = 1024 * 1024;

export const LOG_BOUNDS: LogBounds = {
  partitionBytes: 10 * MIB,
  partitionRows: 1_000,
  retentionMs: 10 * 24 * 60 * 60 * 1000,
  fileBytes: 128 * MIB,
  walCheckpointBytes: 4 * MIB,
  walMaxBytes: 16 * MIB,
};
