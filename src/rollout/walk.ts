/**
 * Finds every file below `sessions` and `archived_sessions` of a home.
 *
 * Any depth, any folder names; ignore files mean nothing. The two roots may be links to anywhere; below them a linked folder is
 * followed while it stays inside the home, a linked file is never opened. Each folder is visited once, so links in
 * a circle end. A folder that does not answer, or may not be read, is reported and the walk goes on.
 */
import {
  type DirectoryEntry,
  type DirectoryOptions,
  type FileStat,
  type FileSystem,
  fileErrorCode,
} from '../platform/files/file-system.js';
import { canonicalPath, isInside } from '../platform/files/path-identity.js';
import { ARCHIVED_FOLDER, fileNameOf, parseRolloutName, type RolloutName, SESSIONS_FOLDER } from './paths.js';

export type RolloutLocation = 'sessions' | 'archived';

/** Why a file can be no rollout, as far as its place and kind show. */
export type WalkHiddenReason = 'not-a-file' | 'link-outside-home' | 'foreign-name' | 'unreadable';

export interface WalkedFile {
  readonly path: string;
  /** Below the home, with `/` on every system. */
  readonly relativePath: string;
  readonly location: RolloutLocation;
  readonly name: RolloutName | undefined;
  readonly sizeBytes: number;
  readonly mtimeNs: bigint;
  readonly ctimeNs: bigint;
  readonly inode: bigint;
  readonly device: bigint;
  readonly hidden: WalkHiddenReason | null;
}

/** A folder that could not be read: its files are unknown, not absent. */
export interface WalkProblem {
  readonly path: string;
  readonly relativePath: string;
  /** `EACCES`, `time-limit`, `too-deep`, … */
  readonly code: string;
}

export interface WalkResult {
  /** Everything that is no folder, ordered by `relativePath`. */
  readonly files: readonly WalkedFile[];
  readonly problems: readonly WalkProblem[];
}

export interface WalkOptions {
  readonly files: FileSystem;
  /** How long a folder may take to answer. */
  readonly timeLimitMs?: number;
  readonly signal?: AbortSignal;
}

/** Folders asked at a time: as many as the runtime has threads for file work. */
const PARALLEL_FOLDERS = 4;
const MAX_DEPTH = 64;
const NO_STAT: FileStat = { kind: 'other', sizeBytes: 0, mtimeNs: 0n, ctimeNs: 0n, inode: 0n, device: 0n };

/** Resolves with all files found; never rejects for what is on disk, only for an abort. */
export async function walkRollouts(home: string, options: WalkOptions): Promise<WalkResult> {
  const walk = new Walk(home, options);
  await walk.run();
  return walk.result();
}

type Place = Pick<WalkedFile, 'path' | 'relativePath'>;

interface Folder extends Place {
  /** Where it really lies, links followed: what tells whether it was visited. */
  readonly realPath: string;
  readonly location: RolloutLocation;
  readonly depth: number;
}

type Link = Omit<Folder, 'realPath'>;

class Walk {
  readonly #home: string;
  readonly #options: WalkOptions;
  readonly #found: WalkedFile[] = [];
  readonly #problems: WalkProblem[] = [];
  readonly #seen = new Set<string>();
  readonly #folders: Folder[] = [];
  readonly #links: Link[] = [];
  /** Real places of the home and its two roots. */
  readonly #insides: string[] = [];

  constructor(home: string, options: WalkOptions) {
    this.#home = home;
    this.#options = options;
  }

  async run(): Promise<void> {
    const home = await this.#realPath({ path: this.#home, relativePath: '' });
    if (home === undefined) return;
    this.#insides.push(home);
    await this.#addRoot(SESSIONS_FOLDER, 'sessions');
    await this.#addRoot(ARCHIVED_FOLDER, 'archived');
    await this.#visitAll();
    // Links come after all real folders, so that a file that has both is known by its real place.
    for (let link = this.#links.shift(); link !== undefined; link = this.#links.shift()) {
      this.#options.signal?.throwIfAborted();
      await this.#follow(link);
      await this.#visitAll();
    }
  }

