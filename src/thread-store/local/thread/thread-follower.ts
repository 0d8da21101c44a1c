/**
 * Follows a thread while others write to it: each look reads what was appended since the one before, and nothing else.
 *
 * Only whole lines are read: what is still being written waits for its line feed. Before it reads on, the bytes before
 * its place are compared with those it has read; where they differ, or are fewer, the log was rewritten, and everything
 * is read anew. A log that was compressed or moved to or from the archive goes on in its new place; a thread that was
 * reverted goes on in its new segment. Holds no file open between looks; memory is the window and the turns near the end.
 */
import { createHash } from 'node:crypto';
import {
  type FileStat,
  type FileSystem,
  fileErrorCode,
  type RegularFile,
} from '../../../platform/files/file-system.js';
import type { ThreadRow } from '../../../projection/thread-row.js';
import { TurnsFold } from '../../../projection/turns.js';
import type { Dialect } from '../../../protocol/rollout-line.js';
import { isCompressed } from '../../../rollout/byte-feed.js';
import { DamageLog, type FileDamage } from '../../../rollout/damage.js';
import { readRecords } from '../../../rollout/forward-reader.js';
import { loadBytesSync } from '../../../rollout/load-line.js';
import { fileNameOf, parseRolloutName, SESSIONS_FOLDER } from '../../../rollout/paths.js';
import { ThreadNotFoundError } from '../../errors.js';
import type { FollowedTurn, FollowLook, FollowQuery, ThreadFollower, ThreadPart } from '../../session-reader.js';
import type { LocalThread } from './local-thread.js';

export interface FollowerOptions {
  /** Finds the thread anew, wherever its files are. Rejects with ThreadNotFoundError when they are gone. */
  readonly open: (signal: AbortSignal | undefined) => Promise<LocalThread>;
  /** Absolute path of the home. */
  readonly home: string;
  readonly files: FileSystem;
  readonly query: FollowQuery;
}

/** How far a file was read. */
interface Place {
  readonly path: string;
  byteOffset: number;
  lines: number;
  dialect: Dialect | undefined;
  /** Of the bytes before `byteOffset`. */
  tailHash: string;
  stamp: string;
}

const TAIL_BYTES = 4_096;
const WINDOW_BYTES = 64 * 1024;
/** Turns before the last that are kept, for a rollback that takes it away. */
const KEPT_TURNS = 64;
/** A log that is gone is looked for everywhere, which is dear, only so often. */
const GONE_LOOKS = 16;

export class LocalThreadFollower implements ThreadFollower {
  readonly #options: FollowerOptions;
  #thread: LocalThread | undefined;
  #fold = new TurnsFold();
  #place: Place | undefined;
  #records = 0;
  #damage = new DamageLog<FileDamage>();
  /** Turn and number of its items that were given last. */
  #given = { turn: 0, items: 0 };
  #goneLooks = 0;
  #row: ThreadRow | undefined;
  /** Names of segments that the thread does not go on in, though they are newer. */
  readonly #passedBy = new Set<string>();

  constructor(options: FollowerOptions) {
    this.#options = options;
  }

