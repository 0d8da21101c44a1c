/**
 * The format of a bundle: one file that holds whole logs, byte for byte, and says what they are.
 *
 *     CODICIL-BUNDLE 1 <bytes of the header> <sha256 of the header>\n
 *     <header: one JSON object>\n
 *     <the bytes of each file, in the order of the header, nothing between them>
 *     CODICIL-END <sha256 of every byte before this line>\n
 *
 * Every byte is under a checksum, every size is declared before the bytes come, and the sizes must add up to the size of the
 * file, so that neither reading nor refusing a bundle ever needs more than one window of memory. Pure: reads and writes no file.
 */
import { parseSegmentId, parseThreadId, type SegmentId, type ThreadId } from '../../base/ids.js';
import { isJsonObject, type JsonObject, type JsonValue } from '../../base/json.js';
import { fileNameOf, parseRolloutName } from '../../rollout/paths.js';
import type { HomeKind } from '../session-reader.js';
import { BundleError } from './errors.js';

export const BUNDLE_FORMAT = 1;
export const BUNDLE_MAGIC = 'CODICIL-BUNDLE ';

/** What a bundle may hold at most, declared or not. */
export const BUNDLE_LIMITS = {
  headerBytes: 16 * 1024 * 1024,
  files: 5_000,
  fileBytes: 64 * 1024 ** 3,
  totalBytes: 256 * 1024 ** 3,
  nameChars: 10_000,
} as const;

/** Longer first lines are none of a bundle. */
export const PREAMBLE_MAX_BYTES = 128;
const TRAILER_WORD = 'CODICIL-END ';
export const TRAILER_BYTES = TRAILER_WORD.length + 64 + 1;

/** One log in a bundle. */
export interface BundleFile {
  /** Below a home: `sessions/YYYY/MM/DD/rollout-….jsonl[.zst]` or `archived_sessions/rollout-….jsonl[.zst]`. */
  readonly path: string;
  readonly threadId: ThreadId;
  readonly segmentId: SegmentId | null;
  readonly bytes: number;
  /** Of these bytes, in lower-case hex. */
  readonly sha256: string;
  /** Bytes of the log itself: of a compressed file, those that it expands to. */
  readonly contentBytes: number;
  /** The file that this one continues, which stands before it in the bundle, and where in it (decompressed) it is cut. */
  readonly base: { readonly path: string; readonly endByteOffset: number } | null;
}

export interface BundleThread {
  readonly id: ThreadId;
  /** The name that the user gave it; null for none. */
  readonly name: { readonly text: string; readonly updatedAt: string | null } | null;
  /** False for a thread that is here only because another one continues it. */
  readonly requested: boolean;
}

export interface BundleHeader {
  readonly format: number;
  /** Name and version of the program that wrote it. */
  readonly program: string;
  readonly createdAt: string;
  /** The kind of home that the logs come from. */
  readonly homeKind: HomeKind;
  /** True when secrets were masked: then no log has the bytes that it had. */
  readonly masked: boolean;
  /** How many secrets of which rule the logs hold; when masked, how many were masked. */
  readonly secrets: Readonly<Record<string, number>>;
  readonly threads: readonly BundleThread[];
  /** What others continue comes before them. */
  readonly files: readonly BundleFile[];
}

export interface Preamble {
  readonly format: number;
  readonly headerBytes: number;
  readonly headerSha256: string;
  /** Length of the first line. */
  readonly bytes: number;
}

export function renderPreamble(headerBytes: number, headerSha256: string): string {
  return `${BUNDLE_MAGIC}${BUNDLE_FORMAT} ${headerBytes} ${headerSha256}\n`;
}

/** Undefined when the text does not begin as a bundle does. */
export function parsePreamble(text: string): Preamble | undefined {
  const match = /^CODICIL-BUNDLE (\d{1,9}) (\d{1,9}) ([0-9a-f]{64})\n/.exec(text);
  const [line = '', format, headerBytes, headerSha256 = ''] = match ?? [];
  if (match === null) return undefined;
  return { format: Number(format), headerBytes: Number(headerBytes), headerSha256, bytes: line.length };
}

export function renderTrailer(sha256: string): string {
  return `${TRAILER_WORD}${sha256}\n`;
}

/** The checksum in the last line; undefined when it is none. */
export function parseTrailer(text: string): string | undefined {
  return /^CODICIL-END ([0-9a-f]{64})\n$/.exec(text)?.[1];
}

