/**
 * One generation of the full-text index of a home, or the one that is current at each call.
 *
 * A file's documents and its watermark change in one transaction, which checks the watermark that the work started from.
 * Holds terms and places, never a text that was not masked; what the terms of a text are is the caller's business.
 */
import { stampTexts } from '../file-queries.js';
import { sameWatermark } from '../index-writer.js';
import { stampText, upsertSql, watermarkOfRow } from '../record-sql.js';
import type { Watermark } from '../rows.js';
import type { GenerationScope } from '../statements.js';
import { DocumentRuns, type NewDocuments, type SearchSpan } from './document-runs.js';
import { FullText, type ListOptions } from './full-text.js';
import { type FileSqlRow, PUT_FILE, PUT_STAMP, SELECT_FILE, type SearchFile, searchFile } from './search-file.js';

/** Runs in columns: one entry of each array is one run. */
export interface SearchLayout {
  readonly firstDocuments: Float64Array;
  readonly documents: Float64Array;
  readonly files: Float64Array;
  /** Characters of the texts of the run together. */
  readonly chars: Float64Array;
  /** Epoch seconds of its first and last instant; 0 for none. */
  readonly fromSeconds: Float64Array;
  readonly toSeconds: Float64Array;
}

/** A file and the documents in it. */
export interface NewFile {
  readonly record: SearchFile;
  readonly documents: NewDocuments;
}

export class SearchIndex {
  readonly #scope: GenerationScope;
  #lastText: { readonly generation: number; readonly text: FullText } | undefined;

  constructor(scope: GenerationScope) {
    this.#scope = scope;
  }

  /** Runs `fn` on one snapshot. `fn` may not write. */
  snapshot<T>(fn: () => T): T {
    return this.#scope.read(() => fn());
  }

  /** Runs `fn` under the write lock; its writes are all kept, or none when it throws. */
  transaction<T>(fn: () => T): T {
    return this.#scope.write(() => fn());
  }

  /** Sets how the writes that follow are gathered: for many documents, or for a few. */
  gather(how: 'bulk' | 'steady'): void {
    this.#scope.write((generation) => this.#text(generation).gather(how));
  }

  /** What is compared of every file to know whether it changed: as stampText() makes it, by absolute path. */
  stamps(): ReadonlyMap<string, string> {
    return stampTexts(this.#scope, 'search_stamps');
  }

  file(path: string): SearchFile | undefined {
    return this.#scope.read((generation) => {
      const row = this.#row(generation, path);
      return row && searchFile(row, this.#scope.paths);
    });
  }

  /** Every file by its number. */
  files(): ReadonlyMap<number, SearchFile> {
    return this.#scope.read((generation) => {
      const rows = this.#scope.statements.prepare<FileSqlRow>(SELECT_FILE).all(generation);
      return new Map(rows.map((row) => [row.file, searchFile(row, this.#scope.paths)]));
    });
  }

  /**
   * Puts a file and the documents that a scan found, if its watermark still is `expected` (null: it has none yet).
   * `appended`: those of earlier scans stay. False, and nothing written, when another process moved it on.
   */
  putFile(
    record: SearchFile,
    documents: NewDocuments,
    { expected, appended }: { readonly expected: Watermark | null; readonly appended: boolean },
  ): boolean {
    return this.#scope.write((generation) => {
      const before = this.#row(generation, record.path);
      const known = before === undefined ? null : watermarkOfRow(before);
      if (!sameWatermark(known, expected)) return false;
      const runs = this.#runs(generation);
      if (before !== undefined && !appended) runs.remove(before.file);
      const file = before?.file ?? this.#nextFile(generation);
      if (appended) runs.takeBack(file, documents.retracted);
      runs.add(file, documents);
      this.#putRow(generation, file, record);
      return true;
    });
  }

