/**
 * What is to be imported, wherever it comes from: threads with their logs, each looked through and measured before the first
 * is placed. A bundle that is whole, a log, or a folder of logs.
 */
import path from 'node:path';
import type { ThreadId } from '../../../base/ids.js';
import type { FileSystem, RegularFile } from '../../../platform/files/file-system.js';
import { isCompressed } from '../../../rollout/byte-feed.js';
import { resolveLineage } from '../../../rollout/lineage.js';
import { readThreadNames } from '../../../rollout/names-file.js';
import {
  ARCHIVED_FOLDER,
  dateFolderOf,
  fileNameOf,
  parseRolloutName,
  type RolloutName,
  SESSIONS_FOLDER,
} from '../../../rollout/paths.js';
import { BundleError } from '../../bundle/errors.js';
import { fileChunks } from '../../bundle/file-chunks.js';
import { BUNDLE_LIMITS, type BundleFile, type BundleThread, isBundlePath } from '../../bundle/format.js';
import { measureLog } from '../../bundle/measure-log.js';
import { fitsName, isBomb, looksLikeBundle, openBundle } from '../../bundle/read-bundle.js';
import { DamagedError, UnsupportedError } from '../../errors.js';

export interface ImportSource extends AsyncDisposable {
  readonly kind: 'bundle' | 'log';
  readonly threads: readonly BundleThread[];
  /** What others continue comes before them. */
  readonly logs: readonly BundleFile[];
  readonly masked: boolean;
  /** Of a bundle. */
  readonly sha256: string | null;
  /** Of a bundle. */
  readonly secrets: Readonly<Record<string, number>>;
  chunks(log: BundleFile, signal?: AbortSignal): AsyncIterable<Uint8Array>;
}

export interface SourceOptions {
  readonly files: FileSystem;
  readonly signal?: AbortSignal | undefined;
}

const MAX_DEPTH = 16;

/** Opens what stands at `from`. Throws BundleError, DamagedError, UnsupportedError, and the system's errors. */
export async function openImportSource(from: string, options: SourceOptions): Promise<ImportSource> {
  const { kind } = await options.files.stat(from);
  if (kind === 'directory') return openLogs(await logsBelow(from, options), from, options);
  if (await looksLikeBundle(from, options)) return openBundleSource(from, options);
  const name = parseRolloutName(fileNameOf(from));
  if (name !== undefined) return openLogs([from], path.dirname(from), options);
  throw new BundleError('not-a-bundle', `Cannot import ${JSON.stringify(from)}: it is neither a bundle nor a log`, {
    path: from,
    byteOffset: 0,
    hint: 'A bundle begins with CODICIL-BUNDLE; a log keeps its name, rollout-<time>-<thread>.jsonl or .jsonl.zst.',
  });
}

async function openBundleSource(from: string, options: SourceOptions): Promise<ImportSource> {
  const bundle = await openBundle(from, options);
  const { threads, files, masked, secrets } = bundle.header;
  return {
    kind: 'bundle',
    threads,
    logs: files,
    masked,
    secrets,
    sha256: bundle.sha256,
    chunks: (log, signal) => bundle.chunks(log, signal),
    [Symbol.asyncDispose]: () => bundle.close(),
  };
}

/** Logs in a folder, at any depth; links are not followed. */
async function logsBelow(folder: string, { files, signal }: SourceOptions): Promise<readonly string[]> {
  const found: string[] = [];
  const walk = async (at: string, depth: number): Promise<void> => {
    signal?.throwIfAborted();
    const entries = [...(await files.readDirectory(at))].sort((a, b) => (a.name < b.name ? -1 : 1));
    for (const { name, kind } of entries) {
      const entry = files.join(at, name);
      if (kind === 'directory' && depth < MAX_DEPTH) await walk(entry, depth + 1);
      if (kind === 'file' && parseRolloutName(name) !== undefined) found.push(entry);
    }
  };
  await walk(folder, 0);
  if (found.length === 0)
    throw new UnsupportedError(`Cannot import ${JSON.stringify(folder)}: no log lies in it`, { path: folder });
  return found;
}

