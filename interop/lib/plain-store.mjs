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

/** The newest file of a thread, its dialect, and the ordinal that comes next. */
function latest(home, id) {
  const file = logsOf(home, id).at(-1);
  if (file === undefined) throw new Error(`No log of ${id} in ${home}`);
  const lines = readLines(file);
  const meta = lines[0].payload;
  const dialect = meta.history_mode === 'paginated' ? 'paginated' : 'legacy';
  return { id, path: file, lines, meta, dialect, ordinal: (lines.at(-1).ordinal ?? -1) + 1 };
}

const turnsIn = (lines) => lines.filter(({ payload }) => payload.type === 'task_started').length;

/** How many of `lines` stand before turn `turn`, counted from 0; all of them when there is none such. */
function cutBefore(lines, turn) {
  const starts = lines.flatMap(({ payload }, index) => (payload.type === 'task_started' ? [index] : []));
  return starts[turn] ?? lines.length;
}

/** What a new file is based on: the first `count` lines of another, which is named by its thread or its segment. */
function historyBase({ path: file, lines }, count) {
  const last = lines[count - 1];
  const thread_id = path.basename(file, '.jsonl').slice(-36);
  return { thread_id, end_ordinal_exclusive: last.ordinal + 1, end_byte_offset: last.endByteOffset };
}

class PlainThread {
  #home;
  #dialect;
  #ordinal;

  constructor(home, { id, path: file, dialect, ordinal }) {
    this.id = id;
    this.path = file;
    this.#home = home;
    this.#dialect = dialect;
    this.#ordinal = ordinal;
  }

  async append(records) {
    const lines = linesOf(records, { dialect: this.#dialect, ordinal: this.#ordinal });
    appendLines(this.path, lines);
    this.#ordinal += lines.length;
  }

  async rollback(turns) {
    if (this.#dialect === 'legacy')
      return this.append([{ type: 'event_msg', payload: { type: 'thread_rolled_back', num_turns: turns } }]);
    const log = latest(this.#home, this.id);
    const base = historyBase(log, cutBefore(log.lines, turnsIn(log.lines) - turns));
    this.path = newLogPath(this.#home, this.id, { segment: newUuid() });
    this.#ordinal = base.end_ordinal_exclusive;
    return this.append([{ type: 'session_meta', payload: { ...log.meta, history_base: base } }]);
  }

  async close() {}
}

/** @returns {Promise<import('./store.mjs').Writer>} */
export async function plainStore(home) {
  const create = async ({ cwd, dialect }) => {
    const id = newUuid();
    const thread = new PlainThread(home, { id, path: newLogPath(home, id), dialect, ordinal: 0 });
    await thread.append([sessionMeta({ id, cwd, dialect })]);
    return thread;
  };

  const fork = async (id, { atTurn } = {}) => {
    const log = latest(home, id);
    const { lines, meta, dialect } = log;
    const count = atTurn === undefined ? lines.length : cutBefore(lines, atTurn);
    const forkId = newUuid();
    const file = newLogPath(home, forkId);
    const { history_base: _base, session_id: _session, base_instructions: _said, ...kept } = meta;
    const own = { ...kept, id: forkId, timestamp: new Date().toISOString(), forked_from_id: id };
    if (dialect === 'paginated') {
      const base = historyBase(log, count);
      const ordinal = base.end_ordinal_exclusive;
      const thread = new PlainThread(home, { id: forkId, path: file, dialect, ordinal });
      const more = { history_base: base, forked_from_ordinal_exclusive: ordinal };
      await thread.append([{ type: 'session_meta', payload: { ...own, ...more } }]);
      return thread;
    }
    const thread = new PlainThread(home, { id: forkId, path: file, dialect, ordinal: 0 });
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
    resume: async (id) => new PlainThread(home, latest(home, id)),
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
