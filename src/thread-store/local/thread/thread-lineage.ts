/**
 * What a tree of threads tells of each of them beside its row: the tokens it spent, those spent in the history it
 * continues, and the name that its parent gave it.
 *
 * Read from the logs when somebody asks, for the threads that are asked for; of a line only those are parsed that tell
 * of tokens. A file is read once whoever continues it; what is held of it is its sums, and where they stood at each
 * answer when others continue it. Never writes; files that go away meanwhile count as empty.
 */
import type { ThreadId } from '../../../base/ids.js';
import { type FileSystem, fileErrorCode } from '../../../platform/files/file-system.js';
import {
  isUsageLine,
  markOf,
  NO_TOKENS,
  sumOf,
  type ThreadUsage,
  type TokenUsage,
  UsageFold,
} from '../../../projection/usage.js';
import { readRecords, readRecordsSync } from '../../../rollout/forward-reader.js';
import { type LineagePart, resolveLineage } from '../../../rollout/lineage.js';
import type { RolloutRecord } from '../../../rollout/records.js';
import type { FileRecord, StateIndex } from '../../../state/index.js';
import type { ThreadLineage } from '../../session-reader.js';
import { factsOf } from '../index/file-record.js';

export interface LineageReaderOptions {
  readonly state: StateIndex;
  readonly files: FileSystem;
  readonly signal?: AbortSignal | undefined;
}

/** Where the sums of a file stood behind a line. */
interface Step {
  readonly endByteOffset: number;
  readonly own: TokenUsage;
  readonly counters: TokenUsage | null;
}

interface FileTokens extends ThreadUsage {
  /** Empty for a file that no other continues. */
  readonly steps: readonly Step[];
  /** The counters before the first line. */
  readonly base: TokenUsage | null | undefined;
}

/** A file of a few windows is read without a turn of the event loop for each. */
const SMALL_BYTES = 4 * 1024 * 1024;

const NO_FILE: FileTokens = {
  snapshot: null,
  recorded: null,
  responses: 0,
  own: NO_TOKENS,
  copied: NO_TOKENS,
  steps: [],
  base: undefined,
};

export class LineageReader {
  readonly #options: LineageReaderOptions;
  readonly #read = new Map<string, FileTokens>();
  /** Thread and segment ids that files continue. */
  readonly #continued: ReadonlySet<string>;

