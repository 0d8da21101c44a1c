/** Databases looked into without touching them. */
export { type Obstacle, obstacleAt, obstacleHint } from '../open-database.js';
export {
  type AuditDatabaseOptions,
  auditDatabase,
  type DatabaseAudit,
  type DatabaseProblemKind,
} from './audit-database.js';
export { type IndexFacts, readIndexFacts, removeDerivedDatabase, setAsideIfDamaged } from './index-facts.js';
export type { AuditRow, DatabaseOwner, ThreadRows } from './inspect.js';
export { storedTexts } from './stored-texts.js';
