/**
 * Room for one query at a time over all rows and threads of a catalog: made once, and put back to zero by the lists of
 * what was touched, so that a query costs what it finds and not what there is.
 */

export class Scratch {
  /** By row: the sum over all terms, and what one term adds. */
  readonly score: Float64Array;
  readonly share: Float64Array;
  /** 1 for rows that hold a content term themselves. */
  readonly holds: Uint8Array;
  /** 1 for rows that begin with a name of the query. */
  readonly opens: Uint8Array;
  /** Rows with a score. */
  readonly touched: Int32Array;
  touchedCount = 0;
  /** Rows that one term reached. */
  readonly reached: Int32Array;
  /** By thread. */
  readonly threadScore: Float64Array;
  readonly threadShare: Float64Array;
  readonly threadsReached: Int32Array;
  readonly best: Float64Array;
  /** The row of `best`; -1 for none. */
  readonly bestRow: Int32Array;
  #opened: readonly Int32Array[] = [];

  constructor(rows: number, threads: number) {
    this.score = new Float64Array(rows);
    this.share = new Float64Array(rows);
    this.holds = new Uint8Array(rows);
    this.opens = new Uint8Array(rows);
    this.touched = new Int32Array(rows);
    this.reached = new Int32Array(rows);
    this.threadScore = new Float64Array(threads);
    this.threadShare = new Float64Array(threads);
    this.threadsReached = new Int32Array(threads);
    this.best = new Float64Array(threads);
    this.bestRow = new Int32Array(threads).fill(-1);
  }

  open(rows: Int32Array): void {
    for (const row of rows) this.opens[row] = 1;
    this.#opened = [...this.#opened, rows];
  }

  /** Ready for the next query. */
  reset(): void {
    for (let at = 0; at < this.touchedCount; at += 1) {
      const row = this.touched[at] ?? 0;
      this.score[row] = 0;
      this.holds[row] = 0;
    }
    this.touchedCount = 0;
    for (const rows of this.#opened) for (const row of rows) this.opens[row] = 0;
    this.#opened = [];
    this.threadScore.fill(0);
    this.best.fill(0);
    this.bestRow.fill(-1);
  }
}
