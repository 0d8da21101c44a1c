/**
 * The row of a thread without an index: what the names of its files, and the beginnings and ends of them, tell.
 */
import type { ThreadId } from '../../../base/ids.js';
import type { FileSystem } from '../../../platform/files/file-system.js';
import type { ThreadRow } from '../../../projection/thread-row.js';
import type { WalkedFile } from '../../../rollout/walk.js';
import { toThreadRow } from '../../../state/index.js';
import type { Imports } from '../import/import-ledger.js';
import { composeThread } from '../index/compose-thread.js';
import { readHeadRecord } from '../index/file-record.js';
import type { NamedFile } from './thread-files.js';

/** `head`: the file that stands for the thread; `named`: all whose names say that they belong to it. */
export function rowFromHead(
  id: ThreadId,
  head: WalkedFile,
  named: readonly NamedFile[],
  { home, files, imports }: { readonly home: string; readonly files: FileSystem; readonly imports: Imports },
): ThreadRow {
  const record = readHeadRecord(head, files);
  const siblings = named.filter((file) => file.path !== head.path).map((file) => readHeadRecord(file.walked, files));
  const composed = composeThread(id, record, [record, ...siblings], { home, inherited: [], name: null, imports });
  return toThreadRow(composed, home);
}
