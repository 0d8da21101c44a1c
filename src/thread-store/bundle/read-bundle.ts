/**
 * Opens a bundle and shows that it is whole, before a byte of it is used.
 *
 * The first line and the header are small and have checksums of their own, so that what is declared is checked before it is
 * believed; then the declared sizes must add up to the size of the file; then every log is read once against its checksum.
 * Faults are named by the file inside and by the byte. Never writes.
 */
import { createHash } from 'node:crypto';
import type { FileSystem, RegularFile } from '../../platform/files/file-system.js';
import { isCompressed } from '../../rollout/byte-feed.js';
import { BundleError } from './errors.js';
import { fileChunks } from './file-chunks.js';
import {
  BUNDLE_FORMAT,
  BUNDLE_LIMITS,
  BUNDLE_MAGIC,
  type BundleFile,
  type BundleHeader,
  PREAMBLE_MAX_BYTES,
  parseHeader,
  parsePreamble,
  parseTrailer,
  TRAILER_BYTES,
} from './format.js';
import { measureLog } from './measure-log.js';

export interface ReadBundleOptions {
  readonly files: FileSystem;
  readonly signal?: AbortSignal | undefined;
}

/** A bundle that was found whole, open. Whoever opened it closes it. */
export class OpenBundle implements AsyncDisposable {
  readonly path: string;
  readonly header: BundleHeader;
  /** Of the whole bundle but its last line: what tells it from any other. */
  readonly sha256: string;
  readonly #file: RegularFile;
  readonly #starts: ReadonlyMap<string, number>;

  constructor(
    path: string,
    header: BundleHeader,
    place: { readonly file: RegularFile; readonly starts: ReadonlyMap<string, number>; readonly sha256: string },
  ) {
    this.path = path;
    this.header = header;
    this.sha256 = place.sha256;
    this.#file = place.file;
    this.#starts = place.starts;
  }