async function openLogs(paths: readonly string[], from: string, options: SourceOptions): Promise<ImportSource> {
  const { files, signal } = options;
  if (paths.length > BUNDLE_LIMITS.files * 20)
    throw new BundleError('bundle-too-large', `Cannot import ${JSON.stringify(from)}: it holds ${paths.length} logs`, {
      path: from,
    });
  const named = paths.map((source) => ({ source, name: nameOf(source) }));
  const lookup = (id: string) =>
    named
      .filter(({ name }) => name.threadId === id || name.segmentId === id)
      .map(({ source, name }) => ({ path: source, threadId: name.threadId, segmentId: name.segmentId }));
  const sources = new Map<string, string>();
  const done = new Map<string, BundleFile>();
  const measure = async (source: string, chain: readonly string[]): Promise<BundleFile | undefined> => {
    const known = done.get(source);
    if (known !== undefined || chain.includes(source)) return known;
    const { parts } = await resolveLineage(source, lookup, { files, ...(signal && { signal }) });
    const part = parts.at(-2);
    const base = part && (await measure(part.path, [...chain, source]));
    const log = await measureFile(source, options);
    const end = part?.endByteOffset ?? 0;
    const file = { ...log, base: base === undefined ? null : { path: base.path, endByteOffset: end } };
    const twin = sources.get(file.path);
    if (twin !== undefined)
      throw new UnsupportedError(`Cannot import two logs as one: ${twin} and ${source} have one name`, {
        path: source,
      });
    sources.set(file.path, source);
    done.set(source, file);
    return file;
  };
  for (const { source } of named) await measure(source, []);
  const names = await namesBeside(from, options);
  const ids = new Set([...done.values()].map(({ threadId }) => threadId));
  return {
    kind: 'log',
    threads: [...ids].map((id) => ({ id, name: names.get(id) ?? null, requested: true })),
    logs: [...done.values()],
    masked: false,
    sha256: null,
    secrets: {},
    chunks: (log, abort) => chunksOf(sources.get(log.path) ?? '', log.bytes, files, abort),
    [Symbol.asyncDispose]: async () => undefined,
  };
}

function nameOf(source: string): RolloutName {
  const name = parseRolloutName(fileNameOf(source));
  if (name === undefined) throw new TypeError(`${source} is no name of a log`);
  return name;
}

async function measureFile(source: string, { files, signal }: SourceOptions): Promise<Omit<BundleFile, 'base'>> {
  const name = nameOf(source);
  const file = await files.openRegular(source);
  try {
    const { sizeBytes } = file.stat;
    const compressed = isCompressed(source);
    const range = { start: 0, end: sizeBytes };
    const measured = await measureLog(fileChunks(file, range, signal), { compressed, bytes: sizeBytes, signal });
    if (measured.bytes > BUNDLE_LIMITS.fileBytes || isBomb(measured.problem))
      throw new BundleError('bundle-too-large', `Cannot import ${JSON.stringify(source)}: it holds too much`, {
        path: source,
      });
    if (!fitsName(measured.id, name))
      throw new DamagedError(`Cannot import ${JSON.stringify(source)}: it is the log of thread ${measured.id}`, {
        path: source,
        line: 1,
        hint: 'Nothing was imported. Give the file the name that it had in its home.',
      });
    const { bytes, sha256, contentBytes } = measured;
    const segmentId = name.segmentId ?? null;
    return { path: placeOf(source, name), threadId: name.threadId, segmentId, bytes, sha256, contentBytes };
  } finally {
    await file.close();
  }
}

/** Archived where it lies in a folder of archived logs. */
function placeOf(source: string, { startedAtText }: RolloutName): string {
  const archived = path.basename(path.dirname(source)) === ARCHIVED_FOLDER;
  const [year, month, day] = dateFolderOf(startedAtText) ?? [];
  const place = archived
    ? `${ARCHIVED_FOLDER}/${fileNameOf(source)}`
    : `${SESSIONS_FOLDER}/${year}/${month}/${day}/${fileNameOf(source)}`;
  if (isBundlePath(place)) return place;
  throw new UnsupportedError(`Cannot import ${JSON.stringify(source)}: its name is not that of a log`, {
    path: source,
  });
}

/** The names of a home whose folder, or whose `sessions`, is imported. */
async function namesBeside(
  from: string,
  { files, signal }: SourceOptions,
): Promise<ReadonlyMap<ThreadId, BundleThread['name']>> {
  const base = path.basename(from);
  const home = base === SESSIONS_FOLDER || base === ARCHIVED_FOLDER ? path.dirname(from) : from;
  const { names } = await readThreadNames(home, { files, ...(signal && { signal }) });
  return new Map([...names].map(([id, { name, updatedAt }]) => [id, { text: name, updatedAt: updatedAt ?? null }]));
}

async function* chunksOf(
  source: string,
  bytes: number,
  files: FileSystem,
  signal: AbortSignal | undefined,
): AsyncGenerator<Uint8Array, void> {
  const file: RegularFile = await files.openRegular(source);
  try {
    yield* fileChunks(file, { start: 0, end: bytes }, signal);
  } finally {
    await file.close();
  }
}