/** The header as it stands in the file, line feed included. */
export function renderHeader(header: BundleHeader): string {
  const { homeKind, ...same } = header;
  return `${JSON.stringify({ kind: 'codicil-bundle', ...same, home: { kind: homeKind } })}\n`;
}

const KNOWN_PATH = /^(?:sessions\/\d{4,6}\/\d{2}\/\d{2}|archived_sessions)\/(rollout-[0-9A-Za-z_.-]{1,200})$/;

/** True for the places of logs that a bundle may name, and for nothing else. */
export function isBundlePath(path: string): boolean {
  const name = KNOWN_PATH.exec(path)?.[1];
  return name !== undefined && parseRolloutName(name) !== undefined;
}

/**
 * Reads a header whose checksum fits. Throws BundleError `bundle-invalid` or `bundle-too-large`, naming the field: what a
 * header says is believed only as far as it cannot do harm. Fields that are not known are left alone.
 */
export function parseHeader(text: string): BundleHeader {
  let value: JsonValue;
  try {
    // What JSON.parse returns is a JsonValue.
    value = JSON.parse(text) as JsonValue;
  } catch (error) {
    throw new BundleError('bundle-invalid', 'Cannot read the bundle: its header is not JSON', { cause: error });
  }
  const read = new HeaderReader();
  const header = read.object(value, 'header');
  if (header['kind'] !== 'codicil-bundle') throw invalid('kind', 'is not that of a bundle');
  const homeKind = read.object(header['home'], 'home')['kind'];
  if (homeKind !== 'codicil' && homeKind !== 'codex') throw invalid('home.kind', 'is no kind of home');
  const { masked } = header;
  if (typeof masked !== 'boolean') throw invalid('masked', 'is neither true nor false');
  const files = read.array(header['files'], 'files', BUNDLE_LIMITS.files).map((file, at) => read.file(file, at));
  const threads = read
    .array(header['threads'], 'threads', BUNDLE_LIMITS.files)
    .map((thread, at) => read.thread(thread, at));
  checkTogether(files, threads);
  return {
    format: BUNDLE_FORMAT,
    program: read.text(header['program'], 'program', 200),
    createdAt: read.text(header['createdAt'], 'createdAt', 40),
    homeKind,
    masked,
    secrets: read.counts(header['secrets'], 'secrets'),
    threads,
    files,
  };
}

class HeaderReader {
  object(value: JsonValue | undefined, field: string): JsonObject {
    if (isJsonObject(value)) return value;
    throw invalid(field, 'is no object');
  }

  array(value: JsonValue | undefined, field: string, most: number): readonly JsonValue[] {
    if (!Array.isArray(value)) throw invalid(field, 'is no array');
    if (value.length > most) throw tooLarge(`${field} has ${value.length} entries, more than ${most}`);
    return value as readonly JsonValue[];
  }

  text(value: JsonValue | undefined, field: string, maxChars: number): string {
    if (typeof value !== 'string') throw invalid(field, 'is no text');
    if (value.length > maxChars) throw tooLarge(`${field} has ${value.length} characters, more than ${maxChars}`);
    return value;
  }

