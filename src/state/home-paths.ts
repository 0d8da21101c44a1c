/**
 * How paths are stored: relative to the home, with `/`, so that a home that was moved, or is reached through a link,
 * keeps its index. A path outside the home is stored as it is.
 */
import { isAbsolute, join, resolve, sep } from 'node:path';

export interface HomePaths {
  /** Absolute path of the home. */
  readonly home: string;
  toStored(path: string): string;
  fromStored(stored: string): string;
}

/** Translates between absolute paths and those of the database, for the home at `homePath`. */
export function homePaths(homePath: string): HomePaths {
  const home = resolve(homePath);
  const prefix = home.endsWith(sep) ? home : home + sep;
  return {
    home,
    toStored(path) {
      if (!path.startsWith(prefix)) return path;
      const relative = path.slice(prefix.length);
      return sep === '/' ? relative : relative.replaceAll(sep, '/');
    },
    fromStored(stored) {
      // Concatenation, not join(), on POSIX: a name is bytes to us, and this runs once a file of a home.
      if (isAbsolute(stored)) return stored;
      return sep === '/' ? prefix + stored : join(prefix, stored);
    },
  };
}
