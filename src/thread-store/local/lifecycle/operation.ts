/**
 * One change of a whole thread: under the writer lock, with a note of what was begun, and in steps of which each may be
 * repeated.
 *
 * A body first looks and throws for what stands in the way, while nothing is changed; then it calls `begin`, and then it
 * changes. The note that `begin` makes is taken away when the change is complete: a process that finds one knows that another was
 * killed, and completes what it had begun before anything else is done to the thread.
 */
import { dirname } from 'node:path';
import type { ThreadId } from '../../../base/ids.js';
import type { FileSystem } from '../../../platform/files/file-system.js';
import { makeFolderSync } from '../../../platform/files/make-folder.js';
import { moveFileNoReplace, removeFile } from '../../../platform/files/move-file.js';
import type { ReadOptions } from '../../session-reader.js';
import { ThreadPlaces } from './thread-places.js';
import {
  endUnfinished,
  type OperationName,
  readUnfinished,
  type Unfinished,
  type UnfinishedDetails,
  writeUnfinished,
} from './unfinished.js';

/** Takes the writer lock of a thread in a home; rejects when another writer has it. */
export type TakeWriterLock = (threadId: ThreadId, home: string) => Promise<{ release(): Promise<void> }>;

export interface LifecycleOptions extends ReadOptions {
  /** Absolute path of the home whose files are changed. */
  readonly home: string;
  /** Absolute path of our own home, where the trash and the notes of what was begun lie. May be the same. */
  readonly ownHome: string;
  readonly threadId: ThreadId;
  readonly files: FileSystem;
  /** Epoch milliseconds. */
  readonly clock: () => number;
  readonly lock: TakeWriterLock;
}

export interface MovedFile {
  readonly from: string;
  readonly to: string;
}

export interface LifecycleResult {
  readonly threadId: ThreadId;
  /** Absolute path of the log that a resume appends to; null when the home has none any more. */
  readonly path: string | null;
  /** False when all was as it should be already. */
  readonly changed: boolean;
  /** Absolute paths, and parts of databases by name, that are gone. */
  readonly removed: readonly string[];
  readonly moved: readonly MovedFile[];
}

/** Does the whole of an operation, or what is left of it. Resolves with the path of the log. */
export type OperationBody = (operation: Operation) => Promise<string | null>;

export class Operation {
  readonly home: string;
  readonly ownHome: string;
  readonly threadId: ThreadId;
  readonly files: FileSystem;
  readonly clock: () => number;
  readonly signal: AbortSignal | undefined;
  readonly name: OperationName;
  readonly removed: string[] = [];
  readonly moved: MovedFile[] = [];
  #begun: Unfinished | undefined;
  #isResumed: boolean;

  constructor(name: OperationName, options: Omit<LifecycleOptions, 'lock'>, begun: Unfinished | undefined) {
    this.name = name;
    this.home = options.home;
    this.ownHome = options.ownHome;
    this.threadId = options.threadId;
    this.files = options.files;
    this.clock = options.clock;
    this.signal = options.signal;
    this.#begun = begun;
    this.#isResumed = begun !== undefined;
  }

  /** What an interrupted run had noted; undefined in a run of its own. */
  get resumed(): UnfinishedDetails | undefined {
    return this.#isResumed ? this.#begun?.details : undefined;
  }

  /** True once something was changed by this run. */
  get hasChanged(): boolean {
    return this.removed.length > 0 || this.moved.length > 0;
  }

  places(): Promise<ThreadPlaces> {
    return ThreadPlaces.find(this.home, this.threadId, { files: this.files, signal: this.signal });
  }

  /** Notes what is about to be done; the last moment at which an abort counts. */
  async begin(details: UnfinishedDetails = {}): Promise<void> {
    this.signal?.throwIfAborted();
    if (this.#begun !== undefined) return;
    const { name, home, threadId } = this;
    const begun = { operation: name, home, threadId, startedAtMs: this.clock(), details };
    await writeUnfinished(this.ownHome, begun);
    this.#begun = begun;
  }

  async move(from: string, to: string): Promise<void> {
    makeFolderSync(dirname(to), { mode: await this.#folderMode(to) });
    await moveFileNoReplace(from, to);
    this.moved.push({ from, to });
  }

  async remove(path: string): Promise<void> {
    if (await removeFile(path)) this.removed.push(path);
  }

  /** The change is complete. */
  async end(): Promise<void> {
    if (this.#begun !== undefined) await endUnfinished(this.ownHome, this.#begun, this.files);
    this.#begun = undefined;
  }

  /** The change failed: the note stays only where something was changed that is to be completed. */
  async fail(): Promise<void> {
    if (!this.#isResumed && !this.hasChanged) await this.end();
  }

  result(path: string | null): LifecycleResult {
    const { threadId, removed, moved, hasChanged } = this;
    return { threadId, path, changed: hasChanged, removed, moved };
  }

  /** Folders in our own home are private; in another program's they are as that program makes them. */
  async #folderMode(path: string): Promise<number> {
    return this.home === this.ownHome || path.startsWith(this.ownHome) ? 0o700 : 0o755;
  }
}

/** Runs a body under the lock; `bodies` are asked for what an interrupted operation on the thread still has to do. */
export async function runOperation(
  name: OperationName,
  options: LifecycleOptions,
  bodies: Readonly<Record<OperationName, OperationBody>>,
  body: OperationBody = bodies[name],
): Promise<LifecycleResult> {
  options.signal?.throwIfAborted();
  const lock = await options.lock(options.threadId, options.home);
  try {
    const earlier = await finishUnder(options, bodies);
    const result = await attempt(new Operation(name, options, undefined), body);
    return {
      ...result,
      // An interrupted run of the same operation is this one's own work.
      changed: result.changed || (earlier?.operation === name && earlier.result.changed),
      removed: [...(earlier?.result.removed ?? []), ...result.removed],
      moved: [...(earlier?.result.moved ?? []), ...result.moved],
    };
  } finally {
    await lock.release();
  }
}

/** What an interrupted operation on a thread was, and what completing it changed. */
export interface Finished {
  readonly operation: OperationName;
  readonly result: LifecycleResult;
}

/** Completes what was begun on the thread; the caller holds its lock. Undefined when nothing was. */
export async function finishUnder(
  options: Omit<LifecycleOptions, 'lock'>,
  bodies: Readonly<Record<OperationName, OperationBody>>,
): Promise<Finished | undefined> {
  const begun = await readUnfinished(options.ownHome, options);
  if (begun === undefined) return undefined;
  // What was begun is completed whatever happens to the call that finds it.
  const { signal: _none, ...rest } = options;
  const operation = new Operation(begun.operation, rest, begun);
  for (const left of (await operation.places()).temporaries) await removeFile(left);
  return { operation: begun.operation, result: await attempt(operation, bodies[begun.operation]) };
}

async function attempt(operation: Operation, body: OperationBody): Promise<LifecycleResult> {
  let path: string | null;
  try {
    path = await body(operation);
  } catch (error) {
    await operation.fail();
    throw error;
  }
  await operation.end();
  return operation.result(path);
}
