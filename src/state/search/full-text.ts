/**
 * The FTS5 table of one generation: it holds terms by document number and nothing else. The text stays in the log.
 *
 * Which terms a text has is the business of whoever writes it: the tokenizer only splits at ASCII that is no letter or
 * digit. Numbers ascend in the order of writing, which is what FTS5 is fast at.
 */
import type { SqliteStatement } from '../../platform/sqlite/index.js';
import type { Statements } from '../statements.js';

/** While a generation is filled: few large segments, none of them merged on the way. */
const BULK = { automerge: 0, hashsize: 16 * 1024 * 1024 } as const;
/** What SQLite has by itself. */
const STEADY = { automerge: 4, hashsize: 1024 * 1024 } as const;

export interface ListOptions {
  readonly from?: number | undefined;
  readonly to?: number | undefined;
  readonly order: 'descending' | 'ascending';
  readonly limit: number;
}

export class FullText {
  readonly #statements: Statements;
  readonly #table: string;
  /** Texts of statements are long: looking them up for each of many documents would be felt. */
  #insert: SqliteStatement<unknown> | undefined;

  constructor(statements: Statements, generation: number) {
    this.#statements = statements;
    this.#table = `search_text_${generation}`;
  }

  create(): void {
    this.#statements.database.exec(
      `CREATE VIRTUAL TABLE ${this.#table} USING fts5(terms, content='', contentless_delete=1, tokenize='ascii');
       CREATE VIRTUAL TABLE ${this.#table}_rows USING fts5vocab(${this.#table}, 'row');`,
    );
  }

  exists(): boolean {
    return (
      this.#statements
        .prepare<unknown>("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?")
        .get(this.#table) !== undefined
    );
  }

  drop(): void {
    this.#statements.database.exec(`DROP TABLE IF EXISTS ${this.#table}_rows; DROP TABLE IF EXISTS ${this.#table};`);
  }

  /** Sets how writes are gathered, when it is not so already: for many documents, or for a few. */
  gather(how: 'bulk' | 'steady'): void {
    const wanted = how === 'bulk' ? BULK : STEADY;
    const rows = this.#statements
      .prepare<{ readonly k: string; readonly v: number }>(
        `SELECT k, v FROM ${this.#table}_config WHERE k IN ('automerge', 'hashsize')`,
      )
      .all();
    const set = new Map(rows.map(({ k, v }) => [k, v]));
    for (const [name, value] of Object.entries(wanted)) {
      const now = set.get(name) ?? STEADY[name as keyof typeof STEADY];
      // Literals: a bound number arrives as a float, which FTS5 refuses.
      if (now !== value)
        this.#statements.database.exec(`INSERT INTO ${this.#table}(${this.#table}, rank) VALUES('${name}', ${value})`);
    }
  }

  /** `terms`: UTF-8, words that ASCII separates. */
  insert(document: number, terms: Uint8Array): void {
    this.#insert ??= this.#statements.prepare(`INSERT INTO ${this.#table}(rowid, terms) VALUES (?, ?)`);
    this.#insert.run(document, terms);
  }

  delete(document: number): void {
    this.#statements.prepare(`DELETE FROM ${this.#table} WHERE rowid = ?`).run(document);
  }

  /** Numbers of documents that match, at most `limit`, in the order asked for, from `from` to `to`, both included. */
  list(expression: string, { from, to, order, limit }: ListOptions): Int32Array {
    const direction = order === 'descending' ? 'DESC' : 'ASC';
    // Bound numbers arrive as floats, by which FTS5 does not seek.
    const bound = (operator: string): string => `AND rowid ${operator} CAST(? AS INTEGER)`;
    const range = `${from === undefined ? '' : bound('>=')} ${to === undefined ? '' : bound('<=')}`;
    // One row of text: making an object of each number takes longer than finding it.
    const row = this.#statements
      .prepare<{ readonly numbers: string | null }>(
        `SELECT group_concat(rowid) AS numbers FROM (SELECT rowid FROM ${this.#table}
         WHERE ${this.#table} MATCH ? ${range} ORDER BY rowid ${direction} LIMIT ?)`,
      )
      .get(expression, ...[from, to].filter((end) => end !== undefined), limit);
    // group_concat() over integers is their digits, a comma between.
    return Int32Array.from(JSON.parse(`[${row?.numbers ?? ''}]`) as readonly number[]);
  }

  /** The number of the match behind `before` others, in ascending order; undefined when there are not so many. */
  matchBehind(expression: string, before: number): number | undefined {
    return this.#statements
      .prepare<{ readonly rowid: number }>(
        `SELECT rowid FROM ${this.#table} WHERE ${this.#table} MATCH ? ORDER BY rowid LIMIT 1 OFFSET ?`,
      )
      .get(expression, before)?.rowid;
  }

  /** Terms that begin with `prefix`, each with how many documents have it, at most `limit`. */
  termsFrom(prefix: string, limit: number): readonly { readonly term: string; readonly documents: number }[] {
    return this.#statements
      .prepare<{ readonly term: string; readonly documents: number }>(
        `SELECT term, doc AS documents FROM ${this.#table}_rows WHERE term >= ? AND term < ? LIMIT ?`,
      )
      .all(prefix, `${prefix}\u{10ffff}`, limit);
  }

  /** How many documents match. */
  count(expression: string): number {
    return (
      this.#statements
        .prepare<{ readonly n: number }>(`SELECT count(*) AS n FROM ${this.#table} WHERE ${this.#table} MATCH ?`)
        .get(expression)?.n ?? 0
    );
  }

  /** How many documents have a term; faster than counting a match. */
  countTerm(term: string): number {
    return (
      this.#statements.prepare<{ readonly doc: number }>(`SELECT doc FROM ${this.#table}_rows WHERE term = ?`).get(term)
        ?.doc ?? 0
    );
  }

  /** Every occurrence of every term, in the order of terms: for proving that two tables are equal. */
  *instances(): Generator<{ readonly term: string; readonly doc: number; readonly offset: number }> {
    const name = `temp.${this.#table}_instances`;
    this.#statements.database.exec(
      `DROP TABLE IF EXISTS ${name}; CREATE VIRTUAL TABLE ${name} USING fts5vocab(main, ${this.#table}, 'instance');`,
    );
    try {
      // Prepared anew: a statement of a table that was dropped is of no use.
      yield* this.#statements.database
        .prepare<{ readonly term: string; readonly doc: number; readonly offset: number }>(
          `SELECT term, doc, offset FROM ${name}`,
        )
        .iterate();
    } finally {
      this.#statements.database.exec(`DROP TABLE IF EXISTS ${name}`);
    }
  }

  /** Writes the table anew: terms of documents that were deleted lie in it until then. */
  optimize(): void {
    this.#statements.database.exec(`INSERT INTO ${this.#table}(${this.#table}) VALUES('optimize')`);
  }

  /** Throws `sqlite-corrupt` when the table contradicts itself. */
  check(): void {
    this.#statements.database.exec(`INSERT INTO ${this.#table}(${this.#table}) VALUES('integrity-check')`);
  }
}
