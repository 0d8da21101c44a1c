/**
 * Small threads written for the faults that people reported, and a file system that counts what reading them costs.
 */
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { ListQuery, SessionReader, ThreadRow } from '../../src/home/index.js';
import type { FileSystem } from '../../src/platform/files/file-system.js';
import { nodeFileSystem } from '../../src/platform/files/node-file-system.js';
import { LocalSessionReader } from '../../src/thread-store/local/local-session-reader.js';
import { type Lab, putFile } from './lab.js';
import { assistantMessage, file, pathOf, userMessage } from './logs.js';

/** The nth id of this file. */
export function idOf(n: number): string {
  return `01a229b0-0000-7000-8000-${String(n).padStart(12, '0')}`;
}

export interface Thread {
  readonly n: number;
  readonly prompt?: string;
  readonly meta?: Readonly<Record<string, unknown>>;
  readonly day?: string;
  readonly time?: string;
  /** Lines between the session_meta and the prompt, and at the end. */
  readonly before?: readonly string[];
  readonly after?: readonly string[];
}

export function line(type: string, payload: unknown, timestamp = '2026-11-29T12:00:00.000Z'): string {
  return JSON.stringify({ timestamp, type, payload });
}

export function event(type: string, fields: Readonly<Record<string, unknown>> = {}, timestamp?: string): string {
  return line('event_msg', { type, ...fields }, timestamp);
}

export function threadLines({ n, prompt = `prompt ${n}`, meta = {}, before = [], after = [] }: Thread): string[] {
  const session = {
    id: idOf(n),
    timestamp: '2026-11-29T12:00:00.000Z',
    cwd: '/home/dev/proj',
    originator: 'codex_cli_rs',
    cli_version: '0.125.0',
    source: 'cli',
    model_provider: 'openai',
    ...meta,
  };
  return [
    line('session_meta', session),
    ...before,
    line('response_item', userMessage(prompt)),
    event('user_message', { message: prompt, images: [] }),
    line('response_item', assistantMessage('done')),
    event('agent_message', { message: 'done' }),
    ...after,
  ];
}

export function putThread(lab: Lab, thread: Thread): string {
  return putFile(lab.home, pathOf(idOf(thread.n), thread.day, thread.time), file(threadLines(thread)));
}

export function ids(rows: readonly ThreadRow[]): (string | null)[] {
  return rows.map(({ id }) => id).sort();
}

export async function listAll(reader: SessionReader, query: ListQuery = {}): Promise<ThreadRow[]> {
  const rows: ThreadRow[] = [];
  let cursor: string | null = null;
  do {
    const page = await reader.list({ ...query, ...(cursor !== null && { cursor }) });
    rows.push(...page.threads);
    cursor = page.nextCursor;
  } while (cursor !== null);
  return rows;
}

/** The file system, counting what is opened and read, and every path that is asked about. */
export function countingFileSystem(): FileSystem & { bytes: number; opened: number; readonly asked: Set<string> } {
  const asked = new Set<string>();
  const counted = {
    ...nodeFileSystem,
    bytes: 0,
    opened: 0,
    asked,
    openRegularSync(path: string) {
      asked.add(path);
      const opened = nodeFileSystem.openRegularSync(path);
      counted.opened += 1;
      return new Proxy(opened, {
        get(target, key) {
          const value: unknown = Reflect.get(target, key, target);
          if (typeof value !== 'function') return value;
          return (...args: unknown[]) => {
            const result: unknown = Reflect.apply(value, target, args);
            if (key === 'readSync') counted.bytes += result as number;
            return result;
          };
        },
      });
    },
    async openRegular(path: string) {
      return counted.openRegularSync(path);
    },
    readDirectory(path: string, options?: object) {
      asked.add(path);
      return nodeFileSystem.readDirectory(path, options);
    },
    realPath(path: string, options?: object) {
      asked.add(path);
      return nodeFileSystem.realPath(path, options);
    },
    stat(path: string, options?: object) {
      asked.add(path);
      return nodeFileSystem.stat(path, options);
    },
    lstat(path: string, options?: object) {
      asked.add(path);
      return nodeFileSystem.lstat(path, options);
    },
    lstatSync(path: string) {
      asked.add(path);
      return nodeFileSystem.lstatSync(path);
    },
  };
  return counted;
}

/** The file system, but for one file: it cannot be opened, or opens and cannot be read. */
export function failingFileSystem(bad: string, code: string): FileSystem {
  const fail = (): never => {
    throw Object.assign(new Error(`${code}: made to fail`), { code });
  };
  const openRegularSync: FileSystem['openRegularSync'] = (path) => {
    if (path === bad && code === 'EACCES') fail();
    const opened = nodeFileSystem.openRegularSync(path);
    if (path !== bad) return opened;
    return {
      stat: opened.stat,
      read: async () => fail(),
      readSync: fail,
      close: () => opened.close(),
      closeSync: () => opened.closeSync(),
    };
  };
  return { ...nodeFileSystem, openRegularSync, openRegular: async (path) => openRegularSync(path) };
}

export function localReader(lab: Lab, files: FileSystem): LocalSessionReader {
  const reader = new LocalSessionReader({
    home: { path: lab.home, kind: 'codex', own: false },
    files,
    indexPaths: async () => ({ state: join(lab.user, 'index.sqlite'), search: join(lab.user, 'search.sqlite') }),
    clock: () => performance.now(),
  });
  onTestFinished(() => reader.close());
  return reader;
}