  async look({ signal }: { readonly signal?: AbortSignal } = {}): Promise<FollowLook> {
    signal?.throwIfAborted();
    try {
      return await this.#look(signal);
    } catch (error) {
      if (signal?.aborted || this.#thread === undefined) throw error;
      if (!(error instanceof ThreadNotFoundError) && fileErrorCode(error) !== 'ENOENT') throw error;
      // It may come back: a move that is under way has neither name for a moment.
      this.#goneLooks += 1;
      return { kind: 'gone' };
    }
  }

  async #look(signal: AbortSignal | undefined): Promise<FollowLook> {
    const thread = this.#thread;
    const place = this.#place;
    if (thread === undefined || place === undefined)
      return this.#begin('first', await this.#options.open(signal), signal);
    const segment = await this.#newerSegment(place, signal);
    const stat = segment === undefined ? await this.#statOf(place.path) : undefined;
    if (stat === undefined) return this.#findAgain(place, segment, signal);
    this.#goneLooks = 0;
    const stamp = stampOf(stat);
    if (stamp === place.stamp) return { kind: 'same' };
    return (await this.#isRewritten(place, stat))
      ? this.#begin('rewritten', await this.#options.open(signal), signal)
      : this.#readOn(thread, place, stat, signal);
  }

  /** Reads the thread from its start and gives the turns that the query asks for. */
  async #begin(kind: 'first' | 'rewritten', thread: LocalThread, signal: AbortSignal | undefined): Promise<FollowLook> {
    const { query } = this.#options;
    await this.#readAll(thread, { last: query.last, from: query.from, all: query.all }, thread.parts, signal);
    const views = this.#fold.views();
    const shown = query.last === undefined ? views : views.slice(-query.last);
    this.#noteGiven();
    const turns = shown.map(({ number, turn }) => ({ number, turn, goesOn: false }));
    return { kind, ...(await this.#told(thread)), turns };
  }

  /** A file that is not where it was, or that another has taken the place of. */
  async #findAgain(place: Place, segment: string | undefined, signal: AbortSignal | undefined): Promise<FollowLook> {
    if (this.#goneLooks > 1 && this.#goneLooks % GONE_LOOKS !== 0) throw new ThreadNotFoundError(place.path);
    const thread = await this.#options.open(signal);
    this.#goneLooks = 0;
    if (plainName(thread.path) === plainName(place.path)) {
      if (segment !== undefined) {
        this.#passedBy.add(segment);
        return { kind: 'same' };
      }
      this.#thread = thread;
      // What the file is now is compared at the next look.
      const isPlain = !isCompressed(thread.path);
      const stat = isPlain ? undefined : await this.#statOf(thread.path);
      this.#place = { ...place, path: thread.path, stamp: stat === undefined ? '' : stampOf(stat) };
      return isPlain ? this.#look(signal) : { kind: 'same' };
    }
    // Another segment: what it shares with what was shown is read, and not given again.
    await this.#readAll(thread, { last: 1, all: this.#options.query.all }, thread.parts.slice(0, -1), signal);
    this.#noteGiven();
    const head = thread.parts.at(-1);
    if (head !== undefined) await this.#readPart(thread, head, signal);
    return { kind: 'reverted', ...(await this.#told(thread)), turns: this.#newTurns() };
  }

  async #readAll(
    thread: LocalThread,
    window: ConstructorParameters<typeof TurnsFold>[0],
    parts: readonly ThreadPart[],
    signal: AbortSignal | undefined,
  ): Promise<void> {
    this.#thread = thread;
    this.#row = undefined;
    this.#fold = new TurnsFold(window);
    this.#records = 0;
    this.#damage = new DamageLog<FileDamage>();
    this.#damage.addAll(thread.lineageDamage);
    for (const part of parts) await this.#readPart(thread, part, signal);
  }

  async #readPart(thread: LocalThread, part: ThreadPart, signal: AbortSignal | undefined): Promise<void> {
    const { path, endByteOffset } = part;
    const place: Place = { path, byteOffset: 0, lines: 0, dialect: undefined, tailHash: '', stamp: '' };
    if (path !== thread.path || isCompressed(path)) {
      if (path === thread.path) place.stamp = stampOf(await this.#options.files.stat(path));
      await this.#read(place, endByteOffset, signal);
    } else await this.#readWhole(place, await this.#options.files.stat(path), signal);
    if (path === thread.path) this.#place = place;
  }

  async #readOn(
    thread: LocalThread,
    place: Place,
    stat: FileStat,
    signal: AbortSignal | undefined,
  ): Promise<FollowLook> {
    const before = place.byteOffset;
    await this.#readWhole(place, stat, signal);
    if (place.byteOffset === before) return { kind: 'same' };
    const tookBack = this.#fold.totalTurns < this.#given.turn;
    if (tookBack) this.#given = { turn: this.#fold.totalTurns, items: Number.POSITIVE_INFINITY };
    return { kind: 'grown', ...(await this.#told(thread)), tookBack, turns: this.#newTurns() };
  }

  /** The lines of a plain file that are complete. */
  async #readWhole(place: Place, stat: FileStat, signal: AbortSignal | undefined): Promise<void> {
    const { files } = this.#options;
    place.stamp = stampOf(stat);
    const file = files.openRegularSync(place.path);
    try {
      const end = lastLineEnd(file, place.byteOffset, stat.sizeBytes);
      if (end === undefined) return;
      await this.#read(place, end, signal);
      place.byteOffset = end;
      place.tailHash = tailHashOf(file, end);
    } finally {
      file.closeSync();
    }
  }

  async #read(place: Place, endByteOffset: number | null, signal: AbortSignal | undefined): Promise<void> {
    const { files } = this.#options;
    const { path } = place;
    const batches = readRecords(path, {
      files,
      startByteOffset: place.byteOffset,
      startLineNumber: place.lines + 1,
      endByteOffset,
      ...(place.dialect !== undefined && { dialect: place.dialect }),
      ...(signal !== undefined && { signal }),
    });
    for await (const batch of batches) {
      for (const { line, lineNumber, byteOffset, byteLength, unknown } of batch.records) {
        const rawText = (): string => loadBytesSync(path, { byteOffset, byteLength }, files).toString('utf8');
        this.#fold.apply({ line, lineNumber, byteOffset, path, unknown, rawText });
      }
      for (const found of batch.damage) this.#damage.add({ ...found, path });
      this.#records += batch.records.length;
      place.dialect = batch.dialect ?? place.dialect;
      place.lines = batch.lines;
      place.byteOffset = batch.nextByteOffset;
    }
  }

  async #isRewritten({ path, byteOffset, tailHash }: Place, { sizeBytes }: FileStat): Promise<boolean> {
    if (isCompressed(path) || sizeBytes < byteOffset) return true;
    if (tailHash === '') return false;
    const file = this.#options.files.openRegularSync(path);
    try {
      return tailHashOf(file, byteOffset) !== tailHash;
    } finally {
      file.closeSync();
    }
  }

  async #statOf(path: string): Promise<FileStat | undefined> {
    try {
      return await this.#options.files.stat(path);
    } catch (error) {
      if (fileErrorCode(error) !== 'ENOENT') throw error;
      return undefined;
    }
  }

