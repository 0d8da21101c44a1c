/**
 * Records of a plain rollout from its end backwards: the newest line first, and of a line with several records the last first.
 *
 * Unwanted lines are not parsed. Damage has offsets but no line numbers, since lines are not counted from this side.
 */
import { isBlank } from '../base/jsonl.js';
import type { LineShape } from '../protocol/decode-line.js';
import type { Dialect } from '../protocol/rollout-line.js';
import type { Damage, UnknownType } from './damage.js';
import { GluedLines } from './glued-lines.js';
import { type LineHeader, readHeader } from './header.js';
import { loadBytesSync } from './load-line.js';
import { emptyContents, FileTraits, MAX_PARSED_BYTES, type RolloutRecord, readLine, tooLong } from './records.js';
import { type ReverseLine, type ReverseOptions, readBlocksReverse } from './reverse-reader.js';

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

/**
 * Yields, for each block of the file, its lines that hold a wanted record, damage or an unknown type, newest first.
 * A line is looked at when it is asked for: `want` may depend on what was made of the lines before. Rejects for a
 * compressed file.
 */
export async function* readRecordsReverse(
  path: string,
  options: ReverseRecordsOptions,
): AsyncGenerator<Iterable<ReverseRecords>, void> {
  const reader = new RecordReader(path, options);
  for await (const lines of readBlocksReverse(path, options)) yield reader.readAll(lines);
}

class RecordReader {
  readonly #path: string;
  readonly #options: ReverseRecordsOptions;
  readonly #shape: LineShape;

  constructor(path: string, options: ReverseRecordsOptions) {
    this.#path = path;
    this.#options = options;
    this.#shape = options.dialect === 'bare' ? 'bare' : 'envelope';
  }

  *readAll(lines: Iterable<ReverseLine>): Generator<ReverseRecords, void> {
    for (const line of lines) {
      if (!this.#wants(line)) continue;
      if (line.oversize && line.byteLength > MAX_PARSED_BYTES) {
        yield {
          records: [],
          damage: [tooLong(line)],
          unknown: [],
          byteOffset: line.byteOffset,
          nextOffset: line.nextOffset,
        };
        continue;
      }
      const found = this.#read(line.oversize ? this.#wholeLine(line) : line);
      if (found !== undefined) yield found;
    }
  }

  #wholeLine(line: ReverseLine): ReverseLine {
    const bytes = loadBytesSync(this.#path, line, this.#options.files);
    return { ...line, bytes, start: 0, end: bytes.length, oversize: false };
  }

  #wants(line: ReverseLine): boolean {
    const { want } = this.#options;
    if (want === undefined || !line.terminated) return true;
    const header = readHeader(line.bytes, line.start, line.end, this.#shape);
    if (header === undefined) return line.nulBytes > 0 || !isBlank(line.bytes, line.start, line.end);
    return want(header) || new GluedLines().mayHoldMore(line, this.#shape);
  }

  #read(line: ReverseLine): ReverseRecords | undefined {
    const { dialect, want } = this.#options;
    const contents = emptyContents();
    readLine(line, new FileTraits({ dialect }), contents);
    const { damage, unknown } = contents;
    let records = contents.records;
    if (want !== undefined) {
      records = records.filter((record) => {
        const start = line.start + record.byteOffset - line.byteOffset;
        const header = readHeader(line.bytes, start, start + record.byteLength, this.#shape);
        return header === undefined || want(header);
      });
    }
    if (records.length + damage.length + unknown.length === 0) return undefined;
    const { byteOffset, nextOffset } = line;
    return { records: records.reverse(), damage, unknown, byteOffset, nextOffset };
  }
}