  result(): WalkResult {
    return { files: this.#found.sort(byRelativePath), problems: this.#problems.sort(byRelativePath) };
  }

  async #addRoot(name: string, location: RolloutLocation): Promise<void> {
    const root = { path: this.#options.files.join(this.#home, name), relativePath: name, location, depth: 0 };
    const realPath = await this.#realPath(root);
    if (realPath === undefined) return;
    this.#insides.push(realPath);
    if (this.#isNew(realPath)) this.#folders.push({ ...root, realPath });
  }

  async #visitAll(): Promise<void> {
    const running = new Set<Promise<void>>();
    while (this.#folders.length > 0 || running.size > 0) {
      while (running.size < PARALLEL_FOLDERS) {
        const folder = this.#folders.shift();
        if (folder === undefined) break;
        const task: Promise<void> = this.#visit(folder).finally(() => running.delete(task));
        running.add(task);
      }
      await Promise.race(running);
    }
  }

  async #visit(folder: Folder): Promise<void> {
    this.#options.signal?.throwIfAborted();
    if (folder.depth > MAX_DEPTH) return this.#report(folder, 'too-deep');
    const { files } = this.#options;
    let entries: readonly DirectoryEntry[];
    try {
      entries = await files.readDirectory(folder.path, this.#limits());
    } catch (error) {
      return this.#reportError(folder, error);
    }
    for (const entry of entries) {
      const path = files.join(folder.path, entry.name);
      const relativePath = `${folder.relativePath}/${entry.name}`;
      const { location } = folder;
      const depth = folder.depth + 1;
      if (entry.kind === 'directory') {
        const realPath = files.join(folder.realPath, entry.name);
        if (this.#isNew(realPath)) this.#folders.push({ path, realPath, relativePath, location, depth });
      } else if (entry.kind === 'link') {
        this.#links.push({ path, relativePath, location, depth });
      } else {
        this.#add({ path, relativePath, location }, null);
      }
    }
  }

  async #follow(link: Link): Promise<void> {
    const { files } = this.#options;
    let realPath: string;
    try {
      const target = await files.stat(link.path, this.#limits());
      if (target.kind !== 'directory') return this.#add(link, 'not-a-file');
      realPath = await files.realPath(link.path, this.#limits());
    } catch (error) {
      // A link to nothing, or to a mount that does not answer, stands for no folder.
      if (fileErrorCode(error) !== 'ENOENT') this.#reportError(link, error);
      return this.#add(link, 'not-a-file');
    }
    if (!this.#insides.some((inside) => isInside(realPath, inside, files.pathPlatform))) {
      return this.#add(link, 'link-outside-home');
    }
    if (this.#isNew(realPath)) this.#folders.push({ ...link, realPath });
  }

  #add({ path, relativePath, location }: Place & Pick<WalkedFile, 'location'>, known: WalkHiddenReason | null): void {
    let stat = NO_STAT;
    let hidden = known;
    try {
      stat = this.#options.files.lstatSync(path);
      if (stat.kind !== 'file') hidden ??= 'not-a-file';
    } catch (error) {
      const code = fileErrorCode(error);
      if (code === undefined) throw error;
      // Gone since its folder was read; but bytes that are no UTF-8 are not found by the name that they were read as.
      if (code === 'ENOENT' && !path.includes('\ufffd')) return;
      hidden ??= code === 'ENOENT' ? 'foreign-name' : 'unreadable';
    }
    const name = parseRolloutName(fileNameOf(path));
    if (name === undefined && hidden !== 'not-a-file' && hidden !== 'link-outside-home') hidden = 'foreign-name';
    const { sizeBytes, mtimeNs, ctimeNs, inode, device } = stat;
    this.#found.push({ path, relativePath, location, name, sizeBytes, mtimeNs, ctimeNs, inode, device, hidden });
  }

  async #realPath(place: Place): Promise<string | undefined> {
    try {
      return await this.#options.files.realPath(place.path, this.#limits());
    } catch (error) {
      if (fileErrorCode(error) !== 'ENOENT') this.#reportError(place, error);
      return undefined;
    }
  }

  #isNew(realPath: string): boolean {
    const key = canonicalPath(realPath, this.#options.files.pathPlatform);
    if (this.#seen.has(key)) return false;
    this.#seen.add(key);
    return true;
  }

  #limits(): DirectoryOptions {
    const { timeLimitMs, signal } = this.#options;
    return { ...(timeLimitMs !== undefined && { timeLimitMs }), ...(signal !== undefined && { signal }) };
  }

  /** Errors of the system are reported; an abort or a fault of this program is thrown on. */
  #reportError(place: Place, error: unknown): void {
    this.#options.signal?.throwIfAborted();
    const code = fileErrorCode(error);
    if (code === undefined) throw error;
    this.#report(place, code);
  }

  #report({ path, relativePath }: Place, code: string): void {
    this.#problems.push({ path, relativePath, code });
  }
}

function byRelativePath(a: Place, b: Place): number {
  return a.relativePath < b.relativePath ? -1 : a.relativePath > b.relativePath ? 1 : 0;
}
