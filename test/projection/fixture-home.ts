/**
 * Reads the genuine homes under `fixtures/codex`: the lines of each rollout, and of a thread over all its files.
 * A small stand-in for what the rollout floor does, for files that are undamaged and small.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { decompress } from 'fzstd';
import type { JsonObject, JsonValue } from '../../src/base/json.js';
import { type DecodedRecord, decodeLine, detectShape } from '../../src/protocol/decode-line.js';

export const FIXTURES = fileURLToPath(new URL('../../fixtures/codex/', import.meta.url));

export interface FixtureRecord extends DecodedRecord {
  /** 1-based. */
  readonly lineNumber: number;
  readonly byteOffset: number;
  readonly path: string;
  readonly text: string;
}

export interface FixtureFile {
  readonly path: string;
  /** The UUID of the thread in the name, and of the segment when it is one. */
  readonly idFromName: string;
  readonly segmentId: string | undefined;
  readonly archived: boolean;
  readonly sizeBytes: number;
  readonly dialect: 'bare' | 'legacy' | 'paginated';
  readonly records: readonly FixtureRecord[];
}

const NAME = /^rollout-(.{19})-([0-9a-f-]{36})(?:_([0-9a-f-]{36}))?\.jsonl(\.zst)?$/;

function readText(path: string): Buffer {
  const bytes = readFileSync(path);
  if (!path.endsWith('.zst')) return bytes;
  return Buffer.from(decompress(bytes));
}

export function readRollout(path: string): FixtureFile {
  const match = NAME.exec(basename(path));
  const bytes = readText(path);
  const records: FixtureRecord[] = [];
  let byteOffset = 0;
  let lineNumber = 0;
  let shape: 'bare' | 'envelope' | undefined;
  while (byteOffset < bytes.length) {
    const found = bytes.indexOf(10, byteOffset);
    const end = found < 0 ? bytes.length : found;
    const text = bytes.toString('utf8', byteOffset, end);
    lineNumber += 1;
    const value = parse(text);
    if (value !== undefined) {
      shape ??= detectShape(value);
      const decode = decodeLine(value, shape);
      if (decode.kind === 'record') records.push({ ...decode, lineNumber, byteOffset, path, text });
    }
    byteOffset = end + 1;
  }
  const paginated = records[0]?.line.ordinal !== undefined;
  return {
    path,
    idFromName: match?.[2] ?? '',
    segmentId: match?.[3],
    archived: path.includes('archived_sessions'),
    sizeBytes: bytes.length,
    dialect: shape === 'bare' ? 'bare' : paginated ? 'paginated' : 'legacy',
    records,
  };
}

function parse(text: string): JsonValue | undefined {
  if (text.trim() === '') return undefined;
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    // The two fused lines of 0.8.0, and nothing else here.
    return undefined;
  }
}

export interface Scenario {
  readonly release: string;
  readonly name: string;
  readonly folder: string;
  readonly home: string;
}

export function scenarios(): readonly Scenario[] {
  return readdirSync(FIXTURES).flatMap((release) =>
    readdirSync(join(FIXTURES, release))
      .map((name) => ({
        release,
        name,
        folder: join(FIXTURES, release, name),
        home: join(FIXTURES, release, name, 'home'),
      }))
      .filter(({ home }) => existsSync(home)),
  );
}

export function readHome(home: string): readonly FixtureFile[] {
  return readdirSync(home, { recursive: true, encoding: 'utf8' })
    .filter((name) => NAME.test(basename(name)))
    .sort((a, b) => basename(a).localeCompare(basename(b)))
    .map((name) => readRollout(join(home, name)));
}

function baseOf(file: FixtureFile): JsonObject | undefined {
  const first = file.records[0]?.line.item;
  return first?.type === 'session_meta' ? (first.payload.history_base ?? undefined) : undefined;
}

/** The records that the newest file of `id` stands for: its own after those of the prefix that it refers to. */
export function threadRecords(files: readonly FixtureFile[], id: string): readonly FixtureRecord[] {
  const own = files.filter((file) => file.idFromName === id);
  const newest = own.reduce<FixtureFile | undefined>((best, file) => {
    const name = (at: FixtureFile | undefined): string => at?.segmentId ?? '';
    return best === undefined || name(file) > name(best) ? file : best;
  }, undefined);
  return newest === undefined ? [] : withBase(files, newest);
}

function withBase(files: readonly FixtureFile[], file: FixtureFile): readonly FixtureRecord[] {
  const base = baseOf(file);
  if (base === undefined) return file.records;
  const name = base['thread_id'];
  const parent = files.find((at) => (at.segmentId ?? at.idFromName) === name);
  if (parent === undefined) throw new Error(`No file for history base ${String(name)}`);
  const end = Number(base['end_byte_offset']);
  const inherited = withBase(files, parent).filter((record) => record.path !== parent.path || record.byteOffset < end);
  return [...inherited, ...file.records];
}
