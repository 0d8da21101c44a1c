/**
 * The documents of one generation: their numbers, the terms of each in the full text, and their places, kept in step.
 *
 * A number is given once and never again; numbers of one file come in runs. Opens no transaction: whoever writes has one.
 */
import type { Statements } from '../statements.js';
import type { FullText } from './full-text.js';
import { countPlaces, summarizePlaces, withoutPlace } from './places.js';

/** Documents that were found in one go, in the order of the file. */
export interface NewDocuments {
  /** What FTS5 is to index of all of them, one after the other, as UTF-8. */
  readonly terms: Uint8Array;
  /** Where in `terms` that of each document ends, ascending. */
  readonly ends: readonly number[];
  /** Packed: see `packPlaces`. */
  readonly places: Uint8Array;
  /** The masked texts, in whatever form the caller gives them; undefined where the log itself can be read at an offset. */
  readonly texts: Uint8Array | undefined;
  /** Numbers, among all that the file has had, of documents in whose place others stand. */
  readonly retracted: readonly number[];
}

/** A run of document numbers that belong to one file. */
export interface SearchSpan {
  readonly firstDocument: number;
  readonly documents: number;
  readonly file: number;
}

/** What is kept of a run beside its numbers. */
export interface KeptPlaces {
  readonly places: Uint8Array;
  readonly texts: Uint8Array | null;
}

export class DocumentRuns {
  readonly #statements: Statements;
  readonly #text: FullText;
  readonly #generation: number;

  constructor(statements: Statements, text: FullText, generation: number) {
    this.#statements = statements;
    this.#text = text;
    this.#generation = generation;
  }

  /** The number of the next document. */
  next(): number {
    const last = this.#statements
      .prepare<{ readonly first_document: number; readonly documents: number }>(
        'SELECT first_document, documents FROM search_spans WHERE generation = ? ORDER BY first_document DESC LIMIT 1',
      )
      .get(this.#generation);
    return last === undefined ? 1 : last.first_document + last.documents;
  }

  /** The places of the run that begins with this number. */
  places(firstDocument: number): KeptPlaces | undefined {
    return this.#statements
      .prepare<KeptPlaces>('SELECT places, texts FROM search_places WHERE generation = ? AND first_document = ?')
      .get(this.#generation, firstDocument);
  }

  /** Adds a run to a file, from the number `first` on; returns the number behind it. */
  add(file: number, { terms, ends, places, texts }: NewDocuments, first = this.next()): number {
    if (ends.length === 0) return first;
    for (let index = 0, start = 0; index < ends.length; index += 1) {
      const end = ends[index] ?? start;
      this.#text.insert(first + index, terms.subarray(start, end));
      start = end;
    }
    const { chars, fromSeconds, toSeconds } = summarizePlaces(places);
    this.#statements
      .prepare(
        `INSERT INTO search_spans (generation, first_document, documents, file, chars, from_seconds, to_seconds)
         VALUES (?, ?, ?, ?, ?, ?, ?)`,
      )
      .run(this.#generation, first, ends.length, file, chars, fromSeconds, toSeconds);
    this.#statements
      .prepare('INSERT INTO search_places (generation, first_document, places, texts) VALUES (?, ?, ?, ?)')
      .run(this.#generation, first, places, texts ?? null);
    return first + ends.length;
  }

  /** Removes all documents of a file. */
  remove(file: number): void {
    for (const { firstDocument, documents } of this.#spansOf(file)) {
      // One by one: a range would walk over the whole table.
      for (let index = 0; index < documents; index += 1) this.#text.delete(firstDocument + index);
      for (const table of ['search_spans', 'search_places']) {
        this.#statements
          .prepare(`DELETE FROM ${table} WHERE generation = ? AND first_document = ?`)
          .run(this.#generation, firstDocument);
      }
    }
  }

  /** Takes documents out of the full text and marks their places; numbers stay as they are. */
  takeBack(file: number, retracted: readonly number[]): void {
    if (retracted.length === 0) return;
    let before = 0;
    for (const { firstDocument } of this.#spansOf(file)) {
      const found = this.places(firstDocument);
      if (found === undefined) continue;
      const here = countPlaces(found.places);
      const mine = retracted.filter((document) => document >= before && document < before + here);
      let places = found.places;
      for (const document of mine) {
        this.#text.delete(firstDocument + document - before);
        places = withoutPlace(places, document - before);
      }
      if (mine.length > 0) {
        this.#statements
          .prepare('UPDATE search_places SET places = ? WHERE generation = ? AND first_document = ?')
          .run(places, this.#generation, firstDocument);
        const { chars, fromSeconds, toSeconds } = summarizePlaces(places);
        this.#statements
          .prepare(
            `UPDATE search_spans SET chars = ?, from_seconds = ?, to_seconds = ?
             WHERE generation = ? AND first_document = ?`,
          )
          .run(chars, fromSeconds, toSeconds, this.#generation, firstDocument);
      }
      before += here;
    }
  }

  #spansOf(file: number): readonly SearchSpan[] {
    return this.#statements
      .prepare<SearchSpan>(
        `SELECT first_document AS firstDocument, documents, file FROM search_spans
         WHERE generation = ? AND file = ? ORDER BY first_document`,
      )
      .all(this.#generation, file);
  }
}
