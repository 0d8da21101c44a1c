/**
 * A store with the verbs of ours over plain files (`--store plain`): each verb leaves what Codex itself would leave,
 * by the shortest way. It shows that the cases are right, and what a release accepts, before our store is looked at.
 *
 * It takes no lock and keeps no index: never a substitute for a store.
 */
import { appendFileSync, mkdirSync, renameSync } from 'node:fs';
import path from 'node:path';
import { Skip } from './lab.mjs';
import { logsOf } from './logs-of.mjs';
import { appendLines, linesOf, newLogPath, readLines, sessionMeta } from './rollout-file.mjs';
import { newUuid } from './turns.mjs';

/** Lines of a file with those of its bases before them; each knows its file. */
function linesWithBases(home, file) {
  const own = readLines(file).map((line) => ({ ...line, file }));
  const base = own[0].payload.history_base;
  if (base === undefined) return own;
  // Named by its thread or its segment: either is the end of its name.
  const parent = logsOf(home, base.thread_id).find((each) => path.basename(each, '.jsonl').endsWith(base.thread_id));
  if (parent === undefined) throw new Error(`No log ends in ${base.thread_id}, which ${file} is based on`);
  const before = linesWithBases(home, parent);
  return [
    ...before.slice(
      0,
      before.findIndex(({ ordinal }) => ordinal >= base.end_ordinal_exclusive),
    ),
    ...own,
  ];
}

/** The newest file of a thread, its dialect, and the ordinal that comes next. */
function latest(home, id) {
  const file = logsOf(home, id).at(-1);
  if (file === undefined) throw new Error(`No log of ${id} in ${home}`);
  const lines = linesWithBases(home, file);
  const meta = lines.find((line) => line.file === file).payload;
  const dialect = meta.history_mode === 'paginated' ? 'paginated' : 'legacy';
  return { id, path: file, lines, meta, dialect, ordinal: (lines.at(-1).ordinal ?? -1) + 1 };
}

/** How many of `lines` stand before turn `turn`, counted from 0; all of them when there is none such. */
function cutBefore(lines, turn) {
  const starts = lines.flatMap(({ payload }, index) => (payload.type === 'task_started' ? [index] : []));
  return starts[turn] ?? lines.length;
}

/** What a new file is based on: the first `count` lines, of which the last one says in which file. */
function historyBase(lines, count) {
  const last = lines[count - 1];
  const thread_id = path.basename(last.file, '.jsonl').slice(-36);
  return { thread_id, end_ordinal_exclusive: last.ordinal + 1, end_byte_offset: last.endByteOffset };
}

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

  /** A marker in either dialect: a segment would not be noticed by a release whose database knows the thread. */
  async rollback(turns) {
    await this.append([{ type: 'event_msg', payload: { type: 'thread_rolled_back', num_turns: turns } }]);
  }

  async close() {}
}

/** @returns {Promise<import('./store.mjs').Writer>} */
export async function plainStore(home) {
  const create = async ({ cwd, dialect }) => {
    const id = newUuid();
    const thread = new PlainThread({ id, path: newLogPath(home, id), dialect, ordinal: 0 });
    await thread.append([sessionMeta({ id, cwd, dialect })]);
    return thread;
  };

  const fork = async (id, { atTurn } = {}) => {
    const { lines, meta, dialect } = latest(home, id);
    const count = atTurn === undefined ? lines.length : cutBefore(lines, atTurn);
    const forkId = newUuid();
    const file = newLogPath(home, forkId);
    const { history_base: _base, session_id: _session, base_instructions: _said, ...kept } = meta;
    const own = { ...kept, id: forkId, timestamp: new Date().toISOString(), forked_from_id: id };
    if (dialect === 'paginated') {
      const base = historyBase(lines, count);
      const ordinal = base.end_ordinal_exclusive;
      const thread = new PlainThread({ id: forkId, path: file, dialect, ordinal });
      const more = { history_base: base, forked_from_ordinal_exclusive: ordinal };
      await thread.append([{ type: 'session_meta', payload: { ...own, ...more } }]);
      return thread;
    }
    const thread = new PlainThread({ id: forkId, path: file, dialect, ordinal: 0 });
    await thread.append([{ type: 'session_meta', payload: own }]);
    appendLines(
      file,
      lines.slice(0, count).map(({ text }) => `${text}\n`),
    );
    return thread;
  };

  const rename = async (id, name) => {
    const line = { id, thread_name: name, updated_at: new Date().toISOString() };
    appendFileSync(path.join(home, 'session_index.jsonl'), `${JSON.stringify(line)}\n`);
  };

  const move = (folderOf) => async (id) => {
    for (const file of logsOf(home, id)) {
      const name = path.basename(file);
      const folder = path.join(home, ...folderOf(name));
      mkdirSync(folder, { recursive: true });
      renameSync(file, path.join(folder, name));
    }
  };

  return {
    locks: false,
    create,
    resume: async (id) => new PlainThread(latest(home, id)),
    fork,
    rename,
    archive: move(() => ['archived_sessions']),
    unarchive: move((name) => ['sessions', ...name.slice('rollout-'.length).slice(0, 10).split('-')]),
    compress: () => {
      throw new Skip('plain files are not compressed');
    },
    close: async () => {},
  };
}