  /** The bytes of a file of the header. */
  chunks({ path, bytes }: BundleFile, signal?: AbortSignal): AsyncGenerator<Uint8Array, void> {
    const start = this.#starts.get(path);
    if (start === undefined) throw new TypeError(`${path} is no file of this bundle`);
    return fileChunks(this.#file, { start, end: start + bytes }, signal);
  }

  async close(): Promise<void> {
    await this.#file.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }
}

/** Whether a file begins as a bundle does. */
export async function looksLikeBundle(path: string, { files }: ReadBundleOptions): Promise<boolean> {
  const file = await files.openRegular(path);
  try {
    const head = Buffer.alloc(BUNDLE_MAGIC.length);
    return (await file.read(head, 0)) === head.length && head.toString('latin1') === BUNDLE_MAGIC;
  } finally {
    await file.close();
  }
}

/**
 * Opens a bundle and reads all of it. Throws BundleError: `not-a-bundle`, `bundle-newer`, `bundle-damaged`, `bundle-invalid`,
 * `bundle-too-large`; and FileAccessError for what is no regular file.
 */
export async function openBundle(path: string, { files, signal }: ReadBundleOptions): Promise<OpenBundle> {
  const file = await files.openRegular(path);
  try {
    return await verifyBundle(path, file, signal);
  } catch (error) {
    await file.close();
    throw error;
  }
}

async function verifyBundle(path: string, file: RegularFile, signal: AbortSignal | undefined): Promise<OpenBundle> {
  const { sizeBytes } = file.stat;
  const damaged = (what: string, byteOffset: number, entry?: string): BundleError =>
    new BundleError('bundle-damaged', `Cannot import ${JSON.stringify(path)}: ${what}`, { path, byteOffset, entry });
  const first = await readText(file, { start: 0, end: Math.min(PREAMBLE_MAX_BYTES, sizeBytes) });
  const preamble = parsePreamble(first);
  if (preamble === undefined) {
    if (first.startsWith(BUNDLE_MAGIC)) throw damaged('its first line (from byte 0) was changed or cut', 0);
    throw new BundleError('not-a-bundle', `Cannot import ${JSON.stringify(path)}: it is no bundle of Codicil`, {
      path,
      byteOffset: 0,
      hint: 'A bundle begins with CODICIL-BUNDLE; a log is named rollout-….jsonl or .jsonl.zst.',
    });
  }
  if (preamble.format !== BUNDLE_FORMAT)
    throw new BundleError(
      'bundle-newer',
      `Cannot import ${JSON.stringify(path)}: it has format ${preamble.format}, this program knows ${BUNDLE_FORMAT}`,
      { path, byteOffset: 0, hint: 'Nothing was imported. A newer version of Codicil may read it.' },
    );
  const headerStart = preamble.bytes;
  if (preamble.headerBytes > BUNDLE_LIMITS.headerBytes)
    throw new BundleError('bundle-too-large', `Cannot import ${JSON.stringify(path)}: its header is too large`, {
      path,
    });
  const headerEnd = headerStart + preamble.headerBytes;
  if (headerEnd > sizeBytes) throw damaged(`it was cut in its header, at byte ${sizeBytes}`, sizeBytes);
  const head = await readBytes(file, { start: headerStart, end: headerEnd });
  if (createHash('sha256').update(head).digest('hex') !== preamble.headerSha256)
    throw damaged(`its first line or its header (bytes 0 to ${headerEnd - 1}) was changed`, 0);
  const header = withPath(path, () => parseHeader(head.toString('utf8')));
  const starts = new Map<string, number>();
  let end = headerEnd;
  for (const entry of header.files) {
    starts.set(entry.path, end);
    end += entry.bytes;
    if (end > sizeBytes) throw damaged(`it was cut in ${entry.path}, at byte ${sizeBytes}`, sizeBytes, entry.path);
  }
  const wanted = end + TRAILER_BYTES;
  if (sizeBytes < wanted) throw damaged(`it was cut in its last line, at byte ${sizeBytes}`, sizeBytes);
  if (sizeBytes > wanted) throw damaged(`bytes stand behind its end, from byte ${wanted} on`, wanted);

  const whole = createHash('sha256');
  whole.update(await readBytes(file, { start: 0, end: headerEnd }));
  for (const entry of header.files) {
    const start = starts.get(entry.path) ?? 0;
    await verifyEntry(entry, hashedAlong(fileChunks(file, { start, end: start + entry.bytes }, signal), whole), {
      fail: (what) =>
        damaged(`${entry.path} (bytes ${start} to ${start + entry.bytes - 1}) ${what}`, start, entry.path),
      path,
      signal,
    });
  }
  const sha256 = parseTrailer(await readText(file, { start: end, end: wanted }));
  if (sha256 === undefined || sha256 !== whole.digest('hex'))
    throw damaged(`its last line (from byte ${end}) was changed`, end);
  return new OpenBundle(path, header, { file, starts, sha256 });
}

async function verifyEntry(
  entry: BundleFile,
  chunks: AsyncIterable<Uint8Array>,
  {
    fail,
    path,
    signal,
  }: { readonly fail: (what: string) => BundleError; readonly path: string; readonly signal: AbortSignal | undefined },
): Promise<void> {
  const compressed = isCompressed(entry.path);
  const measured = await measureLog(chunks, { compressed, bytes: entry.bytes, signal });
  if (measured.bytes !== entry.bytes) throw fail('was cut while it was read');
  if (measured.sha256 !== entry.sha256) throw fail('was changed');
  const refuse = (code: 'bundle-invalid' | 'bundle-too-large', what: string): BundleError =>
    new BundleError(code, `Cannot import ${JSON.stringify(path)}: ${entry.path} ${what}`, { path, entry: entry.path });
  if (isBomb(measured.problem)) throw refuse('bundle-too-large', 'expands to more than a log of its size may');
  // How much a decoder gives before damage is not the same for all.
  if (measured.problem === undefined && measured.contentBytes !== entry.contentBytes)
    throw refuse('bundle-invalid', `holds ${measured.contentBytes} bytes of log, ${entry.contentBytes} are declared`);
  if (!fitsName(measured.id, entry))
    throw refuse('bundle-invalid', `is the log of thread ${measured.id}, not of the one in its name`);
}

/** Whether the decoder gave up since the output became too large. */
export function isBomb(problem: string | undefined): boolean {
  return problem?.includes('expands to more than') ?? false;
}

/** Whether a log that says it is of thread `id` may have this name. A segment, or a copy of another thread, has two ids. */
export function fitsName(
  id: string | undefined,
  { threadId, segmentId }: { readonly threadId: string; readonly segmentId?: string | null | undefined },
): boolean {
  return id === undefined || id === threadId || (segmentId !== null && segmentId !== undefined);
}

async function* hashedAlong(
  chunks: AsyncIterable<Uint8Array>,
  hash: ReturnType<typeof createHash>,
): AsyncGenerator<Uint8Array, void> {
  for await (const chunk of chunks) {
    hash.update(chunk);
    yield chunk;
  }
}

function withPath<T>(path: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof BundleError)) throw error;
    const { code, message, hint, cause } = error;
    throw new BundleError(code, message, { path, hint, cause, byteOffset: 0 });
  }
}

async function readText(file: RegularFile, range: { readonly start: number; readonly end: number }): Promise<string> {
  return (await readBytes(file, range)).toString('latin1');
}

async function readBytes(
  file: RegularFile,
  { start, end }: { readonly start: number; readonly end: number },
): Promise<Buffer> {
  const bytes = Buffer.alloc(end - start);
  return bytes.subarray(0, await file.read(bytes, start));
}
