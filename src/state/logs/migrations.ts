/** The migrations of logs_2.sqlite, in order. Add at the end; never change one that was released. */
import type { Migration } from '../migrations/migrate.js';
import { LOGS_SQL } from './0001-logs.sql.js';

export const LOGS_MIGRATIONS: readonly Migration[] = [{ version: 1, name: '0001_logs.sql', sql: LOGS_SQL }];