  constructor(options: LineageReaderOptions) {
    this.#options = options;
    this.#continued = new Set(
      options.state.filesWithBase().map((file) => factsOf(file).facts.historyBase?.thread_id.toLowerCase() ?? ''),
    );
  }

  /** Undefined for a thread that the index does not know. */
  async lineageOf(id: ThreadId): Promise<ThreadLineage | undefined> {
    this.#options.signal?.throwIfAborted();
    const { state } = this.#options;
    const record = state.thread(id);
    if (record === undefined) return undefined;
    const own = state.filesOfThread(id).filter((file) => file.hiddenReason === null || file.hiddenReason === 'segment');
    let spent = NO_TOKENS;
    let inherited = NO_TOKENS;
    for (const file of own) {
      const parts = await this.#partsOf(file);
      const tokens = await this.#tokensOf(parts);
      spent = sumOf(spent, tokens.own);
      if (file.path !== record.path) continue;
      const ownPaths = new Set(own.map(({ path }) => path));
      for (const part of parts) {
        const before = await this.#tokensOf(parts.slice(0, parts.indexOf(part) + 1));
        inherited = sumOf(inherited, before.copied);
        if (!ownPaths.has(part.path))
          inherited = sumOf(inherited, stepAt(before, part.endByteOffset)?.own ?? NO_TOKENS);
      }
    }
    const head = own.find(({ path }) => path === record.path);
    const { agentNickname, agentRole, agentPath } = head === undefined ? NOBODY : factsOf(head).facts;
    const isNamed = agentNickname !== null || agentRole !== null || agentPath !== null;
    return {
      own: spent,
      inherited,
      agent: isNamed ? { nickname: agentNickname, role: agentRole, path: agentPath } : null,
    };
  }

  /** The files that one continues, and itself, oldest first. */
  async #partsOf(file: FileRecord): Promise<readonly LineagePart[]> {
    const { files, signal } = this.#options;
    const alone = [{ path: file.path, endByteOffset: null }];
    if (factsOf(file).facts.historyBase === null) return alone;
    try {
      const options = { files, ...(signal !== undefined && { signal }) };
      return (await resolveLineage(file.path, (id) => this.#named(id), options)).parts;
    } catch (error) {
      if (fileErrorCode(error) === undefined || signal?.aborted) throw error;
      return alone;
    }
  }

  #named(id: string) {
    // Whatever the base is called, it is compared with ids of the index only.
    return this.#options.state
      .filesByUuid(id as ThreadId)
      .flatMap((file) =>
        file.threadId === null || file.facts === null
          ? []
          : [{ path: file.path, threadId: file.threadId, segmentId: file.segmentId ?? undefined }],
      );
  }

  /** Of the last of these parts. The others are read first, as far as they were not. */
  async #tokensOf(parts: readonly LineagePart[]): Promise<FileTokens> {
    let base: TokenUsage | null | undefined;
    let tokens = NO_FILE;
    for (const { path, endByteOffset } of parts) {
      tokens = this.#read.get(path) ?? (await this.#readFile(path, base));
      this.#read.set(path, tokens);
      base = stepAt(tokens, endByteOffset)?.counters ?? tokens.base ?? null;
    }
    return tokens;
  }

  async #readFile(path: string, known: TokenUsage | null | undefined): Promise<FileTokens> {
    const { state, signal } = this.#options;
    const file = state.file(path);
    if (file === undefined) return NO_FILE;
    // A file whose base is missing continues something all the same.
    const base = known ?? (factsOf(file).facts.historyBase === null ? undefined : null);
    const isContinued = [file.threadId, file.segmentId].some((id) => id !== null && this.#continued.has(id));
    try {
      const first = new UsageFold({ base });
      const steps = await this.#fold(file, first, isContinued);
      if (!first.needsSource) return { ...first.finish(), steps, base };
      const second = new UsageFold({ base, source: await this.#marksOf(file) });
      const again = await this.#fold(file, second, isContinued);
      return { ...second.finish(), steps: again, base };
    } catch (error) {
      if (fileErrorCode(error) === undefined || signal?.aborted) throw error;
      return { ...NO_FILE, base };
    }
  }

  async #fold(file: FileRecord, fold: UsageFold, withSteps: boolean): Promise<readonly Step[]> {
    const steps: Step[] = [];
    await this.#visit(file, (record) => {
      const { own, counters } = fold;
      fold.apply(record.line);
      if (withSteps && (fold.own !== own || fold.counters !== counters)) {
        const endByteOffset = record.byteOffset + record.byteLength;
        steps.push({ endByteOffset, own: fold.own, counters: fold.counters });
      }
    });
    return steps;
  }

  /** Of the file that another was copied from; undefined when it is gone. */
  async #marksOf(copy: FileRecord): Promise<readonly string[] | undefined> {
    const { state } = this.#options;
    const from = factsOf(copy).facts.forkedFromId;
    const record = from === null ? undefined : state.thread(from);
    const source = record === undefined ? undefined : state.file(record.path);
    if (source === undefined) return undefined;
    const marks: string[] = [];
    await this.#visit(source, ({ line }) => {
      const mark = markOf(line);
      if (mark !== undefined) marks.push(mark);
    });
    return marks;
  }

  async #visit({ path, watermark }: FileRecord, visit: (record: RolloutRecord) => void): Promise<void> {
    const { files, signal } = this.#options;
    if (watermark.sizeBytes <= SMALL_BYTES) {
      for (const { records } of readRecordsSync(path, { files, want: isUsageLine })) records.forEach(visit);
      return;
    }
    const options = { files, want: isUsageLine, ...(signal !== undefined && { signal }) };
    for await (const { records } of readRecords(path, options)) records.forEach(visit);
  }
}

const NOBODY = { agentNickname: null, agentRole: null, agentPath: null };

/** The last step within the first so many bytes; undefined for none. Null is the whole file. */
function stepAt({ steps }: FileTokens, endByteOffset: number | null): Step | undefined {
  if (endByteOffset === null) return steps.at(-1);
  let low = 0;
  let high = steps.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((steps[middle]?.endByteOffset ?? 0) <= endByteOffset) low = middle + 1;
    else high = middle;
  }
  return steps[low - 1];
}