  /** A revert makes its segment on the day on which it happens: only the newest two folders can hold one. */
  async #newerSegment({ path }: Place, signal: AbortSignal | undefined): Promise<string | undefined> {
    const own = parseRolloutName(fileNameOf(path));
    if (own === undefined) return undefined;
    for (const folder of await this.#newestFolders(signal)) {
      for (const name of await this.#namesIn(folder, signal)) {
        const other = parseRolloutName(name);
        const isNewer = other?.threadId === own.threadId && (other.segmentId ?? '') > (own.segmentId ?? '');
        if (isNewer && !this.#passedBy.has(name)) return name;
      }
    }
    return undefined;
  }

  async #newestFolders(signal: AbortSignal | undefined): Promise<readonly string[]> {
    const { home, files } = this.#options;
    let folders = [files.join(home, SESSIONS_FOLDER)];
    for (let level = 0; level < 3; level += 1) {
      const below: string[] = [];
      for (const folder of folders) {
        const numbers = (await this.#namesIn(folder, signal)).filter((name) => /^\d+$/.test(name));
        for (const name of numbers.sort((a, b) => Number(b) - Number(a))) below.push(files.join(folder, name));
      }
      folders = below.slice(0, 2);
    }
    return folders;
  }

  async #namesIn(folder: string, signal: AbortSignal | undefined): Promise<string[]> {
    try {
      const entries = await this.#options.files.readDirectory(folder, signal === undefined ? {} : { signal });
      return entries.map(({ name }) => name);
    } catch (error) {
      if (fileErrorCode(error) === undefined || signal?.aborted) throw error;
      return []; // what cannot be listed holds no segment that could be opened
    }
  }

  #newTurns(): readonly FollowedTurn[] {
    const { turn: number, items } = this.#given;
    const fresh = this.#fold.views(number).flatMap((view): FollowedTurn[] => {
      if (view.number > number) return [{ ...view, goesOn: false }];
      const rest = view.turn.items.slice(items);
      return rest.length === 0 ? [] : [{ number, turn: { ...view.turn, items: rest }, goesOn: items > 0 }];
    });
    this.#noteGiven();
    return fresh;
  }

  #noteGiven(): void {
    const last = this.#fold.views(this.#fold.totalTurns).at(-1);
    this.#given = { turn: last?.number ?? this.#fold.totalTurns, items: last?.turn.items.length ?? 0 };
    this.#fold.forgetBefore(this.#fold.totalTurns - KEPT_TURNS);
  }

  async #told(thread: LocalThread) {
    const parse = { lines: this.#place?.lines ?? 0, records: this.#records, errors: this.#damage.list() };
    this.#row ??= await thread.row();
    return { parts: thread.parts, thread: this.#row, totalTurns: this.#fold.totalTurns, parse };
  }
}

function stampOf({ sizeBytes, mtimeNs, inode }: FileStat): string {
  return `${sizeBytes}:${mtimeNs}:${inode}`;
}

function plainName(path: string): string {
  return fileNameOf(path).replace(/\.zst$/, '');
}

/** Where the last complete line ends; undefined when none was completed after `from`. */
function lastLineEnd(file: RegularFile, from: number, sizeBytes: number): number | undefined {
  const window = Buffer.alloc(Math.min(WINDOW_BYTES, Math.max(0, sizeBytes - from)));
  for (let end = sizeBytes; end > from; ) {
    const start = Math.max(from, end - window.length);
    const read = file.readSync(window.subarray(0, end - start), start);
    const at = window.subarray(0, read).lastIndexOf(0x0a);
    if (at !== -1) return start + at + 1;
    end = start;
  }
  return undefined;
}

function tailHashOf(file: RegularFile, byteOffset: number): string {
  const tail = Buffer.alloc(Math.min(TAIL_BYTES, byteOffset));
  const read = file.readSync(tail, byteOffset - tail.length);
  return createHash('sha256').update(tail.subarray(0, read)).digest('hex');
}
