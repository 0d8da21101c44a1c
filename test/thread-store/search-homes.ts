/** Homes for searching: threads of plain conversations, made line by line. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { SearchHit, SearchPage, SearchQuery } from '../../src/thread-store/session-reader.js';
import { openReader, rolloutLines, rolloutPath, tempFolder, uuid, writeLines } from './temp-home.js';

export type Say = string | { readonly user: string } | { readonly assistant: string };

export interface Talk {
  /** Number of the thread. */
  readonly number: number;
  readonly says: readonly Say[];
  readonly startedAt?: string;
  readonly meta?: Readonly<Record<string, unknown>>;
  readonly archived?: boolean;
}

/** Lines of a thread; a text alone is the user's. Message `n` (from 0) stands on line `n + 2`. */
export function talkLines({
  number,
  says,
  startedAt = '2026-05-04T10:00:00.000Z',
  meta = {},
}: Talk): readonly string[] {
  const [first = ''] = rolloutLines({ id: uuid(number), says: [], startedAt, meta });
  return [first, ...says.map((say, at) => sayLine(say, Date.parse(startedAt) + (at + 1) * 1000))];
}

export function sayLine(say: Say, atMs: number): string {
  const payload =
    typeof say !== 'string' && 'assistant' in say
      ? { type: 'agent_message', message: say.assistant }
      : { type: 'user_message', message: typeof say === 'string' ? say : say.user, images: [] };
  return JSON.stringify({ timestamp: new Date(atMs).toISOString(), type: 'event_msg', payload });
}

export type SearchReader = ReturnType<typeof openReader>;

export interface SearchHome extends AsyncDisposable {
  readonly path: string;
  /** Another reader of the same index. */
  reader(): SearchReader;
  pathOf(number: number): string;
  put(talk: Talk): string;
  search(text: string, query?: Omit<SearchQuery, 'text'>): Promise<SearchPage>;
}

export function searchHome(...talks: readonly Talk[]): SearchHome {
  const folder = tempFolder();
  const path = join(folder.path, 'home');
  mkdirSync(join(path, 'sessions'), { recursive: true });
  const readers: SearchReader[] = [];
  const reader = (): SearchReader => {
    const made = openReader(path, { index: join(folder.path, 'state.sqlite') });
    readers.push(made);
    return made;
  };
  const pathOf = (number: number): string => rolloutPath(path, uuid(number));
  const put = (talk: Talk): string => {
    const file = rolloutPath(path, uuid(talk.number), { archived: talk.archived ?? false });
    writeLines(file, talkLines(talk));
    return file;
  };
  for (const talk of talks) put(talk);
  return {
    path,
    reader,
    pathOf,
    put,
    search: (text, query = {}) => (readers[0] ?? reader()).search({ ...query, text }),
    [Symbol.asyncDispose]: async () => {
      for (const made of readers) await made.close();
      folder[Symbol.dispose]();
    },
  };
}

/** `thread:line` of each hit, threads by their number. */
export function placesOf({ hits }: Pick<SearchPage, 'hits'>): readonly string[] {
  return hits.map(({ threadId, line }) => `${Number(threadId.slice(-6))}:${line}`);
}

/** What of a snippet is marked. */
export function marksOf({ snippet, matches }: SearchHit): readonly string[] {
  return matches.map(([start, end]) => snippet.slice(start, end));
}
