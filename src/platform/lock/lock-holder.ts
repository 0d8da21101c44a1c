/**
 * Who has a lock: a process and its program, where the system tells (Linux, in `/proc`). For words to a person; nothing may
 * depend on it, since the holder may be gone by the time it is read.
 */
import { promises } from 'node:fs';
import { basename } from 'node:path';

export interface LockHolder {
  readonly pid: number;
  /** The name of its program; undefined when it cannot be read. */
  readonly program: string | undefined;
}

/** Resolves with the process that holds the flock of the file; undefined when nobody has it or the system does not tell. */
export async function flockHolder(path: string): Promise<LockHolder | undefined> {
  if (process.platform !== 'linux') return undefined;
  let locks: string;
  let file: { readonly dev: bigint; readonly ino: bigint };
  try {
    file = await promises.lstat(path, { bigint: true });
    locks = await promises.readFile('/proc/locks', 'utf8');
  } catch {
    // No /proc, or the lock file went away with its holder: there is nobody to name.
    return undefined;
  }
  const pid = findHolder(locks, file);
  return pid === undefined ? undefined : { pid, program: await programOf(pid) };
}

/** "codex (process 12)", or what can be said when the system does not tell. */
export function describeHolder(holder: LockHolder | undefined): string {
  if (holder === undefined) return 'another program';
  if (holder.pid === process.pid) return 'this very process';
  return `${holder.program ?? 'another program'} (process ${holder.pid})`;
}

/** The process of the FLOCK line of this file. Lines of those that wait have an arrow and are none. */
export function findHolder(
  locks: string,
  { dev, ino }: { readonly dev: bigint; readonly ino: bigint },
): number | undefined {
  let byInode: number | undefined;
  for (const line of locks.split('\n')) {
    const match = /^\d+: FLOCK +\w+ +WRITE +(\d+) ([0-9a-f]+):([0-9a-f]+):(\d+) /.exec(line);
    if (match === null || BigInt(match[4] ?? '') !== ino) continue;
    const pid = Number(match[1]);
    // 0: a process that cannot be seen from here, as out of a container.
    if (pid === 0) continue;
    if (Number.parseInt(match[2] ?? '', 16) === major(dev) && Number.parseInt(match[3] ?? '', 16) === minor(dev))
      return pid;
    // Layered file systems tell another device than the one of the lock.
    byInode = pid;
  }
  return byInode;
}

// How Linux packs a device number.
const major = (dev: bigint): number => Number(((dev >> 8n) & 0xfffn) | ((dev >> 32n) & 0xfffff000n));
const minor = (dev: bigint): number => Number((dev & 0xffn) | ((dev >> 12n) & 0xffffff00n));

/** Runtimes are named by the script that they run. */
const RUNTIMES = /^(node|nodejs|bun|deno|python[\d.]*)$/;

async function programOf(pid: number): Promise<string | undefined> {
  try {
    const [command = '', script] = (await promises.readFile(`/proc/${pid}/cmdline`, 'utf8')).split('\0');
    const name = basename(command);
    if (RUNTIMES.test(name) && script !== undefined && script !== '' && !script.startsWith('-')) {
      return basename(script).replace(/\.[cm]?[jt]s$/, '');
    }
    if (name !== '') return name;
  } catch {
    // Gone meanwhile, or not ours to look at.
  }
  return undefined;
}
