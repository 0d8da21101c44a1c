/**
 * What the log of the program is told of the index: each refresh, and each rebuild, with counts and times.
 */
import type { LogEntry } from '../../../state/logs/index.js';
import type { RebuildResult } from '../../session-reader.js';
import type { RefreshResult } from './indexer.js';

/** From here on a refresh is told without being asked for. */
const MANY_CHANGES = 16;
const LONG_REFRESH_MS = 1_000;

/** `changed`: files that had changed. */
export function refreshEntry(
  home: string,
  { files, indexed, state }: RefreshResult,
  { changed, tookMs }: { readonly changed: number; readonly tookMs: number },
): LogEntry {
  // Beside a session that runs, every look finds a file that has grown: a list must not pay for a line each time.
  const isFirst = files > 0 && changed === files;
  const isWorthTelling = isFirst || changed >= MANY_CHANGES || tookMs >= LONG_REFRESH_MS || state === 'building';
  const left = state === 'building' ? `, ${files - indexed} left for another time` : '';
  return {
    level: isWorthTelling ? 'info' : 'debug',
    target: 'thread-store/indexer',
    message: `Looked through ${home}: ${changed} of ${files} files had changed${left}; ${tookMs} ms`,
  };
}

export function rebuildEntry(
  home: string,
  { threads, messages, bytes, tookMs, equal, differences }: RebuildResult,
): LogEntry {
  const proof = equal === undefined ? '' : equal ? ', equal to the one before' : `, ${differences?.length} differences`;
  return {
    level: equal === false ? 'warn' : 'info',
    target: 'thread-store/rebuild',
    message: `Rebuilt the index of ${home}: ${threads} threads, ${messages} messages, ${bytes} bytes of logs${proof}; ${tookMs} ms`,
  };
}
