/**
 * Composition root for writing: one home, its reader, its store, and what moves or removes whole threads.
 */
import path from 'node:path';
import { uuidv7 } from 'uuidv7';
import { parseThreadId, type ThreadId } from '../base/ids.js';
import { nodeFileSystem } from '../platform/files/node-file-system.js';
import type { WrittenDialect } from '../protocol/persistence.js';
import type { Durability } from '../rollout/recorder.js';
import { SEARCH_DATABASE_NAME, STATE_DATABASE_NAME } from '../state/index.js';
import type { LogFunction } from '../state/logs/index.js';
import type { Writer } from '../thread-store/first-record.js';
import { LocalThreadHome } from './local-thread-home.js';
import { HomeError, type LocatedHome, locateHomes, ownHomePath } from './locate.js';
import { importsFileOf, markAsOurs, openReader } from './open-homes.js';
import { logsDatabasePath } from './program-log.js';
import type { ThreadHome } from './thread-home.js';
import { PROGRAM_VERSION } from './version.js';

export interface OpenThreadHomeOptions {
  /** Absolute path of the home; default: ours, which need not exist yet. */
  readonly at?: string | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Files of a home that another program owns may be moved, renamed and removed. Default false. */
  readonly foreign?: boolean | undefined;
  /** What an append that has resolved survives: `written` (default) the process, `synced` the power too. */
  readonly durability?: Durability | undefined;
  /** Of threads for which none is named; default `legacy`, which every release from 0.36 on can go on with. */
  readonly dialect?: WrittenDialect | undefined;
  /** How new logs say who wrote them; `originator` and `source` by default those of this program. */
  readonly writer?: Partial<Writer> | undefined;
  readonly onNotice?: ((message: string) => void) | undefined;
  readonly log?: LogFunction | undefined;
}

/** Opens one home for changing its threads. Throws HomeError. Nothing is written before something is to be changed. */
export async function openThreadHome(options: OpenThreadHomeOptions): Promise<ThreadHome> {
  const located = await locateOne(options);
  const reader = await openReader(located, options);
  const newId = (): ThreadId => {
    const id = parseThreadId(uuidv7());
    if (id === undefined) throw new TypeError('uuidv7() makes UUIDs');
    return id;
  };
  const prepare = async (): Promise<void> => {
    if (located.index !== undefined) await markAsOurs(located.index.root);
  };
  const { index } = located;
  return new LocalThreadHome({
    home: reader.home,
    reader,
    files: nodeFileSystem,
    ownHome: index?.root,
    derived: index && {
      state: path.join(index.folder, STATE_DATABASE_NAME),
      search: path.join(index.folder, SEARCH_DATABASE_NAME),
    },
    logs: (await logsDatabasePath({ env: options.env }))?.file,
    imports: importsFileOf(located),
    foreign: options.foreign === true,
    now: () => Date.now(),
    log: options.log,
    store: {
      prepare,
      dialect: options.dialect,
      durability: options.durability ?? 'written',
      writer: { originator: 'codicil', version: PROGRAM_VERSION, source: 'cli', ...options.writer },
      newId,
    },
  });
}

async function locateOne({ at, env, onNotice }: OpenThreadHomeOptions): Promise<LocatedHome> {
  const homes = at === undefined ? {} : { homes: [at] };
  const located = await locateHomes({ ...homes, env, files: nodeFileSystem, onNotice });
  const own = ownHomePath(env);
  const found = at === undefined ? located.find((home) => home.path === own) : located[0];
  if (found !== undefined) return found;
  throw new HomeError('home-not-found', `Cannot find the home ${at ?? own}`, { path: at ?? own });
}
