/** A home of ours with threads in it, and the operations over it, with a lock that is a file as the real one is. */
import { createHash } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { parseThreadId, type ThreadId } from '../../../src/base/ids.js';
import { nodeFileSystem } from '../../../src/platform/files/node-file-system.js';
import type { LifecycleOptions, TakeWriterLock } from '../../../src/thread-store/local/lifecycle/index.js';
import { rolloutLines, rolloutPath, uuid, writeLines } from '../temp-home.js';

/** Instants of the tests; nothing depends on the real one. */
export const NOW = Date.parse('2026-06-01T12:00:00.000Z');

export function threadId(number: number): ThreadId {
  const id = parseThreadId(uuid(number));
  if (id === undefined) throw new TypeError(`No thread id: ${uuid(number)}`);
  return id;
}

/** As the real lock behaves: a file of the thread while it is held; who holds it already is refused. */
export const lock: TakeWriterLock = async (id, home) => {
  const folder = join(home, 'thread-writer-locks');
  mkdirSync(folder, { recursive: true });
  const path = join(folder, `${id}.lock`);
  if (held.has(path)) throw new Error(`Thread ${id} is busy`);
  held.add(path);
  writeFileSync(path, '');
  return {
    async release() {
      rmSync(path, { force: true });
      held.delete(path);
    },
  };
};
const held = new Set<string>();

export function options(home: string, id: ThreadId, ownHome = home): LifecycleOptions {
  return { home, ownHome, threadId: id, files: nodeFileSystem, clock: () => NOW, lock };
}

export const SEGMENT = '019e0000-0000-7000-8000-00000000aaaa';

/** Paths of a paginated thread that has a file of its own and a segment, with a mode and a time of their own. */
export function writeThread(home: string, number: number, says: readonly string[] = ['Hello']): readonly string[] {
  const id = uuid(number);
  const paths = [rolloutPath(home, id), rolloutPath(home, id, { segment: segmentOf(number) })];
  const [first = '', second = ''] = paths;
  const lines = numbered(rolloutLines({ id, says, meta: { history_mode: 'paginated' } }), 0);
  const base = {
    thread_id: id,
    end_ordinal_exclusive: lines.length,
    end_byte_offset: lines.reduce((sum, line) => sum + Buffer.byteLength(line) + 1, 0),
  };
  const meta = { history_mode: 'paginated', history_base: base };
  writeLines(first, lines);
  writeLines(second, numbered(rolloutLines({ id, says: [`Segment of ${number}`], meta }), lines.length));
  for (const [index, path] of paths.entries()) {
    chmodSync(path, 0o640);
    utimesSync(path, 1_780_000_000 + index, 1_780_000_000.5 + index);
  }
  return paths;
}

function numbered(lines: readonly string[], from: number): readonly string[] {
  return lines.map((line, index) => line.replace(',"type":', `,"ordinal":${from + index},"type":`));
}

export function segmentOf(number: number): string {
  return SEGMENT.slice(0, -4) + String(number).padStart(4, 'a');
}

export function hashOf(path: string): string {
  return createHash('sha256').update(readFileSync(path)).digest('hex');
}

export interface Look {
  readonly sha256: string;
  readonly mode: number;
  readonly mtimeMs: number;
}

/** Every regular file below a folder by its path there. */
export function filesBelow(folder: string): ReadonlyMap<string, Look> {
  const found = new Map<string, Look>();
  if (!existsSync(folder)) return found;
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort()) {
    const path = join(folder, name);
    const stat = lstatSync(path);
    if (stat.isFile()) found.set(name, { sha256: hashOf(path), mode: stat.mode & 0o777, mtimeMs: stat.mtimeMs });
  }
  return found;
}

/** Logs below a home by name, in whatever folder. */
export function logsOf(home: string): ReadonlyMap<string, Look> {
  return new Map([...filesBelow(home)].filter(([name]) => /(^|\/)(archived_)?sessions\//.test(name)));
}

/** Files of a home in which a text stands, in whatever bytes. */
export function filesHolding(home: string, texts: readonly string[]): readonly string[] {
  const found: string[] = [];
  for (const name of readdirSync(home, { recursive: true, encoding: 'utf8' })) {
    const path = join(home, name);
    for (const text of texts) {
      const compact = text.replaceAll('-', '');
      if (name.includes(text)) found.push(`${name}: its name`);
      if (!lstatSync(path).isFile()) continue;
      const bytes = readFileSync(path).toString('latin1').toLowerCase();
      if (bytes.includes(text.toLowerCase()) || bytes.includes(compact.toLowerCase())) found.push(`${name}: ${text}`);
    }
  }
  return found;
}

/** Where what is derived from a home of the tests lies. */
export interface Places {
  readonly home: string;
  readonly derived: { readonly state: string; readonly search: string };
  readonly logs: string;
  readonly imports: string;
}

export function placesOf(home: string): Places {
  const state = join(home, 'db', 'state_5.sqlite');
  return {
    home,
    derived: { state, search: `${state}.search` },
    logs: join(home, 'db', 'logs_2.sqlite'),
    imports: join(home, 'imports.jsonl'),
  };
}
