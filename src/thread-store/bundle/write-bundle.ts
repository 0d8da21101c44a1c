/**
 * Writes a bundle of logs, in two passes over each: one that counts, looks for secrets and takes the checksum, so that the
 * header can declare everything; one that copies. A log that was rewritten between the two ends the export.
 *
 * A log that grows meanwhile is exported up to where it was first seen. Memory is a window and the longest line.
 */
import { createHash } from 'node:crypto';
import type { ThreadId } from '../../base/ids.js';
import type { FileSystem } from '../../platform/files/file-system.js';
import { maskSecrets } from '../../redaction/index.js';
import { isCompressed } from '../../rollout/byte-feed.js';
import type { ThreadName } from '../../rollout/names-file.js';
import { DamagedError, UnsupportedError } from '../errors.js';
import type { HomeKind } from '../session-reader.js';
import { BundleError } from './errors.js';
import { fileChunks } from './file-chunks.js';
import {
  BUNDLE_FORMAT,
  BUNDLE_LIMITS,
  type BundleFile,
  type BundleHeader,
  renderHeader,
  renderPreamble,
  renderTrailer,
} from './format.js';
import type { SecretCounts } from './mask-line.js';
import { maskLog } from './mask-log.js';
import { measureLog } from './measure-log.js';

/** A log to be bundled; what others continue comes before them. */
export interface BundleSource {
  /** Absolute. */
  readonly source: string;
  /** Where it goes in a home. */
  readonly path: string;
  readonly threadId: ThreadId;
  readonly segmentId: BundleFile['segmentId'];
  readonly base: { readonly source: string; readonly endByteOffset: number } | undefined;
}

export interface BundleContent {
  readonly threads: readonly { readonly id: ThreadId; readonly requested: boolean }[];
  readonly logs: readonly BundleSource[];
  readonly names: ReadonlyMap<ThreadId, ThreadName>;
  readonly homeKind: HomeKind;
  readonly program: string;
  /** ISO 8601. */
  readonly createdAt: string;
}

