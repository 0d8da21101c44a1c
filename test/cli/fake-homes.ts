/** Homes made of plain objects, and a way to run a command line on them. */
import { PassThrough, Readable, Writable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { parseThreadId, type ThreadId } from '../../src/base/ids.js';
import type { CliContext, Launch } from '../../src/cli/context.js';
import { runCli } from '../../src/cli/main.js';
import type { AuditReport, DoctorReport, HomeSet, ProgramLog } from '../../src/home/index.js';
import type { ThreadRow } from '../../src/projection/thread-row.js';
import type { TurnItemView, TurnView } from '../../src/projection/turn.js';
import { SearchError } from '../../src/thread-store/errors.js';
import type {
  HistoryResult,
  ListQuery,
  RawLine,
  RebuildResult,
  SearchPage,
  SearchQuery,
  SessionReader,
  ThreadCandidate,
  ThreadLineage,
  ThreadReader,
  TurnsQuery,
  TurnsResult,
  VerifiedFile,
} from '../../src/thread-store/session-reader.js';

export const NOW = Date.parse('2026-11-30T12:00:00.000Z');
export const HOME = '/home/me/.codex';

export function id(end: string): ThreadId {
  return parseThreadId(`019a2b3c-0000-7000-8000-${end.padStart(12, '0')}`)!;
}

export function row(end: string, fields: Partial<ThreadRow> = {}): ThreadRow {
  return {
    id: id(end),
    path: `${HOME}/sessions/2026/11/29/rollout-2026-11-29T09-00-00-${id(end)}.jsonl`,
    home: HOME,
    title: 'Why does the build fail?',
    name: null,
    preview: '',
    cwd: '/home/me/project',
    source: 'cli',
    modelProvider: 'openai',
    model: 'gpt-5',
    reasoningEffort: null,
    cliVersion: '0.171.0',
    createdAt: '2026-11-29T09:00:00.000Z',
    updatedAt: '2026-11-30T11:00:00.000Z',
    archived: false,
    archivedAt: null,
    hasUserEvent: true,
    sandboxPolicy: null,
    approvalMode: null,
    memoryMode: null,
    tokensUsed: 0,
    git: null,
    dialect: 'paginated',
    sizeBytes: 1234,
    forkedFromId: null,
    parentThreadId: null,
    children: [],
    hiddenReason: null,
    ...fields,
  };
}

export function item(line: number, text: string, fields: Partial<TurnItemView> = {}): TurnItemView {
  return { type: 'message', role: 'user', text, line, path: row('1').path, origin: 'user', ...fields };
}

export function turn(items: readonly TurnItemView[], fields: Partial<TurnView> = {}): TurnView {
  return {
    id: 'turn-1',
    status: 'completed',
    startedAt: '2026-11-29T09:00:00.000Z',
    completedAt: '2026-11-29T09:00:12.000Z',
    items,
    ...fields,
  };
}

export interface FakeHome {
  readonly rows: readonly ThreadRow[];
  readonly path?: string;
  readonly own?: boolean;
  readonly hidden?: Record<string, number>;
  /** Paths of the files that come before the thread's own. */
  readonly olderParts?: readonly string[];
  readonly turns?: readonly TurnView[];
  readonly parse?: TurnsResult['parse'];
  readonly lines?: readonly RawLine[];
  readonly history?: Omit<HistoryResult, 'threadId'>;
  readonly verified?: readonly (VerifiedFile | Error)[];
  readonly rebuilt?: RebuildResult;
  readonly building?: boolean;
  readonly found?: Partial<SearchPage>;
  readonly audited?: AuditReport;
  readonly examined?: DoctorReport;
  /** Filled by the reader: what it was asked. */
  readonly asked?: unknown[];
  readonly lineages?: ReadonlyMap<ThreadId, ThreadLineage>;
}

function fakeThread(home: FakeHome, thread: ThreadRow): ThreadReader {
  const close = async (): Promise<void> => undefined;
  return {
    id: thread.id!,
    path: thread.path,
    row: async () => thread,
    parts: [...(home.olderParts ?? []), thread.path].map((path) => ({ path, endByteOffset: null })),
    history: async () => ({
      threadId: thread.id!,
      items: home.history?.items ?? [],
      damage: home.history?.damage ?? [],
    }),
    turns: async ({ from = 1, to, last, all, signal: _, ...rest }: TurnsQuery = {}) => {
      home.asked?.push({ turns: { from, to, last, all, ...rest } });
      const turns = home.turns ?? [];
      const chosen = last === undefined ? turns.slice(from - 1, to) : turns.slice(-last);
      const parse = home.parse ?? { lines: 4, records: 4, errors: [] };
      return { thread, turns: chosen, totalTurns: turns.length, parse };
    },
    lines: async ({ from, to, path = thread.path }) =>
      (home.lines ?? []).filter((line) => line.path === path && line.line >= from && line.line <= to),
    follow: () => {
      throw new Error('A fake thread cannot be followed');
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

function fakeReader(home: FakeHome): SessionReader {
  const path = home.path ?? HOME;
  const close = async (): Promise<void> => undefined;
  const index = {
    state: home.building ? ('building' as const) : ('complete' as const),
    indexed: home.rows.length,
    files: home.rows.length,
  };
  return {
    home: { path, kind: home.own ? 'codicil' : 'codex', own: home.own ?? false },
    list: async ({ signal: _, ...query }: ListQuery = {}) => {
      home.asked?.push({ list: query });
      const fits = home.rows.filter((candidate) => query.all || candidate.hiddenReason === null);
      return {
        threads: fits.slice(0, query.limit ?? 25),
        nextCursor: fits.length > (query.limit ?? 25) ? 'after-25' : null,
        total: fits.length,
        hidden: home.hidden ?? {},
        index,
      };
    },
    candidates: async (reference) =>
      home.rows
        .filter(
          ({ id, name }) =>
            id !== null && (name === reference || (/^[0-9a-f-]{4,}$/.test(reference) && id.endsWith(reference))),
        )
        .map((thread) => candidateOf(thread, path)),
    latest: async () => (home.rows[0] === undefined ? undefined : candidateOf(home.rows[0], path)),
    open: async (threadId) => fakeThread(home, home.rows.find((candidate) => candidate.id === threadId)!),
    why: async (reference) =>
      home.rows.filter((candidate) => candidate.id?.endsWith(reference) || candidate.path === reference),
    verify: async function* (target, options) {
      home.asked?.push({ verify: target, policy: options?.policy });
      for (const file of home.verified ?? []) {
        if (file instanceof Error) throw file;
        yield file;
      }
    },
    search: async ({ signal: _, ...query }: SearchQuery) => {
      home.asked?.push({ search: query });
      if (query.text.trim() === '') throw new SearchError();
      return { hits: [], total: 0, totalIsBound: false, tookMs: 1.5, index, ...home.found };
    },
    listedIds: async () => home.rows.flatMap((candidate) => (candidate.id === null ? [] : [candidate.id])),
    lineageOf: async () => home.lineages ?? new Map(),
    rebuild: async (options) => {
      home.asked?.push({ rebuild: { prove: options?.prove } });
      options?.onProgress?.({ phase: 'full', done: 1, files: 2 });
      return home.rebuilt!;
    },
    indexState: async () => ({ ...index, bytes: 2_500_000, threads: home.rows.length }),
    close,
    [Symbol.asyncDispose]: close,
  };
}

function candidateOf(thread: ThreadRow, home: string): ThreadCandidate {
  const { path, title, name, updatedAt } = thread;
  return { id: thread.id!, path, title, name, updatedAt, home };
}

export function fakeHomes(...homes: readonly FakeHome[]): HomeSet {
  const readers = homes.map(fakeReader);
  const readerOf = (path: string): SessionReader => readers.find((reader) => reader.home.path === path)!;
  return {
    readers,
    diagnostics: {
      audit: async () => homes[0]!.audited!,
      doctor: async ({ signal: _, onProgress: __, ...options } = {}) => {
        homes[0]!.asked?.push({ doctor: options });
        return homes[0]!.examined!;
      },
    },
    list: async (query) => readers[0]!.list(query),
    candidates: async (reference, options) =>
      (await Promise.all(readers.map((reader) => reader.candidates(reference, options)))).flat(),
    latest: async (options) => readers[0]!.latest(options),
    open: async ({ id, home }, options) => readerOf(home).open(id, options),
    search: async (query) => readers[0]!.search(query),
    why: async (reference, options) =>
      (await Promise.all(readers.map((reader) => reader.why(reference, options)))).flat(),
    readerOf,
    close: async () => undefined,
    [Symbol.asyncDispose]: async () => undefined,
  };
}

/** A log that keeps nothing. */
export const SILENT_LOG: ProgramLog = {
  enabled: () => false,
  log: () => undefined,
  flush: async () => undefined,
  close: async () => undefined,
  [Symbol.asyncDispose]: async () => undefined,
};

export interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
  readonly launched: readonly Launch[];
}

export interface RunOptions extends Partial<Omit<CliContext, 'openHomes' | 'stdin'>> {
  readonly input?: string | Buffer | readonly Buffer[];
  readonly openHomes?: CliContext['openHomes'];
}

/** For tests that change no thread. */
export const noThreadHome: CliContext['openThreadHome'] = async () => {
  throw new TypeError('This test opens no home for writing');
};

/** Runs `argv` on `homes`; no terminal unless the options say so. */
export async function run(
  argv: readonly string[],
  homes: HomeSet = fakeHomes({ rows: [] }),
  options: RunOptions = {},
): Promise<Ran> {
  const chunks = { stdout: '', stderr: '' };
  const sink = (name: 'stdout' | 'stderr'): Writable =>
    new Writable({
      write(chunk, _encoding, done) {
        chunks[name] += String(chunk);
        done();
      },
    });
  const launched: Launch[] = [];
  const { input, ...rest } = options;
  const stdin =
    input === undefined
      ? new PassThrough().end()
      : Readable.from(typeof input === 'string' || Buffer.isBuffer(input) ? [Buffer.from(input)] : input);
  const code = await runCli(argv, {
    openHomes: async () => homes,
    openThreadHome: noThreadHome,
    openLog: async () => SILENT_LOG,
    readLog: async () => ({ rows: [], partitions: [] }),
    stdin,
    stdout: sink('stdout'),
    stderr: sink('stderr'),
    env: { HOME: '/home/me' },
    cwd: '/home/me/project',
    isTTY: false,
    stderrIsTTY: false,
    stdinIsTTY: false,
    columns: 80,
    rows: 24,
    program: 'codicil',
    timeZone: 'UTC',
    version: () => '0.0.0',
    now: () => NOW,
    wait: (ms, signal) => delay(ms, undefined, { signal }),
    launch: async (launch) => {
      launched.push(launch);
      return 0;
    },
    watch: () => () => undefined,
    openPager: async () => undefined,
    signal: new AbortController().signal,
    ...rest,
  });
  return { code, ...chunks, launched };
}
