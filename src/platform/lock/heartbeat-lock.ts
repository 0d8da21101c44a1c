/**
 * A lock for machines without flock: a file that one process makes and rewrites as long as it lives.
 *
 * Made exclusively, so that of several one gets it. Whoever finds it taken watches it: a file that changes has a living
 * owner; one of a process of this machine that is gone, or one that stays as it is for five beats, has none, and one of
 * those that saw it takes it over. Slower than flock to see a death, never blind to one. Needs no clock that two machines share.
 */
import { randomBytes } from 'node:crypto';
import { linkSync, lstatSync, readFileSync, unlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import { isJsonObject, type JsonValue } from '../../base/json.js';
import { fileErrorCode } from '../files/file-system.js';
import { LockFile } from './lock-file.js';

const BEAT_MS = 2_000;
const SILENT_BEATS = 5;

export interface HeartbeatOptions {
  /** How often the owner rewrites the file; all that share a lock use the same. */
  readonly beatMs?: number;
  readonly signal?: AbortSignal | undefined;
}

/** What stands in the file. */
interface Owner {
  readonly pid: number;
  readonly host: string;
  readonly token: string;
}

/** Held until it is released. */
export class HeartbeatLock {
  readonly #file: LockFile;
  readonly #owner: Owner;
  readonly #timer: NodeJS.Timeout;
  #beat = 0;
  #released = false;

  constructor(file: LockFile, owner: Owner, beatMs: number) {
    this.#file = file;
    this.#owner = owner;
    this.#write();
    this.#timer = setInterval(() => this.#write(), beatMs);
    // A lock alone keeps no process alive.
    this.#timer.unref();
  }

  /** Lets others have it. A file that was taken over meanwhile stays. Safe to repeat. */
  release(): void {
    if (this.#released) return;
    this.#released = true;
    clearInterval(this.#timer);
    if (this.#file.isAtPath()) unlinkSync(this.#file.path);
    this.#file.close();
  }

  #write(): void {
    this.#beat += 1;
    this.#file.write(JSON.stringify({ ...this.#owner, beat: this.#beat }));
  }
}

/** Resolves with the lock, or with the process that has it (undefined pid: it cannot be told). Rejects with the system's error. */
export async function tryHeartbeatLock(
  path: string,
  { beatMs = BEAT_MS, signal }: HeartbeatOptions = {},
): Promise<HeartbeatLock | { readonly pid: number | undefined }> {
  const owner: Owner = { pid: process.pid, host: hostname(), token: randomBytes(8).toString('hex') };
  for (;;) {
    signal?.throwIfAborted();
    const file = makeExclusive(path);
    if (file !== undefined) return new HeartbeatLock(file, owner, beatMs);
    const found = readText(path);
    if (found === undefined) continue;
    const holder = parseOwner(found);
    if (!isGone(holder)) {
      const alive = await changes(path, found, beatMs, signal);
      if (alive) return { pid: holder?.host === owner.host ? holder.pid : undefined };
    }
    await takeAway(path, found, beatMs, signal);
  }
}

function makeExclusive(path: string): LockFile | undefined {
  try {
    return LockFile.open(path, { access: 'private', exclusive: true });
  } catch (error) {
    if (fileErrorCode(error) !== 'EEXIST') throw error;
    return undefined;
  }
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (fileErrorCode(error) !== 'ENOENT') throw error;
    return undefined;
  }
}

function parseOwner(text: string): Owner | undefined {
  let value: JsonValue;
  try {
    value = JSON.parse(text) as JsonValue;
  } catch {
    // Made but not written yet, or caught in the middle of a beat.
    return undefined;
  }
  if (!isJsonObject(value)) return undefined;
  const { pid, host, token } = value;
  return typeof pid === 'number' && typeof host === 'string' && typeof token === 'string'
    ? { pid, host, token }
    : undefined;
}

/** True for a process of this machine that is no more. */
function isGone(owner: Owner | undefined): boolean {
  if (owner === undefined || owner.host !== hostname()) return false;
  try {
    process.kill(owner.pid, 0);
    return false;
  } catch (error) {
    // EPERM: it lives, as another user.
    return fileErrorCode(error) === 'ESRCH';
  }
}

/** Whether the file becomes another one within the beats that a living owner cannot miss. Gone counts as changed. */
async function changes(path: string, was: string, beatMs: number, signal: AbortSignal | undefined): Promise<boolean> {
  for (let beat = 0; beat < SILENT_BEATS; beat += 1) {
    await pause(beatMs, undefined, { signal });
    const text = readText(path);
    if (text === undefined) return false;
    if (text !== was) return true;
  }
  return false;
}

/** Removes a file that nobody owns; of several that try, one does it, and none takes away the file of a new owner. */
async function takeAway(path: string, was: string, beatMs: number, signal: AbortSignal | undefined): Promise<void> {
  const token = parseOwner(was)?.token ?? 'none';
  const claim = `${path}.${token}.gone`;
  try {
    linkSync(path, claim);
  } catch (error) {
    const code = fileErrorCode(error);
    if (code === 'ENOENT') return;
    if (code !== 'EEXIST') throw error;
    // Somebody is at it; one that died meanwhile leaves a claim that is taken away in its turn.
    await pause(beatMs, undefined, { signal });
    if (readText(path) === was) removeIfThere(claim);
    return;
  }
  try {
    const claimed = lstatSync(claim, { bigint: true });
    const current = lstatSync(path, { bigint: true, throwIfNoEntry: false });
    if (current?.ino === claimed.ino && readText(path) === was) removeIfThere(path);
  } finally {
    removeIfThere(claim);
  }
}

function removeIfThere(path: string): void {
  try {
    unlinkSync(path);
  } catch (error) {
    if (fileErrorCode(error) !== 'ENOENT') throw error;
  }
}
