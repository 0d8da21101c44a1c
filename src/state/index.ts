/** The state databases of a home. */
export { APPLICATION_ID } from './application-id.js';
export { decodeCursor, encodeCursor, type ListOrder, type RowPosition, type ThreadSort } from './cursor.js';
export { StateError, type StateErrorCode } from './errors.js';
export type { FileCounts } from './file-queries.js';
export { sameWatermark } from './index-writer.js';
export { type Migration, migrate, migrationChecksum } from './migrations/migrate.js';
export { openStateDatabase, STATE_DATABASE_NAME, type StateOpenOptions } from './open.js';
export { stampText } from './record-sql.js';
export { comparePositions, rowPosition } from './row-position.js';
export {
  type FileHiddenReason,
  type FileRecord,
  type FileStage,
  type FileStamp,
  type SpawnEdge,
  type ThreadHiddenReason,
  type ThreadRecord,
  threadHiddenReason,
  toFileRow,
  toThreadRow,
  type Watermark,
} from './rows.js';
export type { NewDocuments, SearchSpan } from './search/document-runs.js';
export { copyChars, countPlaces, packPlaces, placeAt, type StoredPlace } from './search/places.js';
export {
  openSearchDatabase,
  SEARCH_DATABASE_NAME,
  SearchDatabase,
  type SearchOpenOptions,
} from './search/search-database.js';
export type { SearchFile } from './search/search-file.js';
export { SearchIndex, type SearchLayout } from './search/search-index.js';
export type { SetAside } from './set-aside.js';
export { StateDatabase } from './state-database.js';
export { StateIndex } from './state-index.js';
export type { RowPage, ThreadFilter, ThreadPageQuery } from './thread-queries.js';