export interface BundleOptions {
  readonly files: FileSystem;
  /** Whether secrets are masked; else every log is byte-exact. */
  readonly masked: boolean;
  /** Told how many logs were looked through, of how many. */
  readonly onProgress?: ((done: number, of: number) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

interface PreparedLog {
  readonly file: BundleFile;
  /** Its bytes, the same each time; `counts` is filled along. */
  readonly open: (counts: SecretCounts) => AsyncGenerator<Uint8Array, void>;
}

export interface PreparedBundle {
  readonly header: BundleHeader;
  /** Size of the whole bundle. */
  readonly bytes: number;
  /** The bundle, chunk by chunk. Throws BundleError `log-changed`. */
  chunks(): AsyncGenerator<Uint8Array, void>;
}

/**
 * Looks through all logs; nothing is written yet. Throws UnsupportedError for what no bundle holds, DamagedError for what
 * cannot be masked, and the system's errors.
 */
export async function prepareBundle(content: BundleContent, options: BundleOptions): Promise<PreparedBundle> {
  const { masked, onProgress, signal } = options;
  const prepared: PreparedLog[] = [];
  const counts: SecretCounts = new Map();
  const places = new PlaceMap(content.logs);
  const paths = new Map<string, string>();
  for (const log of content.logs) {
    onProgress?.(prepared.length, content.logs.length);
    const path = masked ? log.path.replace(/\.zst$/, '') : log.path;
    if (paths.has(path.toLowerCase())) throw twice(path, log.source, paths.get(path.toLowerCase()) ?? '');
    paths.set(path.toLowerCase(), log.source);
    const next = await prepareLog(log, path, { ...options, places, counts });
    if (next.file.bytes > BUNDLE_LIMITS.fileBytes || prepared.length >= BUNDLE_LIMITS.files)
      throw new UnsupportedError(`Cannot export ${JSON.stringify(log.source)}: a bundle does not hold as much`, {
        path: log.source,
      });
    prepared.push(next);
  }
  onProgress?.(prepared.length, content.logs.length);
  signal?.throwIfAborted();
  const header: BundleHeader = {
    format: BUNDLE_FORMAT,
    program: content.program,
    createdAt: content.createdAt,
    homeKind: content.homeKind,
    masked,
    secrets: Object.fromEntries([...counts].sort(([a], [b]) => (a < b ? -1 : 1))),
    threads: content.threads.map(({ id, requested }) => {
      const name = content.names.get(id);
      if (name === undefined) return { id, name: null, requested };
      const text = (masked ? maskSecrets(name.name) : name.name).slice(0, BUNDLE_LIMITS.nameChars);
      return { id, name: { text, updatedAt: name.updatedAt?.slice(0, 40) ?? null }, requested };
    }),
    files: prepared.map(({ file }) => file),
  };
  const head = Buffer.from(renderHeader(header));
  const preamble = Buffer.from(renderPreamble(head.length, createHash('sha256').update(head).digest('hex')));
  const logBytes = prepared.reduce((sum, { file }) => sum + file.bytes, 0);
  const trailerBytes = renderTrailer('0'.repeat(64)).length;
  return {
    header,
    bytes: preamble.length + head.length + logBytes + trailerBytes,
    chunks: () => bundleChunks([preamble, head], prepared),
  };
}

async function* bundleChunks(
  head: readonly Uint8Array[],
  logs: readonly PreparedLog[],
): AsyncGenerator<Uint8Array, void> {
  const whole = createHash('sha256');
  for (const chunk of head) {
    whole.update(chunk);
    yield chunk;
  }
  for (const { file, open } of logs) {
    const hash = createHash('sha256');
    for await (const chunk of open(new Map())) {
      hash.update(chunk);
      whole.update(chunk);
      yield chunk;
    }
    if (hash.digest('hex') !== file.sha256)
      throw new BundleError('log-changed', `Cannot export ${file.path}: the log was rewritten meanwhile`, {
        entry: file.path,
        hint: 'Nothing was kept of the export. Close the thread in the program that has it open, and export it again.',
      });
  }
  yield Buffer.from(renderTrailer(whole.digest('hex')));
}

/** Where offsets that others name are in masked logs. */
class PlaceMap {
  readonly #wanted = new Map<string, Set<number>>();
  readonly #found = new Map<string, Map<number, number>>();
  readonly #paths = new Map<string, BundleFile>();

  constructor(logs: readonly BundleSource[]) {
    for (const { base } of logs) {
      if (base === undefined) continue;
      const offsets = this.#wanted.get(base.source) ?? new Set();
      this.#wanted.set(base.source, offsets.add(base.endByteOffset));
    }
  }

  wanted(source: string): ReadonlySet<number> | undefined {
    return this.#wanted.get(source);
  }

  note(source: string, from: number, to: number): void {
    const found = this.#found.get(source) ?? new Map<number, number>();
    this.#found.set(source, found.set(from, to));
  }

  noteFile(source: string, file: BundleFile): void {
    this.#paths.set(source, file);
  }

  /** The base as the bundle has it; undefined when it is no file before this one, or ends where no line does. */
  baseOf({ base }: BundleSource, { masked }: { readonly masked: boolean }): BundleFile['base'] {
    const file = base && this.#paths.get(base.source);
    if (base === undefined || file === undefined) return null;
    const end = masked ? this.#found.get(base.source)?.get(base.endByteOffset) : base.endByteOffset;
    return end === undefined || end > file.contentBytes ? null : { path: file.path, endByteOffset: end };
  }
}

async function prepareLog(
  log: BundleSource,
  path: string,
  {
    files,
    masked,
    places,
    counts,
    signal,
  }: BundleOptions & { readonly places: PlaceMap; readonly counts: SecretCounts },
): Promise<PreparedLog> {
  const sizeBytes = await sizeOf(log.source, files);
  const compressed = isCompressed(log.source);
  const base = places.baseOf(log, { masked });
  const maskedChunks = (into: SecretCounts): AsyncGenerator<Uint8Array, void> =>
    maskLog(log.source, {
      files,
      counts: into,
      endByteOffset: compressed ? undefined : sizeBytes,
      baseEndByteOffset: masked ? base?.endByteOffset : undefined,
      offsets: places.wanted(log.source),
      onOffset: (from, to) => places.note(log.source, from, to),
      signal,
    });
  const open = masked ? maskedChunks : () => plainChunks(log.source, sizeBytes, { files, signal });
  const measured = masked
    ? await measureLog(open(counts), { compressed: false, bytes: sizeBytes, signal })
    : await measureLog(open(counts), { compressed, bytes: sizeBytes, signal });
  if (!masked) await countSecrets(maskedChunks(counts));
  const { bytes, sha256, contentBytes } = measured;
  const { threadId, segmentId } = log;
  const file = { path, threadId, segmentId, bytes, sha256, contentBytes, base };
  places.noteFile(log.source, file);
  return { file, open };
}

/** Reads a masked log for what it counts; what it cannot look through has no count. */
async function countSecrets(chunks: AsyncGenerator<Uint8Array, void>): Promise<void> {
  try {
    for await (const _chunk of chunks);
  } catch (error) {
    if (!(error instanceof DamagedError)) throw error;
  }
}

async function sizeOf(path: string, files: FileSystem): Promise<number> {
  const file = await files.openRegular(path);
  await file.close();
  return file.stat.sizeBytes;
}

async function* plainChunks(
  path: string,
  sizeBytes: number,
  { files, signal }: { readonly files: FileSystem; readonly signal?: AbortSignal | undefined },
): AsyncGenerator<Uint8Array, void> {
  const file = await files.openRegular(path);
  try {
    yield* fileChunks(file, { start: 0, end: sizeBytes }, signal);
  } finally {
    await file.close();
  }
}

function twice(path: string, one: string, other: string): UnsupportedError {
  const both = `${JSON.stringify(one)} and ${JSON.stringify(other)}`;
  return new UnsupportedError(`Cannot export two logs as one: ${both} would both be ${path}`, { path: one });
}
