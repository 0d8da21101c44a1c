/**
 * One generation of the index of a home, or the one that is current at each call: all queries and writes by name.
 */
import type { SegmentId, ThreadId } from '../base/ids.js';
import type { HiddenReason, ThreadRow } from '../projection/thread-row.js';
import * as files from './file-queries.js';
import * as writer from './index-writer.js';
import type { FileRecord, FileStamp, SpawnEdge, ThreadRecord, Watermark } from './rows.js';
import type { GenerationScope } from './statements.js';
import * as threads from './thread-queries.js';

export class StateIndex {
  readonly #scope: GenerationScope;

  constructor(scope: GenerationScope) {
    this.#scope = scope;
  }

  /** Runs `fn` on one snapshot, so that what several queries say fits together. `fn` may not write. */
  snapshot<T>(fn: () => T): T {
    return this.#scope.read(() => fn());
  }

  /** Runs `fn` under the write lock; its writes are all kept, or none when it throws. Keep it short. */
  transaction<T>(fn: () => T): T {
    return this.#scope.write(() => fn());
  }

  /** One page, newest first, children included. Throws RangeError (limit), StateError `state-cursor-invalid`. */
  listThreads(query: threads.ThreadPageQuery): threads.RowPage {
    return threads.listThreads(this.#scope, query);
  }

  /** How many threads all pages of listThreads() hold. */
  countThreads(filter: threads.ThreadFilter = {}): number {
    return threads.countThreads(this.#scope, filter);
  }

  /** The id of every thread on all pages of listThreads(), in that order. */
  listedIds(filter: threads.ThreadFilter = {}): readonly ThreadId[] {
    return threads.listedIds(this.#scope, filter);
  }

  /** These files as listFiles() shows them, in the order given; those that are not known are left out. */
  rowsOfFiles(paths: readonly string[]): readonly ThreadRow[] {
    return files.rowsOfFiles(this.#scope, paths);
  }

  /** One page of every file as a row, hidden ones with their reason. Throws as listThreads(). */
  listFiles(query: threads.ThreadPageQuery): threads.RowPage {
    return files.listFiles(this.#scope, query);
  }

  /** How many rows all pages of listFiles() hold. */
  countListedFiles(filter: threads.ThreadFilter = {}): number {
    return files.countListedFiles(this.#scope, filter);
  }

  /** Files that stand for no row of the default list, by reason. Without filters, these and countThreads() are all files. */
  hiddenCounts(filter: threads.ThreadFilter = {}): Readonly<Partial<Record<HiddenReason, number>>> {
    return files.hiddenCounts(this.#scope, filter);
  }

  /** The newest thread of the default list, in `cwd` when given. */
  latest(filter: { readonly cwd?: string | undefined } = {}): ThreadRow | undefined {
    return threads.latestThread(this.#scope, filter);
  }

  /** One thread, hidden or not, as a list shows it. */
  findById(id: ThreadId): ThreadRow | undefined {
    return threads.findThreadsById(this.#scope, [id])[0];
  }

  /** Threads, hidden or not, whose id ends in these hex digits (four or more; dashes do not count), newest first. */
  findByIdEnd(hexSuffix: string): readonly ThreadRow[] {
    return threads.findThreadsByIdEnd(this.#scope, hexSuffix);
  }

  /** Threads, hidden or not, of exactly this name, newest first. */
  findByName(name: string): readonly ThreadRow[] {
    return threads.findThreadsByName(this.#scope, name);
  }

  /** Children by parent; a thread without any is not in the map. */
  childrenOf(ids: readonly ThreadId[]): ReadonlyMap<ThreadId, readonly ThreadId[]> {
    return threads.childrenOf(this.#scope, ids);
  }

  /** One thread as it was put. */
  thread(id: ThreadId): ThreadRecord | undefined {
    return threads.findThread(this.#scope, id);
  }

  /** How many threads allThreads() would give. */
  countAllThreads(): number {
    return threads.countAllThreads(this.#scope);
  }

  /** Every thread by id. */
  allThreads(): readonly ThreadRecord[] {
    return threads.allThreads(this.#scope);
  }

  /** One file as it was put. */
  file(path: string): FileRecord | undefined {
    return files.findFile(this.#scope, path);
  }

  /** Every file by path. */
  allFiles(): readonly FileRecord[] {
    return files.allFiles(this.#scope);
  }

  /** Every file of a thread by path, whatever its hidden reason. */
  filesOfThread(id: ThreadId): readonly FileRecord[] {
    return files.filesOfThread(this.#scope, id);
  }

  /** Files whose thread or segment this is, by path. */
  filesByUuid(uuid: ThreadId | SegmentId): readonly FileRecord[] {
    return files.filesByUuid(this.#scope, uuid);
  }

  /** Files of which only the head was read, newest first. Throws RangeError (limit). */
  pendingFiles(limit: number): readonly FileRecord[] {
    return files.pendingFiles(this.#scope, limit);
  }

  /** Files whose facts name a file that they continue (`facts.historyBase` in the JSON), by path. */
  filesWithBase(): readonly FileRecord[] {
    return files.filesWithBase(this.#scope);
  }

  /** Absolute paths of files that are no part of a thread, and ids of threads that the program made for itself. */
  withheld(): { readonly paths: readonly string[]; readonly threads: readonly string[] } {
    return files.withheld(this.#scope);
  }

  /** The ids of every thread of a folder, hidden and archived ones too. */
  threadsInFolder(cwd: string): readonly string[] {
    return files.threadsInFolder(this.#scope, cwd);
  }

  /** Threads, hidden or not, by id, as a list shows them; those that are not known are left out. */
  findByIds(ids: readonly ThreadId[]): readonly ThreadRow[] {
    return threads.findThreadsById(this.#scope, ids);
  }

  /** What putNote() kept under `key`. */
  note(key: string): string | undefined {
    return files.note(this.#scope, key);
  }

  /** Keeps a short text of the caller's with the generation. */
  putNote(key: string, value: string): void {
    writer.putNote(this.#scope, key, value);
  }

  /** How many files are known, and how many were read to their end. */
  countFiles(): files.FileCounts {
    return files.countFiles(this.#scope);
  }

  /** What stampText() makes of every file's stamp, by absolute path: a file whose stat says the same has not changed. */
  stamps(): ReadonlyMap<string, string> {
    return files.stampTexts(this.#scope);
  }

  /** The stamp of every file by absolute path. */
  watermarks(): ReadonlyMap<string, FileStamp> {
    return files.watermarks(this.#scope);
  }

  /** The whole watermark of one file. */
  watermark(path: string): Watermark | undefined {
    return files.watermark(this.#scope, path);
  }

  /** False, and nothing written, unless the file's watermark still is `expected` (null: no row yet). */
  putFile(record: FileRecord, options: writer.PutFileOptions): boolean {
    return writer.putFile(this.#scope, record, options);
  }

  /** False when the file had no row. Its thread stays. */
  removeFile(path: string): boolean {
    return writer.removeFile(this.#scope, path);
  }

  /** Put the thread's files first: `listFiles()` shows and sorts the head by the instants of its thread. */
  putThread(record: ThreadRecord, options: { readonly listed?: writer.ListedInstants | undefined } = {}): void {
    writer.putThread(this.#scope, record, options);
  }

  /** False when the thread had no row. The edge to its parent goes with it. */
  removeThread(id: ThreadId): boolean {
    return writer.removeThread(this.#scope, id);
  }

  /** Sets each child's parent; a null parent takes the edge away. */
  putEdges(edges: readonly SpawnEdge[]): void {
    writer.putEdges(this.#scope, edges);
  }
}
