/**
 * A store with the verbs of ours over plain files (`--store plain`): each verb leaves what Codex itself would leave,
 * by the shortest way. It shows that the cases are right, and what a release accepts, before our store is looked at.
 *
 * It takes no lock and keeps no index: never a substitute for a store.
 */
import { appendFileSync, existsSync, mkdirSync, renameSync } from 'node:fs';
import path from 'node:path';
import { logsOf } from './logs-of.mjs';
import { appendLines, linesOf, newLogPath, readLines, sessionMeta } from './rollout-file.mjs';
import { newUuid } from './turns.mjs';

class PlainThread {
  #dialect;
  #ordinal;

  constructor({ id, path: file, dialect, ordinal }) {
    this.id = id;
    this.path = file;
    this.#dialect = dialect;
    this.#ordinal = ordinal;
  }

  async append(records) {
    const lines = linesOf(records, { dialect: this.#dialect, ordinal: this.#ordinal });
    appendLines(this.path, lines);
    this.#ordinal += lines.length;
  }

  async flush() {}
  async close() {}
}

/** The newest file of a thread, its dialect, and the ordinal that comes next. */
function latest(home, id) {
  const file = logsOf(home, id).at(-1);
  if (file === undefined) throw new Error(`No log of ${id} in ${home}`);
  const lines = readLines(file);
  const meta = lines[0].payload;
  const dialect = meta.history_mode === 'paginated' ? 'paginated' : 'legacy';
  return { file, lines, meta, dialect, ordinal: (lines.at(-1).ordinal ?? -1) + 1 };
}

/** How many of `lines` stand before turn `turn` (0-based); all of them when there is none such. */
function cutBefore(lines, turn) {
  const starts = lines.flatMap(({ payload }, index) => (payload.type === 'task_started' ? [index] : []));
  return starts[turn] ?? lines.length;
}

const turnsIn = (lines) => lines.filter(({ payload }) => payload.type === 'task_started').length;

/** Where the history of a new file begins: the first `count` of `lines` of another. */
function historyBase(fileId, lines, count) {
  const last = lines[count - 1];
  return { thread_id: fileId, end_ordinal_exclusive: last.ordinal + 1, end_byte_offset: last.endByteOffset };
}

/** The id by which a base names a file: the segment's when it is one. */
const fileIdOf = (file) => path.basename(file).replace(/\.jsonl.*$/, '').slice(-36);

export async function plainStore(home) {
  const create = async ({ cwd, dialect = 'legacy' }) => {
    const id = newUuid();
    const thread = new PlainThread({ id, path: newLogPath(home, id), dialect, ordinal: 0 });
    await thread.append([sessionMeta({ id, cwd, dialect })]);
    return thread;
  };
  const resume = async (id) => {
    const { file, dialect, ordinal } = latest(home, id);
    return new PlainThread({ id, path: file, dialect, ordinal });
  };
  const fork = async (id, { atTurn } = {}) => {
    const { file, lines, meta, dialect } = latest(home, id);
    const count = atTurn === undefined ? lines.length : cutBefore(lines, atTurn);
    const forkId = newUuid();
    const more = { forked_from_id: id, source: meta.source };
    if (dialect === 'paginated') {
      const base = historyBase(fileIdOf(file), lines, count);
      Object.assign(more, { history_base: base, forked_from_ordinal_exclusive: base.end_ordinal_exclusive });
    }
    const ordinal = more.history_base?.end_ordinal_exclusive ?? 0;
    const thread = new PlainThread({ id: forkId, path: newLogPath(home, forkId), dialect, ordinal });
    await thread.append([sessionMeta({ id: forkId, cwd: meta.cwd, dialect }, more)]);
    if (dialect === 'legacy')
      appendLines(
        thread.path,
        lines.slice(0, count).map(({ text }) => `${text}\n`),
      );
    return thread;
  };
  const rollback = async (id, { turns }) => {
    const { file, lines, meta, dialect, ordinal } = latest(home, id);
    if (dialect === 'legacy') {
      const marker = { type: 'event_msg', payload: { type: 'thread_rolled_back', num_turns: turns } };
      appendLines(file, linesOf([marker], { dialect, ordinal }));
      return;
    }
    const count = cutBefore(lines, turnsIn(lines) - turns);
    const base = historyBase(fileIdOf(file), lines, count);
    const segment = newLogPath(home, id, { segment: newUuid() });
    const first = sessionMeta({ id, cwd: meta.cwd, dialect }, { history_base: base, source: meta.source });
    appendLines(segment, linesOf([first], { dialect, ordinal: base.end_ordinal_exclusive }));
  };
  const patch = async (id, { name, archived }) => {
    if (name !== undefined) {
      const line = { id, thread_name: name, updated_at: new Date().toISOString() };
      appendFileSync(path.join(home, 'session_index.jsonl'), `${JSON.stringify(line)}\n`);
    }
    if (archived === undefined) return;
    for (const file of logsOf(home, id)) {
      const [, year, month, day] = /rollout-(\d+)-(\d\d)-(\d\d)T/.exec(path.basename(file));
      const folder = archived ? ['archived_sessions'] : ['sessions', year, month, day];
      const target = path.join(home, ...folder, path.basename(file));
      if (existsSync(target)) continue;
      mkdirSync(path.dirname(target), { recursive: true });
      renameSync(file, target);
    }
  };
  return { create, resume, fork, rollback, patch, close: async () => {} };
}
