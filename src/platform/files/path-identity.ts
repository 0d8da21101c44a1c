/**
 * When two spellings name one path. Pure: the platform is an argument, so every system's rules are tested on any system.
 *
 * Windows: `\\?\C:\x`, `C:\x`, `c:/x` and `C:\X` are one path. macOS and Linux: bytes count, but not doubled or closing
 * slashes, nor the `.` steps. `..` is left alone: through a link it does not mean what the text says.
 */
import { DIRECTORY_TIME_LIMIT_MS, type FileSystem, fileErrorCode, type PathPlatform } from './file-system.js';

/** One spelling for all spellings of a path; for comparing only, never for opening. */
export function canonicalPath(path: string, platform: PathPlatform): string {
  if (platform === 'posix') {
    const steps = path.split('/').filter((step) => step !== '' && step !== '.');
    return path.startsWith('/') ? `/${steps.join('/')}` : steps.join('/');
  }
  const plain = withoutDevicePrefix(path.replaceAll('/', '\\'));
  const share = plain.startsWith('\\\\');
  const rooted = plain.startsWith('\\');
  const steps = plain.split('\\').filter((step) => step !== '' && step !== '.');
  // Lower-casing approximates the own case table of the volume; it is right for letters that fold one to one.
  const joined = steps.join('\\').toLowerCase();
  return share ? `\\\\${joined}` : rooted ? `\\${joined}` : joined;
}

/** True when both spellings name one path by their text alone. */
export function samePath(a: string, b: string, platform: PathPlatform): boolean {
  return a === b || canonicalPath(a, platform) === canonicalPath(b, platform);
}

/** True when `path` is `folder` or lies below it, by text alone. */
export function isInside(path: string, folder: string, platform: PathPlatform): boolean {
  const inner = canonicalPath(path, platform);
  const outer = canonicalPath(folder, platform);
  if (inner === outer) return true;
  const separator = platform === 'win32' ? '\\' : '/';
  return inner.startsWith(outer.endsWith(separator) ? outer : outer + separator);
}

/** True when both name one place once links are followed; a path that is gone or does not answer is judged by its text. */
export async function samePlace(
  a: string,
  b: string,
  files: FileSystem,
  options: { readonly timeLimitMs?: number; readonly signal?: AbortSignal } = {},
): Promise<boolean> {
  if (samePath(a, b, files.pathPlatform)) return true;
  const [realA, realB] = await Promise.all([realOrText(a, files, options), realOrText(b, files, options)]);
  return samePath(realA, realB, files.pathPlatform);
}

async function realOrText(
  path: string,
  files: FileSystem,
  options: { readonly timeLimitMs?: number; readonly signal?: AbortSignal },
): Promise<string> {
  try {
    return await files.realPath(path, { timeLimitMs: DIRECTORY_TIME_LIMIT_MS, ...options });
  } catch (error) {
    if (fileErrorCode(error) === undefined) throw error;
    return path;
  }
}

function withoutDevicePrefix(path: string): string {
  if (/^\\\\[?.]\\UNC\\/i.test(path)) return `\\\\${path.slice(8)}`;
  return /^\\\\[?.]\\[a-z]:/i.test(path) ? path.slice(4) : path;
}
