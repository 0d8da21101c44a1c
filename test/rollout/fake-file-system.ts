/**
 * A file system in memory with the paths of either platform, whose folders can refuse or never answer.
 */
import {
  type DirectoryEntry,
  type DirectoryOptions,
  FileAccessError,
  type FileKind,
  type FileStat,
  type FileSystem,
  type PathPlatform,
} from '../../src/platform/files/file-system.js';
import { withTimeLimit } from '../../src/platform/files/time-limit.js';

/** `null` is a folder, `dead` one that never answers, `denied` one that may not be read; an object with `link` is a link. */
export type FakeEntry = null | 'dead' | 'denied' | 'file' | 'fifo' | { readonly link: string };

export function fakeFileSystem(
  tree: Readonly<Record<string, FakeEntry>>,
  pathPlatform: PathPlatform = 'posix',
): FileSystem {
  const separator = pathPlatform === 'win32' ? '\\' : '/';
  const entries = new Map(Object.entries(tree));
  const errno = (code: string): Error => Object.assign(new Error(code), { code });
  const at = (path: string): FakeEntry => {
    const entry = entries.get(path);
    if (entry === undefined) throw errno('ENOENT');
    return entry;
  };
  const resolve = (path: string): string => {
    const steps = path.split(separator);
    for (let count = 1; count <= steps.length; count += 1) {
      const entry = entries.get(steps.slice(0, count).join(separator));
      if (typeof entry === 'object' && entry !== null) {
        return resolve([entry.link, ...steps.slice(count)].join(separator));
      }
    }
    return path;
  };
  const kindOf = (entry: FakeEntry): FileKind => {
    if (entry === 'file') return 'file';
    if (entry === 'fifo') return 'other';
    return typeof entry === 'object' && entry !== null ? 'link' : 'directory';
  };
  const statOf = (entry: FakeEntry): FileStat => {
    return { kind: kindOf(entry), sizeBytes: 1, mtimeNs: 2n, ctimeNs: 3n, inode: 4n, device: 5n };
  };
  const limited = <T>(path: string, options: DirectoryOptions | undefined, work: () => T): Promise<T> => {
    const dead = [...entries].some(([folder, entry]) => entry === 'dead' && resolve(path).startsWith(folder));
    const operation = dead ? new Promise<T>(() => undefined) : new Promise<T>((done) => done(work()));
    return withTimeLimit(operation, path, { timeLimitMs: options?.timeLimitMs ?? 2000, signal: options?.signal });
  };
  const refuse = (path: string): never => {
    throw new FileAccessError('not-a-regular-file', 'No contents here', path);
  };
  return {
    pathPlatform,
    join: (folder, name) => folder + separator + name,
    readDirectory: (path, options) =>
      limited(path, options, () => {
        const folder = resolve(path);
        if (at(folder) === 'denied') throw errno('EACCES');
        const found: DirectoryEntry[] = [];
        for (const [name, entry] of entries) {
          const rest = name.startsWith(folder + separator) ? name.slice(folder.length + 1) : '';
          // A dead mount looks like a folder until it is asked.
          if (rest !== '' && !rest.includes(separator)) found.push({ name: rest, kind: kindOf(entry) });
        }
        return found;
      }),
    lstat: (path, options) => limited(path, options, () => statOf(at(path))),
    stat: (path, options) => limited(path, options, () => statOf(at(resolve(path)))),
    realPath: (path, options) =>
      limited(path, options, () => {
        at(resolve(path));
        return resolve(path);
      }),
    lstatSync: (path) => {
      const steps = path.split(separator);
      const parent = resolve(steps.slice(0, -1).join(separator));
      return statOf(at(parent + separator + steps.at(-1)));
    },
    openRegular: async (path) => refuse(path),
    openRegularSync: refuse,
  };
}
