/**
 * Log files written in the plainest way there is: no lock, no queue, no repair. They show what a release needs to find
 * in a log, independent of how our store writes one; nothing but this harness may write so.
 */
import { appendFileSync, mkdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { keptIn } from './turns.mjs';

const two = (value) => String(value).padStart(2, '0');

/** Path of a new log: by local time, without colons. `segment`: the id of a revert. */
export function newLogPath(home, id, { at = Date.now(), segment } = {}) {
  const date = new Date(at);
  const day = [date.getFullYear(), two(date.getMonth() + 1), two(date.getDate())];
  const time = [date.getHours(), date.getMinutes(), date.getSeconds()].map(two).join('-');
  const name = segment === undefined ? id : `${id}_${segment}`;
  return path.join(home, 'sessions', ...day.map(String), `rollout-${day.join('-')}T${time}-${name}.jsonl`);
}

/** First record of a log. `more` replaces or, with undefined, takes out a field. */
export function sessionMeta({ id, cwd, dialect, at = Date.now() }, more = {}) {
  const payload = {
    id,
    timestamp: new Date(at).toISOString(),
    cwd,
    originator: 'codicil',
    cli_version: '0.0.0',
    source: 'cli',
    model_provider: 'scripted',
    ...(dialect === 'paginated' && { history_mode: 'paginated' }),
    ...more,
  };
  return { type: 'session_meta', payload };
}

/** Lines for `records` in a dialect, from `ordinal` on; those that the dialect does not keep are left out. */
export function linesOf(records, { dialect, ordinal = 0, at = Date.now() }) {
  const timestamp = new Date(at).toISOString();
  return records
    .filter((record) => keptIn(dialect, record))
    .map(({ type, payload }, index) => {
      const order = dialect === 'paginated' ? { ordinal: ordinal + index } : {};
      return `${JSON.stringify({ timestamp, ...order, type, payload })}\n`;
    });
}

export function appendLines(file, lines) {
  mkdirSync(path.dirname(file), { recursive: true });
  appendFileSync(file, lines.join(''));
}

/** The lines of a small log, each with the byte at which it ends; those that are no JSON are left out. */
export function readLines(file) {
  const lines = [];
  let end = 0;
  for (const text of readFileSync(file, 'utf8').split('\n')) {
    end += Buffer.byteLength(text) + 1;
    if (text.trim() !== '') lines.push({ ...JSON.parse(text), text, endByteOffset: end });
  }
  return lines;
}
