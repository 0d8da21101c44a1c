/**
 * Proves that two indexes of one home are equal: every row of threads and files, every document with its place, and every
 * occurrence of every term of the full text.
 */
import type { FileRecord, SearchFile, SearchIndex, StateIndex, ThreadRecord } from '../../../state/index.js';
import { countPlaces, placeAt } from '../../../state/index.js';

/** One of the two: the index in use, or the one that was built from nothing. */
export interface IndexSide {
  readonly state: StateIndex;
  readonly search: SearchIndex;
}

/** More differences than a person reads are counted, not listed. */
const MAX_DIFFERENCES = 100;

/** Files that one side has seen in another state than the other. */
export function movingFiles(current: IndexSide, fresh: IndexSide): ReadonlySet<string> {
  const moving = new Set<string>();
  for (const [before, after] of [
    [current.state.stamps(), fresh.state.stamps()],
    [current.search.stamps(), fresh.search.stamps()],
  ] as const) {
    for (const path of new Set([...before.keys(), ...after.keys()]))
      if (before.get(path) !== after.get(path)) moving.add(path);
  }
  // One that was rewritten while it was read has no hashes.
  for (const { state } of [current, fresh])
    for (const { path, watermark } of state.allFiles())
      if (watermark.bytesRead > 0 && watermark.headHash === '') moving.add(path);
  return moving;
}

/** What differs, one sentence each; `moving` files, and threads that have one, are not compared. */
export function differencesOf(
  current: IndexSide,
  fresh: IndexSide,
  moving: ReadonlySet<string> = new Set(),
): readonly string[] {
  const [before, after] = [steadyRows(current.state, moving), steadyRows(fresh.state, moving)];
  const found = [
    ...compareRecords('thread', byKey(before.threads, threadKey), byKey(after.threads, threadKey)),
    ...compareRecords('file', byKey(before.files, fileKey), byKey(after.files, fileKey)),
    ...compareRecords('full text of', searchRows(current.search, moving), searchRows(fresh.search, moving)),
  ];
  if (found.length <= MAX_DIFFERENCES) return found;
  return [...found.slice(0, MAX_DIFFERENCES), `${found.length - MAX_DIFFERENCES} more differences`];
}

function steadyRows(
  index: StateIndex,
  moving: ReadonlySet<string>,
): { readonly threads: readonly ThreadRecord[]; readonly files: readonly FileRecord[] } {
  const files = index.allFiles();
  if (moving.size === 0) return { threads: index.allThreads(), files };
  const ids = new Set(files.filter(({ path }) => moving.has(path)).map(({ threadId }) => threadId));
  return {
    threads: index.allThreads().filter(({ id }) => !ids.has(id)),
    files: files.filter(({ path }) => !moving.has(path)),
  };
}

/** What is compared of a file's full text. */
interface SearchRow {
  readonly threadId: SearchFile['threadId'];
  readonly watermark: SearchFile['watermark'];
  readonly updatedAtMs: number;
  /** Places of all documents that count. */
  readonly documents: readonly string[];
  /** A sum over all terms of each document at their offsets, in the order of documents. */
  readonly terms: readonly number[];
}

function searchRows(index: SearchIndex, moving: ReadonlySet<string>): ReadonlyMap<string, SearchRow> {
  const files = index.files();
  const sums = termSums(index);
  const rows = new Map<string, SearchRow & { readonly documents: string[]; readonly terms: number[] }>();
  for (const { path, threadId, watermark, updatedAtMs } of files.values())
    if (!moving.has(path)) rows.set(path, { threadId, watermark, updatedAtMs, documents: [], terms: [] });
  for (const { firstDocument, file } of index.spans()) {
    const row = rows.get(files.get(file)?.path ?? '');
    const places = index.places(firstDocument)?.places;
    if (row === undefined || places === undefined) continue;
    for (let at = 0; at < countPlaces(places); at += 1) {
      const place = placeAt(places, at);
      if (place === undefined) continue;
      row.documents.push(text(place));
      row.terms.push(sums.get(firstDocument + at) ?? 0);
    }
  }
  return rows;
}

/** For each document a number that any other term, or any other place of one, would change. */
function termSums(index: SearchIndex): ReadonlyMap<number, number> {
  const sums = new Map<number, number>();
  let term = '';
  let hash = 0;
  for (const instance of index.instances()) {
    if (instance.term !== term) {
      term = instance.term;
      hash = hashOf(term);
    }
    const mixed = Math.imul(hash ^ Math.imul(instance.offset + 1, 0x9e37_79b1), 0x85eb_ca6b) >>> 0;
    // Below 2^53 for documents of up to two million terms.
    sums.set(instance.doc, (sums.get(instance.doc) ?? 0) + mixed);
  }
  return sums;
}

/** FNV-1a. */
function hashOf(term: string): number {
  let hash = 0x811c_9dc5;
  for (let at = 0; at < term.length; at += 1) hash = Math.imul(hash ^ term.charCodeAt(at), 0x0100_0193);
  return hash;
}

const threadKey = (record: ThreadRecord): string => record.id;
const fileKey = (record: FileRecord): string => record.path;

function byKey<T>(records: readonly T[], key: (record: T) => string): ReadonlyMap<string, T> {
  return new Map(records.map((record) => [key(record), record]));
}

function* compareRecords<T extends object>(
  what: string,
  current: ReadonlyMap<string, T>,
  fresh: ReadonlyMap<string, T>,
): Generator<string> {
  for (const [key, record] of fresh) {
    const other = current.get(key);
    if (other === undefined) {
      yield `${what} ${key} is missing in the index`;
      continue;
    }
    // Both are plain records that were made from the same columns in the same order.
    for (const [field, value] of Object.entries(record)) {
      const before: unknown = other[field as keyof T];
      if (text(before) !== text(value))
        yield `${what} ${key}: ${field} is ${shortened(text(before))}, the log says ${shortened(text(value))}`;
    }
  }
  for (const key of current.keys()) if (!fresh.has(key)) yield `${what} ${key} is in the index, but not on disk`;
}

const MAX_SHOWN_CHARS = 300;

function shortened(value: string): string {
  return value.length <= MAX_SHOWN_CHARS ? value : `${value.slice(0, MAX_SHOWN_CHARS)}… (${value.length} characters)`;
}

function text(value: unknown): string {
  return (
    JSON.stringify(value, (_key, part: unknown) => (typeof part === 'bigint' ? String(part) : part)) ?? 'undefined'
  );
}
