/**
 * `flock(2)`: the lock that other programs take on the same files, by a call of the C library through `koffi`.
 *
 * The lock belongs to the open handle: it goes when the handle is closed and when the process ends, however it ends.
 * Never waits. Where the binding, the call, or locking on that file system is not there, it says so instead of failing.
 */
import { createRequire } from 'node:module';
import type Koffi from 'koffi';

export { flockHolder, type LockHolder } from './lock-holder.js';

/** `busy`: another handle has it, of whatever process. `unsupported`: here nobody can have it. */
export type FlockResult = 'held' | 'busy' | 'unsupported';

const LOCK_EX = 2;
const LOCK_NB = 4;

interface Binding {
  /** 0, or the number of the error. */
  readonly flock: (fd: number, operation: number) => number;
  readonly again: number;
  readonly interrupted: number;
}

/** Undefined: not looked for yet; null: not there. */
let binding: Binding | null | undefined;

/** Takes the exclusive lock of an open file if it is free. */
export function tryFlock(fd: number): FlockResult {
  const found = bind();
  if (found === null) return 'unsupported';
  for (;;) {
    const error = found.flock(fd, LOCK_EX | LOCK_NB);
    if (error === 0) return 'held';
    if (error === found.again) return 'busy';
    if (error !== found.interrupted) return 'unsupported';
  }
}

function bind(): Binding | null {
  binding ??= load();
  return binding;
}

function load(): Binding | null {
  // Windows has locks of another kind.
  if (process.platform === 'win32') return null;
  try {
    // require() gives untyped exports; the types are those of the module named on the same line.
    const koffi = createRequire(import.meta.url)('koffi') as typeof Koffi;
    const call = koffi.load(null).func('int flock(int fd, int operation)') as (fd: number, operation: number) => number;
    const { EAGAIN, EINTR } = koffi.os.errno as Readonly<Record<string, number>>;
    if (EAGAIN === undefined || EINTR === undefined) return null;
    return {
      flock: (fd, operation) => (call(fd, operation) === 0 ? 0 : koffi.errno()),
      again: EAGAIN,
      interrupted: EINTR,
    };
  } catch {
    // The optional module is not installed, or has no part for this machine: the caller knows what to do without.
    return null;
  }
}
