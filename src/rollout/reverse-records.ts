/**
 * Records of a plain rollout from its end backwards: the newest line first, and of a line with several records the last first.
 *
 * Unwanted lines are not parsed. Damage has offsets but no line numbers, since lines are not counted from this side.
 */
import { isBlank } from '../base/jsonl.js';
import type { LineShape } from '../protocol/decode-line.js';
import type { Dialect } from '../protocol/rollout-line.js';
import type { Damage, UnknownType } from './damage.js';
import { GluedLines, type LineHeader, readHeader } from './header.js';
import { loadBytes } from './load-line.js';
import { emptyContents, FileTraits, type RolloutRecord, readLine } from './records.js';
import { type ReverseLine, type ReverseOptions, readLinesReverse } from './reverse-reader.js';

export interface ReverseRecordsOptions extends ReverseOptions {
  /** From the head of the file; backwards it cannot be told. */
  readonly dialect: Dialect;
  /** Which lines are parsed. Lines whose header cannot be read without parsing are always given. */
  readonly want?: (header: LineHeader) => boolean;
}

/** What one physical line held. */
export interface ReverseRecords {
  /** Last one of the line first. */
  readonly records: readonly RolloutRecord[];
  readonly damage: readonly Damage[];
  readonly unknown: readonly UnknownType[];
  readonly byteOffset: number;
  /** Where the next line forwards begins. */
  readonly nextOffset: number;
}

/** Yields lines that hold a wanted record, damage or an unknown type, newest first. Rejects for a compressed file. */
export async function* readRecordsReverse(
  path: string,
  options: ReverseRecordsOptions,
): AsyncGenerator<ReverseRecords, void> {
  const { dialect, want } = options;
  const shape: LineShape = dialect === 'bare' ? 'bare' : 'envelope';
  for await (const line of readLinesReverse(path, options)) {
    if (!isWanted(line, shape, want)) continue;
    const whole = line.oversize ? await wholeLine(path, line, options) : line;
    const contents = emptyContents();
    readLine(whole, new FileTraits({ dialect }), contents);
    const records = contents.records.filter((record) => {
      if (want === undefined) return true;
      const start = whole.start + record.byteOffset - whole.byteOffset;
      const header = readHeader(whole.bytes, start, start + record.byteLength, shape);
      return header === undefined || want(header);
    });
    const { damage, unknown } = contents;
    if (records.length + damage.length + unknown.length === 0) continue;
    const { byteOffset, nextOffset } = line;
    yield { records: records.reverse(), damage, unknown, byteOffset, nextOffset };
  }
}

function isWanted(line: ReverseLine, shape: LineShape, want: ReverseRecordsOptions['want']): boolean {
  if (want === undefined || !line.terminated) return true;
  const header = readHeader(line.bytes, line.start, line.end, shape);
  if (header === undefined) return line.nulBytes > 0 || !isBlank(line.bytes, line.start, line.end);
  return want(header) || new GluedLines().mayHoldMore(line, shape);
}

async function wholeLine(path: string, line: ReverseLine, options: ReverseRecordsOptions): Promise<ReverseLine> {
  const bytes = await loadBytes(path, line, options);
  return { ...line, bytes, start: 0, end: bytes.length, oversize: false };
}
