/** The migrations of state_5.sqlite, in order. Add at the end; never change one that was released. */
import { THREADS_SQL } from './0001-threads.sql.js';
import { ROLLOUT_FILES_SQL } from './0002-rollout-files.sql.js';
import type { Migration } from './migrate.js';

export const STATE_MIGRATIONS: readonly Migration[] = [
  { version: 1, name: '0001_threads.sql', sql: THREADS_SQL },
  { version: 2, name: '0002_rollout_files.sql', sql: ROLLOUT_FILES_SQL },
];
