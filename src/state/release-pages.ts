/** Gives the free pages of a database back to the disk, so that its file shrinks again after rows were deleted. */
import type { SqliteDatabase } from '../platform/sqlite/index.js';

/** A step is a transaction: few enough pages that other writers are not kept waiting. */
const BATCH_PAGES = 2_000;

/** Does nothing to a database that was made without incremental vacuum: it keeps its pages for later use. */
export function releasePages(database: SqliteDatabase): void {
  for (let free = Number(database.pragma('freelist_count')); free > 0; ) {
    database.exec(`PRAGMA incremental_vacuum(${BATCH_PAGES})`);
    const left = Number(database.pragma('freelist_count'));
    if (left >= free) return;
    free = left;
  }
}
