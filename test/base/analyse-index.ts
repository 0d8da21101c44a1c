/** A real full-text table over documents, as the search index has one, and searches in it. */
import { parseQuery, type QueryTerm, toFtsExpression } from '../../src/base/analyse/index.js';
import { indexTerms } from '../../src/base/analyse/index-terms.js';
import { openSqlite, type SqliteDatabase } from '../../src/platform/sqlite/index.js';

export class DocumentIndex implements Disposable {
  readonly #database: SqliteDatabase = openSqlite({ path: ':memory:', applicationId: 1 });

  constructor(documents: readonly string[] = []) {
    this.#database.exec("CREATE VIRTUAL TABLE f USING fts5(t, content='', contentless_delete=1, tokenize='ascii')");
    this.replace(documents);
  }

  replace(documents: readonly string[]): void {
    this.#database.exec('DELETE FROM f');
    const insert = this.#database.prepare('INSERT INTO f(rowid, t) VALUES (?, ?)');
    for (const [index, text] of documents.entries()) insert.run(index, indexTerms(text));
  }

  /** Indexes of the documents that have the term. */
  having(term: QueryTerm, exact = true): ReadonlySet<number> {
    return new Set(this.match(toFtsExpression(term, { exact })));
  }

  match(expression: string): readonly number[] {
    return this.#database
      .prepare<{ rowid: number }>('SELECT rowid FROM f WHERE f MATCH ? ORDER BY rowid')
      .all(expression)
      .map(({ rowid }) => rowid);
  }

  /** Indexes of the documents that have every term of the query and none of the excluded ones. */
  search(query: string): readonly number[] {
    const { terms, isEmpty } = parseQuery(query);
    if (isEmpty) return [];
    const wanted = terms
      .filter(({ excluded }) => !excluded)
      .map((term) => `(${toFtsExpression(term, { exact: true })})`);
    const not = terms
      .filter(({ excluded }) => excluded)
      .map((term) => ` NOT (${toFtsExpression(term, { exact: true })})`);
    return this.match(`(${wanted.join(' AND ')})${not.join('')}`);
  }

  [Symbol.dispose](): void {
    this.#database.close();
  }
}