  /** Puts files that have no row yet, which the caller knows: nobody else writes this generation. */
  addFiles(files: readonly NewFile[]): void {
    this.#scope.write((generation) => {
      const runs = this.#runs(generation);
      let file = this.#nextFile(generation);
      let document = runs.next();
      for (const { record, documents } of files) {
        document = runs.add(file, documents, document);
        this.#putRow(generation, file, record);
        file += 1;
      }
    });
  }

  /** Forgets a file and its documents; false when it had no row. */
  removeFile(path: string): boolean {
    return this.#scope.write((generation) => {
      const row = this.#row(generation, path);
      if (row === undefined) return false;
      this.#runs(generation).remove(row.file);
      for (const table of ['search_files', 'search_stamps']) {
        this.#scope.statements
          .prepare(`DELETE FROM ${table} WHERE generation = ? AND path = ?`)
          .run(generation, row.path);
      }
      return true;
    });
  }

  /** All runs of numbers, ascending. */
  spans(): readonly SearchSpan[] {
    return this.#scope.read((generation) =>
      this.#scope.statements
        .prepare<SearchSpan>(
          'SELECT first_document AS firstDocument, documents, file FROM search_spans WHERE generation = ? ORDER BY first_document',
        )
        .all(generation),
    );
  }

  /** All runs of numbers in columns, ascending, each with what its places say as a whole. */
  layout(): SearchLayout {
    return this.#scope.read((generation) => {
      const columns = ['first_document', 'documents', 'file', 'chars', 'from_seconds', 'to_seconds'];
      const lists = columns.map((column) => `group_concat(${column})`).join(" || ';' || ");
      const row = this.#scope.statements
        .prepare<{ readonly columns: string | null }>(
          `SELECT ${lists} AS columns FROM (SELECT * FROM search_spans WHERE generation = ? ORDER BY first_document)`,
        )
        .get(generation);
      // group_concat() over integers is their digits, a comma between.
      const [firstDocuments, documents, files, chars, fromSeconds, toSeconds] = (row?.columns ?? ';;;;;')
        .split(';')
        .map((numbers) => Float64Array.from(JSON.parse(`[${numbers}]`) as readonly number[]));
      const none = new Float64Array(0);
      return {
        firstDocuments: firstDocuments ?? none,
        documents: documents ?? none,
        files: files ?? none,
        chars: chars ?? none,
        fromSeconds: fromSeconds ?? none,
        toSeconds: toSeconds ?? none,
      };
    });
  }

  /** The thread of every file by the file's number; null for one that names none. */
  threadsOfFiles(): ReadonlyMap<number, string | null> {
    return this.#scope.read((generation) => {
      const row = this.#scope.statements
        .prepare<{ readonly files: string; readonly threads: string }>(
          `SELECT json_group_array(file) AS files, json_group_array(thread_id) AS threads
           FROM search_files WHERE generation = ?`,
        )
        .get(generation);
      // json_group_array() over these columns is an array of numbers, and one of texts and nulls.
      const files = JSON.parse(row?.files ?? '[]') as readonly number[];
      const threads = JSON.parse(row?.threads ?? '[]') as readonly (string | null)[];
      return new Map(files.map((file, index) => [file, threads[index] ?? null]));
    });
  }

  /** One file by its number. */
  fileByNumber(file: number): SearchFile | undefined {
    return this.#scope.read((generation) => {
      const row = this.#scope.statements.prepare<FileSqlRow>(`${SELECT_FILE} AND f.file = ?`).get(generation, file);
      return row && searchFile(row, this.#scope.paths);
    });
  }

  /** The number of a file; undefined for one that is not known. */
  numberOfFile(path: string): number | undefined {
    return this.#scope.read(
      (generation) =>
        this.#scope.statements
          .prepare<{ readonly file: number }>('SELECT file FROM search_files WHERE generation = ? AND path = ?')
          .get(generation, this.#scope.paths.toStored(path))?.file,
    );
  }

  /** Changes with every write of any connection, this one's own included: what was loaded before may be out of date. */
  changeMark(): string {
    return this.#scope.read((generation) => {
      const row = this.#scope.statements
        .prepare<{ readonly others: number; readonly own: number }>(
          'SELECT (SELECT data_version FROM pragma_data_version) AS others, total_changes() AS own',
        )
        .get();
      return `${generation} ${row?.others} ${row?.own}`;
    });
  }

  /** The places of every run, in no order. */
  eachPlaces(visit: (firstDocument: number, places: Uint8Array) => void): void {
    this.#scope.read((generation) => {
      const rows = this.#scope.statements
        .prepare<{ readonly firstDocument: number; readonly places: Uint8Array }>(
          'SELECT first_document AS firstDocument, places FROM search_places WHERE generation = ?',
        )
        .iterate(generation);
      for (const { firstDocument, places } of rows) visit(firstDocument, places);
    });
  }

  /** The places of a run, and the texts that were kept with them. */
  places(firstDocument: number): { readonly places: Uint8Array; readonly texts: Uint8Array | null } | undefined {
    return this.#scope.read((generation) => this.#runs(generation).places(firstDocument));
  }

  /** Numbers of the documents that match an FTS5 expression, within a range of numbers. */
  list(expression: string, options: ListOptions): Int32Array {
    return this.#scope.read((generation) => this.#text(generation).list(expression, options));
  }

  /** The number of the match behind `before` others, in ascending order; undefined when there are not so many. */
  matchBehind(expression: string, before: number): number | undefined {
    return this.#scope.read((generation) => this.#text(generation).matchBehind(expression, before));
  }

  /** Terms of the index that begin with `prefix`, at most `limit`. */
  termsFrom(prefix: string, limit: number): readonly { readonly term: string; readonly documents: number }[] {
    return this.#scope.read((generation) => this.#text(generation).termsFrom(prefix, limit));
  }

  /** How many documents match. */
  count(expression: string): number {
    return this.#scope.read((generation) => this.#text(generation).count(expression));
  }

  /** How many documents have a term. */
  countTerm(term: string): number {
    return this.#scope.read((generation) => this.#text(generation).countTerm(term));
  }

  /** How many documents there are. */
  countDocuments(): number {
    return this.#scope.read(
      (generation) =>
        this.#scope.statements
          .prepare<{ readonly n: number | null }>('SELECT sum(documents) AS n FROM search_spans WHERE generation = ?')
          .get(generation)?.n ?? 0,
    );
  }

  /** The highest number that a document has; 0 for none. */
  lastDocument(): number {
    return this.#scope.read((generation) => this.#runs(generation).next() - 1);
  }

  /** Every occurrence of every term: for proofs. */
  instances(): Iterable<{ readonly term: string; readonly doc: number; readonly offset: number }> {
    return this.#scope.read((generation) => this.#text(generation).instances());
  }

  /** Throws `sqlite-corrupt` when the full text contradicts itself. */
  check(): void {
    this.#scope.write((generation) => this.#text(generation).check());
  }

  note(key: string): string | undefined {
    return this.#scope.read(
      (generation) =>
        this.#scope.statements
          .prepare<{ readonly value: string }>('SELECT value FROM index_notes WHERE generation = ? AND key = ?')
          .get(generation, key)?.value,
    );
  }

  putNote(key: string, value: string): void {
    this.#scope.write((generation) => {
      this.#scope.statements.prepare(upsertSql('index_notes', ['key', 'value'])).run(generation, key, value);
    });
  }

  #text(generation: number): FullText {
    if (this.#lastText?.generation !== generation)
      this.#lastText = { generation, text: new FullText(this.#scope.statements, generation) };
    return this.#lastText.text;
  }

  #runs(generation: number): DocumentRuns {
    return new DocumentRuns(this.#scope.statements, this.#text(generation), generation);
  }

  #row(generation: number, path: string): FileSqlRow | undefined {
    return this.#scope.statements
      .prepare<FileSqlRow>(`${SELECT_FILE} AND f.path = ?`)
      .get(generation, this.#scope.paths.toStored(path));
  }

  #putRow(generation: number, file: number, record: SearchFile): void {
    const { statements, paths } = this.#scope;
    const { watermark } = record;
    const stored = paths.toStored(record.path);
    statements
      .prepare(PUT_FILE)
      .run(
        generation,
        stored,
        file,
        record.threadId,
        Number(record.compressed),
        Math.trunc(record.updatedAtMs),
        watermark.bytesRead,
        watermark.lines,
        watermark.headHash,
        watermark.tailHash,
        record.carry,
      );
    statements.prepare(PUT_STAMP).run(generation, stored, stampText(watermark, watermark.stage));
  }

  #nextFile(generation: number): number {
    const row = this.#scope.statements
      .prepare<{ readonly n: number | null }>('SELECT max(file) AS n FROM search_files WHERE generation = ?')
      .get(generation);
    return (row?.n ?? 0) + 1;
  }
}