  size(value: JsonValue | undefined, field: string, most: number): number {
    if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 0) throw invalid(field, 'is no size');
    if (value > most) throw tooLarge(`${field} declares ${value} bytes, more than ${most}`);
    return value;
  }

  counts(value: JsonValue | undefined, field: string): Readonly<Record<string, number>> {
    const entries = Object.entries(this.object(value, field));
    if (entries.length > 1_000) throw tooLarge(`${field} has ${entries.length} entries, more than 1000`);
    return Object.fromEntries(entries.map(([rule, count]) => [rule, this.size(count, field, Number.MAX_SAFE_INTEGER)]));
  }

  thread(value: JsonValue, at: number): BundleThread {
    const field = `threads[${at}]`;
    const thread = this.object(value, field);
    const id = parseThreadId(thread['id']);
    if (id === undefined || id !== thread['id']) throw invalid(`${field}.id`, 'is no thread id');
    const { requested } = thread;
    if (typeof requested !== 'boolean') throw invalid(`${field}.requested`, 'is neither true nor false');
    const name = thread['name'] ?? null;
    return { id, requested, name: name === null ? null : this.#name(name, `${field}.name`) };
  }

  file(value: JsonValue, at: number): BundleFile {
    const field = `files[${at}]`;
    const file = this.object(value, field);
    const path = this.text(file['path'], `${field}.path`, 400);
    if (!isBundlePath(path)) throw invalid(`${field}.path`, `${JSON.stringify(path)} is no place of a log`);
    const named = parseRolloutName(fileNameOf(path));
    const threadId = parseThreadId(file['threadId']);
    if (threadId === undefined || threadId !== named?.threadId)
      throw invalid(`${field}.threadId`, `is not the thread in the name ${JSON.stringify(path)}`);
    const segmentId = (file['segmentId'] ?? null) === null ? null : parseSegmentId(file['segmentId']);
    if (segmentId === undefined || segmentId !== (named?.segmentId ?? null))
      throw invalid(`${field}.segmentId`, `is not the segment in the name ${JSON.stringify(path)}`);
    const sha256 = this.text(file['sha256'], `${field}.sha256`, 64);
    if (!/^[0-9a-f]{64}$/.test(sha256)) throw invalid(`${field}.sha256`, 'is no checksum');
    const base = file['base'] ?? null;
    return {
      path,
      threadId,
      segmentId,
      sha256,
      bytes: this.size(file['bytes'], `${field}.bytes`, BUNDLE_LIMITS.fileBytes),
      contentBytes: this.size(file['contentBytes'], `${field}.contentBytes`, BUNDLE_LIMITS.fileBytes),
      base: base === null ? null : this.#base(base, `${field}.base`),
    };
  }

  #name(value: JsonValue, field: string): NonNullable<BundleThread['name']> {
    const name = this.object(value, field);
    const updatedAt = name['updatedAt'] ?? null;
    return {
      text: this.text(name['text'], `${field}.text`, BUNDLE_LIMITS.nameChars),
      updatedAt: updatedAt === null ? null : this.text(updatedAt, `${field}.updatedAt`, 40),
    };
  }

  #base(value: JsonValue, field: string): NonNullable<BundleFile['base']> {
    const base = this.object(value, field);
    return {
      path: this.text(base['path'], `${field}.path`, 400),
      endByteOffset: this.size(base['endByteOffset'], `${field}.endByteOffset`, BUNDLE_LIMITS.fileBytes),
    };
  }
}

function checkTogether(files: readonly BundleFile[], threads: readonly BundleThread[]): void {
  const ids = new Set(threads.map(({ id }) => id));
  if (ids.size < threads.length) throw invalid('threads', 'names a thread twice');
  const before = new Map<string, BundleFile>();
  const folded = new Set<string>();
  let total = 0;
  for (const [at, file] of files.entries()) {
    const field = `files[${at}]`;
    // Names that differ in case only are one file on some systems.
    if (folded.has(file.path.toLowerCase()))
      throw invalid(`${field}.path`, `${JSON.stringify(file.path)} is there twice`);
    if (!ids.has(file.threadId)) throw invalid(`${field}.threadId`, 'is none of the threads of the bundle');
    const base = file.base === null ? undefined : before.get(file.base.path);
    if (file.base !== null && base === undefined) throw invalid(`${field}.base`, 'is no file before it');
    if (file.base !== null && base !== undefined && file.base.endByteOffset > base.contentBytes)
      throw invalid(`${field}.base`, 'ends behind the end of that file');
    if (!file.path.endsWith('.zst') && file.contentBytes !== file.bytes)
      throw invalid(`${field}.contentBytes`, 'is not the size of a file that is not compressed');
    total += file.bytes;
    if (total > BUNDLE_LIMITS.totalBytes) throw tooLarge(`the files have more than ${BUNDLE_LIMITS.totalBytes} bytes`);
    before.set(file.path, file);
    folded.add(file.path.toLowerCase());
  }
  const held = new Set(files.map(({ threadId }) => threadId));
  const empty = threads.find(({ id }) => !held.has(id));
  if (empty !== undefined) throw invalid('threads', `names ${empty.id}, of which no file is there`);
}

function invalid(field: string, problem: string): BundleError {
  return new BundleError('bundle-invalid', `Cannot take the bundle: ${field} of its header ${problem}`, {
    hint: 'Nothing was imported. No program of ours writes such a bundle: do not trust where it came from.',
  });
}

function tooLarge(what: string): BundleError {
  return new BundleError('bundle-too-large', `Cannot take the bundle: ${what}`);
}
