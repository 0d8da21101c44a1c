/**
 * What the logs of a home take on disk: by project and by thread, archived and compressed, and how much of it is images that
 * are stored more than once. Reads every log once, in windows; writes nothing.
 */
import { type FileSystem, fileErrorCode } from '../../../platform/files/file-system.js';
import { nextTurn } from '../../../platform/next-turn.js';
import { maskSecrets } from '../../../redaction/index.js';
import { openFeedSync } from '../../../rollout/byte-feed.js';
import { readHeadSync } from '../../../rollout/head.js';
import { type ImagePayload, ImagePayloads } from '../../../rollout/image-payloads.js';
import { type WalkedFile, walkRollouts } from '../../../rollout/walk.js';

export interface ProjectUsage {
  /** The folder that its threads began in, masked; null where no log says. */
  readonly cwd: string | null;
  readonly threads: number;
  readonly bytes: number;
}

export interface ThreadUsage {
  readonly id: string | null;
  /** Its largest file. */
  readonly path: string;
  readonly cwd: string | null;
  readonly files: number;
  readonly bytes: number;
}

export interface ImageUsage {
  /** Images in all logs, and the bytes of their base64 text. */
  readonly images: number;
  readonly bytes: number;
  /** Of these, how many the same log has already, and their bytes: what could be saved. */
  readonly repeated: number;
  readonly savableBytes: number;
}

export interface LogUsage {
  readonly files: number;
  readonly bytes: number;
  readonly activeBytes: number;
  readonly archivedBytes: number;
  readonly compressedFiles: number;
  readonly compressedBytes: number;
  /** Largest first, at most 100. */
  readonly projects: readonly ProjectUsage[];
  /** Largest first, at most 20. */
  readonly threads: readonly ThreadUsage[];
  readonly images: ImageUsage;
}

export interface UsageOptions {
  readonly files: FileSystem;
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((done: number, files: number) => void) | undefined;
}

const MAX_PROJECTS = 100;
const MAX_THREADS = 20;
/** So many images of one log are told from each other; the hash of one takes some hundred bytes. */
const MAX_IMAGES_OF_LOG = 100_000;

/** Rejects only for an abort; a log that cannot be read counts with its size. */
export async function logUsage(home: string, options: UsageOptions): Promise<LogUsage> {
  const { files, signal, onProgress } = options;
  const walked = await walkRollouts(home, { files, ...(signal !== undefined && { signal }) });
  const logs = walked.files.filter(({ hidden }) => hidden === null || hidden === 'unreadable');
  const images = new ImageCount();
  const threads = new Map<
    string,
    { id: string | null; path: string; cwd: string | null; files: number; bytes: number }
  >();
  const largest = new Map<string, number>();
  for (const [index, log] of logs.entries()) {
    signal?.throwIfAborted();
    onProgress?.(index, logs.length);
    const cwd = cwdOf(log, files);
    const key = log.name?.threadId ?? log.path;
    const thread = threads.get(key) ?? { id: log.name?.threadId ?? null, path: log.path, cwd, files: 0, bytes: 0 };
    thread.files += 1;
    thread.bytes += log.sizeBytes;
    thread.cwd ??= cwd;
    if (log.sizeBytes > (largest.get(key) ?? -1)) {
      largest.set(key, log.sizeBytes);
      thread.path = log.path;
    }
    threads.set(key, thread);
    await images.read(log, options);
  }
  const sum = (of: readonly WalkedFile[]): number => of.reduce((total, { sizeBytes }) => total + sizeBytes, 0);
  const compressed = logs.filter(({ name }) => name?.compressed === true);
  return {
    files: logs.length,
    bytes: sum(logs),
    activeBytes: sum(logs.filter(({ location }) => location === 'sessions')),
    archivedBytes: sum(logs.filter(({ location }) => location === 'archived')),
    compressedFiles: compressed.length,
    compressedBytes: sum(compressed),
    projects: projectsOf([...threads.values()]).slice(0, MAX_PROJECTS),
    threads: [...threads.values()].sort(bySize).slice(0, MAX_THREADS),
    images: images.usage,
  };
}

function projectsOf(threads: readonly ThreadUsage[]): readonly ProjectUsage[] {
  const projects = new Map<string | null, { cwd: string | null; threads: number; bytes: number }>();
  for (const { cwd, bytes } of threads) {
    const project = projects.get(cwd) ?? { cwd, threads: 0, bytes: 0 };
    project.threads += 1;
    project.bytes += bytes;
    projects.set(cwd, project);
  }
  return [...projects.values()].sort(bySize);
}

function bySize(a: { readonly bytes: number }, b: { readonly bytes: number }): number {
  return b.bytes - a.bytes;
}

function cwdOf({ path }: WalkedFile, files: FileSystem): string | null {
  try {
    const item = readHeadSync(path, files).meta?.line.item;
    if (item?.type !== 'session_meta' || typeof item.payload.cwd !== 'string') return null;
    return maskSecrets(item.payload.cwd);
  } catch (error) {
    if (fileErrorCode(error) === undefined) throw error;
    return null;
  }
}

/** The event loop is given a turn after so many bytes, so that an interrupt is seen. */
const TURN_BYTES = 16 * 1024 * 1024;

/** Counts the images of one log after the other. */
class ImageCount {
  readonly usage = { images: 0, bytes: 0, repeated: 0, savableBytes: 0 };
  readonly #seen = new Set<string>();
  readonly #payloads = new ImagePayloads((payload) => this.#note(payload));
  #bytesSinceTurn = 0;

  /** An image that a compressed log holds twice takes its room once, near enough: only plain ones are read. */
  async read(log: WalkedFile, { files, signal }: UsageOptions): Promise<void> {
    if (log.name?.compressed === true) return;
    this.#seen.clear();
    try {
      // A home is thousands of small files: waiting for each read would cost more than the reads.
      const feed = openFeedSync(log.path, files, { start: 0, end: undefined });
      try {
        for (let before = 0; feed.fillSync(this.#payloads); before = feed.readBytes) {
          await this.#turn(feed.readBytes - before, signal);
        }
      } finally {
        feed.closeSync();
      }
    } catch (error) {
      signal?.throwIfAborted();
      if (fileErrorCode(error) === undefined) throw error;
    } finally {
      this.#payloads.finish();
    }
  }

  #note({ bytes, hash }: ImagePayload): void {
    this.usage.images += 1;
    this.usage.bytes += bytes;
    if (this.#seen.has(hash)) {
      this.usage.repeated += 1;
      this.usage.savableBytes += bytes;
    } else if (this.#seen.size < MAX_IMAGES_OF_LOG) this.#seen.add(hash);
  }

  async #turn(bytes: number, signal: AbortSignal | undefined): Promise<void> {
    this.#bytesSinceTurn += bytes;
    if (this.#bytesSinceTurn < TURN_BYTES) return;
    this.#bytesSinceTurn = 0;
    await nextTurn();
    signal?.throwIfAborted();
  }
}
