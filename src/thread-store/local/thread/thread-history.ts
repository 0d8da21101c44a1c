/**
 * The model-visible history of a thread that may stand in several files: each is read from its end, and reading stops
 * where nothing older can matter.
 */
import type { FileSystem } from '../../../platform/files/file-system.js';
import { HistoryFold, type ProjectedHistory } from '../../../projection/history.js';
import { isCompressed } from '../../../rollout/byte-feed.js';
import { DamageLog, type FileDamage } from '../../../rollout/damage.js';
import { readRecords } from '../../../rollout/forward-reader.js';
import { readHeadSync } from '../../../rollout/head.js';
import type { LineagePart } from '../../../rollout/lineage.js';
import type { RolloutRecord } from '../../../rollout/records.js';
import { readRecordsReverse } from '../../../rollout/reverse-records.js';

export interface HistoryOptions {
  readonly files: FileSystem;
  readonly signal?: AbortSignal | undefined;
}

export interface ReadHistory extends ProjectedHistory {
  readonly damage: readonly FileDamage[];
}

/** Reads the parts newest first. Damage in what had to be read is reported; backwards it has no line number. */
export async function readHistory(parts: readonly LineagePart[], options: HistoryOptions): Promise<ReadHistory> {
  const fold = new HistoryFold();
  const damage = new DamageLog<FileDamage>();
  for (const part of parts.toReversed()) {
    const read = isCompressed(part.path) ? visitForwards : visitBackwards;
    if ((await read(part, fold, damage, options)) === 'stop') break;
  }
  return { ...fold.finish(), damage: damage.list() };
}

type Visit = (
  part: LineagePart,
  fold: HistoryFold,
  damage: DamageLog<FileDamage>,
  options: HistoryOptions,
) => Promise<'continue' | 'stop'>;

const visitBackwards: Visit = async ({ path, endByteOffset }, fold, damage, { files, signal }) => {
  // Without one, the file holds no record.
  const { dialect } = readHeadSync(path, files);
  if (dialect === undefined) return 'continue';
  const batches = readRecordsReverse(path, {
    files,
    dialect,
    endByteOffset,
    want: (header) => fold.wants(header),
    ...(signal !== undefined && { signal }),
  });
  for await (const batch of batches) {
    for (const line of batch) {
      for (const found of line.damage) damage.add({ ...found, path });
      for (const { line: record, byteOffset } of line.records) {
        if (fold.visit(record, { path, byteOffset }) === 'stop') return 'stop';
      }
    }
  }
  return 'continue';
};

/** A compressed file can only be read forwards: what matters of it is kept until its end is known. */
const visitForwards: Visit = async ({ path, endByteOffset }, fold, damage, { files, signal }) => {
  const records: RolloutRecord[] = [];
  // Every line that may matter is kept: which of them do is known from the end only.
  const batches = readRecords(path, {
    files,
    endByteOffset,
    want: (header) => header.type === 'event_msg' || fold.wants(header),
    ...(signal !== undefined && { signal }),
  });
  for await (const batch of batches) {
    for (const found of batch.damage) damage.add({ ...found, path });
    for (const record of batch.records) records.push(record);
  }
  for (const { line, byteOffset } of records.toReversed()) {
    if (fold.visit(line, { path, byteOffset }) === 'stop') return 'stop';
  }
  return 'continue';
};
