/**
 * The files of one home by the ids in their names, as a walk finds them: enough to open a thread without an index.
 */
import type { SegmentId, ThreadId } from '../../../base/ids.js';
import type { FileSystem } from '../../../platform/files/file-system.js';
import type { FileLookup, LineageFile } from '../../../rollout/lineage.js';
import { type WalkedFile, type WalkProblem, type WalkResult, walkRollouts } from '../../../rollout/walk.js';

/** A file that a name says belongs to a thread. */
export interface NamedFile extends LineageFile {
  readonly walked: WalkedFile;
}

export class ThreadFiles {
  readonly files: readonly WalkedFile[];
  /** Folders that could not be read. */
  readonly problems: readonly WalkProblem[];
  readonly #byId = new Map<string, NamedFile[]>();

  constructor({ files, problems }: WalkResult) {
    this.files = files;
    this.problems = problems;
    for (const walked of files) {
      if (walked.name === undefined || walked.hidden !== null) continue;
      const { threadId, segmentId } = walked.name;
      const file: NamedFile = { path: walked.path, threadId, segmentId, walked };
      this.#add(threadId, file);
      if (segmentId !== undefined) this.#add(segmentId, file);
    }
  }

  static async walk(
    home: string,
    options: { readonly files: FileSystem; readonly signal?: AbortSignal | undefined },
  ): Promise<ThreadFiles> {
    const { files, signal } = options;
    return new ThreadFiles(await walkRollouts(home, { files, ...(signal !== undefined && { signal }) }));
  }

  /** Files whose name has this id, as a thread's or as a segment's. */
  withId(id: ThreadId | SegmentId | string): readonly NamedFile[] {
    return this.#byId.get(id) ?? [];
  }

  /** Thread ids that end in these hex digits; dashes do not count. */
  idsEndingIn(hexDigits: string): readonly ThreadId[] {
    const ids = new Set<ThreadId>();
    for (const { name, hidden } of this.files) {
      if (name !== undefined && hidden === null && name.threadId.replaceAll('-', '').endsWith(hexDigits))
        ids.add(name.threadId);
    }
    return [...ids];
  }

  byPath(path: string): WalkedFile | undefined {
    return this.files.find((file) => file.path === path);
  }

  readonly lookup: FileLookup = (id) => this.withId(id);

  #add(id: string, file: NamedFile): void {
    const known = this.#byId.get(id);
    if (known === undefined) this.#byId.set(id, [file]);
    else known.push(file);
  }
}
