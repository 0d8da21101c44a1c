/** Homes of the tests: temporary folders, fixtures copied into them, and readers over them. */
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { nodeFileSystem } from '../../src/platform/files/node-file-system.js';
import type { DatabasePaths } from '../../src/thread-store/local/index/index-handle.js';
import {
  LocalSessionReader,
  type LocalSessionReaderOptions,
} from '../../src/thread-store/local/local-session-reader.js';

export const FIXTURES = join(dirname(fileURLToPath(import.meta.url)), '..', '..', 'fixtures');

/** Every rollout below a folder, by path. */
export function rolloutsBelow(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => /rollout-[^/\\]*\.jsonl(\.zst)?$/.test(name))
    .map((name) => join(folder, name))
    .sort();
}

/** A folder that goes away with the test. */
export function tempFolder(): Disposable & { readonly path: string } {
  const path = mkdtempSync(join(tmpdir(), 'codicil-'));
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) };
}

/** Copies the sessions of fixtures (`0.171.0/plain`, …) into one home; names of threads too. */
export function copyFixtures(home: string, scenarios: readonly string[]): void {
  let names = '';
  for (const scenario of scenarios) {
    const from = join(FIXTURES, 'codex', scenario, 'home');
    mkdirSync(home, { recursive: true });
    for (const name of readdirSync(from)) {
      if (name === 'session_index.jsonl') names += readFileSync(join(from, name), 'utf8');
      else if (name === 'sessions' || name === 'archived_sessions') {
        cpSync(join(from, name), join(home, name), { recursive: true });
      }
    }
  }
  if (names !== '') writeFileSync(join(home, 'session_index.jsonl'), names);
  // Of logs without times the time of the file counts; a copy or a checkout would give it any.
  for (const path of rolloutsBelow(home)) {
    const [, day = '', hours = '', minutes = '', seconds = ''] =
      /rollout-([\d-]+)T(\d\d)-(\d\d)-(\d\d)/.exec(path) ?? [];
    const time = new Date(`${day}T${hours}:${minutes}:${seconds}Z`);
    utimesSync(path, time, time);
  }
}

/** A UUIDv7 made of a number. */
export function uuid(number: number): string {
  return `019e0000-0000-7000-8000-${String(number).padStart(12, '0')}`;
}

export interface RolloutText {
  readonly id?: string;
  readonly meta?: Readonly<Record<string, unknown>>;
  /** What the user says, a turn each. */
  readonly says?: readonly string[];
  readonly startedAt?: string;
}

/** Lines of a small legacy rollout. */
export function rolloutLines({
  id = uuid(1),
  meta = {},
  says = ['Hello'],
  startedAt = '2026-05-04T10:00:00.000Z',
}: RolloutText): readonly string[] {
  const startMs = Date.parse(startedAt);
  const at = (step: number): string => new Date(startMs + step * 1000).toISOString();
  return [
    JSON.stringify({
      timestamp: at(0),
      type: 'session_meta',
      payload: {
        id,
        timestamp: at(0),
        cwd: '/p',
        originator: 'codex_cli_rs',
        cli_version: '0.80.0',
        source: 'cli',
        model_provider: 'openai',
        ...meta,
      },
    }),
    ...says.map((message, turn) =>
      JSON.stringify({
        timestamp: at(turn + 1),
        type: 'event_msg',
        payload: { type: 'user_message', message, images: [] },
      }),
    ),
  ];
}

/** Where the file of a thread that began on 4 May 2026 lies. */
export function rolloutPath(
  home: string,
  id: string,
  { archived = false, segment = '' }: { readonly archived?: boolean; readonly segment?: string } = {},
): string {
  const name = `rollout-2026-05-04T10-00-00-${id}${segment === '' ? '' : `_${segment}`}.jsonl`;
  return archived ? join(home, 'archived_sessions', name) : join(home, 'sessions', '2026', '05', '04', name);
}

export function writeLines(path: string, lines: readonly string[]): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, lines.map((line) => `${line}\n`).join(''));
}

/** Where the full text lies whose index of threads is at `state`. */
export function derivedPaths(state: string): DatabasePaths {
  return { state, search: `${state}.search` };
}

/** A reader of `home` whose index lies at `index` (undefined: in memory), with what it said. */
export function openReader(
  home: string,
  {
    index,
    ...options
  }: Partial<Omit<LocalSessionReaderOptions, 'home'>> & { readonly index?: string | undefined } = {},
): LocalSessionReader & { readonly notices: readonly string[] } {
  const notices: string[] = [];
  const reader = new LocalSessionReader({
    home: { path: home, kind: 'codex', own: false },
    files: nodeFileSystem,
    indexPaths: async () => (index === undefined ? undefined : derivedPaths(index)),
    clock: () => performance.now(),
    onNotice: (message) => notices.push(message),
    ...options,
  });
  return Object.assign(reader, { notices });
}
