/**
 * The files of a thread's log, found by name as anyone could.
 */
import { existsSync, readdirSync, watch } from 'node:fs';
import path from 'node:path';

/** Paths of every file whose name carries `id`, oldest name first. */
export function logsOf(home, id) {
  return ['sessions', 'archived_sessions']
    .map((name) => path.join(home, name))
    .filter((folder) => existsSync(folder))
    .flatMap((folder) => readdirSync(folder, { recursive: true }).map((name) => path.join(folder, name)))
    .filter((file) => new RegExp(`^rollout-.*${id}.*\\.jsonl(\\.zst)?$`).test(path.basename(file)))
    .sort((a, b) => (bareName(a) < bareName(b) ? -1 : 1));
}

/** Without what follows the ids: the first file of a thread comes before the segments of the same second. */
const bareName = (file) => path.basename(file).replace(/\.jsonl(\.zst)?$/, '');

/** Resolves once `holds()` is true; looks again whenever something in `folder` changes. Rejects after a minute. */
export function whenFolder(folder, holds) {
  return new Promise((resolve, reject) => {
    const finish = (settle, value) => {
      clearTimeout(guard);
      watcher.close();
      settle(value);
    };
    const look = () => {
      if (holds()) finish(resolve, undefined);
    };
    const watcher = watch(folder, look);
    const guard = setTimeout(() => finish(reject, new Error(`Nothing happened in ${folder}`)), 60_000);
    look();
  });
}
