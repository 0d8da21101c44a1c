/**
 * Keeps the full text of a home in step with its files: which of them it still has to read, and what came of that.
 *
 * Documents are gathered and written many files at a time; each file changes together with its watermark.
 */
import { ANALYSER_VERSION } from '../../../base/analyse/index.js';
import { REDACTION_VERSION } from '../../../redaction/index.js';
import type { WalkedFile, WalkResult } from '../../../rollout/walk.js';
import type { SearchFile, SearchIndex } from '../../../state/index.js';
import type { ScanJob, ScanOutcome } from '../scan/scan-job.js';
import { changedFiles } from './file-changes.js';
import { stageOfUnread } from './file-record.js';
import { documentsStart, type SearchEntry, searchEntry, silentEntry } from './search-record.js';

/** Documents that one transaction writes: enough that commits do not count, few enough that other writers do not wait. */
const DOCUMENTS_A_COMMIT = 12_000;
/** Where no other writer waits: each commit makes a segment of the full text, and many segments are merged on the way. */
const DOCUMENTS_A_COMMIT_ALONE = 24_000;
/** From so many files on, gathering pays. */
const BULK_FILES = 200;
/** Note: the rules by which the texts were masked and analysed. */
export const RULES = 'rules';
/** Note: up to this number documents were written newest first; behind it, in the order in which they came. */
export const FIRST_FILL = 'first-fill';

export interface SearchWriterOptions {
  /** Also what tools were asked and what they answered. */
  readonly tools: boolean;
  /** True when nobody else writes this index, as while a generation is filled. */
  readonly alone: boolean;
}

export class SearchWriter {
  readonly #index: SearchIndex;
  readonly #tools: boolean;
  readonly #rules: string;
  /** True when what is there was made by other rules, and is replaced file by file. */
  readonly isOutdated: boolean;
  readonly #isFirstFill: boolean;
  /** True when no file has a row but those that were written here. */
  readonly #alone: boolean;
  readonly #unread = new Map<string, WalkedFile>();
  readonly #known = new Map<string, SearchFile>();
  readonly #vanished: readonly string[];
  #pending: SearchEntry[] = [];
  #pendingDocuments = 0;

  constructor(index: SearchIndex, walk: WalkResult, { tools, alone }: SearchWriterOptions) {
    this.#index = index;
    this.#tools = tools;
    this.#rules = `redaction ${REDACTION_VERSION}, analyser ${ANALYSER_VERSION}${tools ? ', tools' : ''}`;
    const stamps = index.stamps();
    this.isOutdated = stamps.size > 0 && index.note(RULES) !== this.#rules;
    const { changed, vanished } = changedFiles(walk, stamps);
    const files = this.isOutdated ? walk.files : changed.map(({ file }) => file);
    for (const file of files) if (file.hidden === null) this.#unread.set(file.path, file);
    // A file that no longer can be read as a rollout holds nothing that could be searched.
    const hidden = walk.files.filter((file) => file.hidden !== null && stamps.has(file.path));
    this.#vanished = [...vanished, ...hidden.map(({ path }) => path)];
    this.#isFirstFill = stamps.size === 0;
    this.#alone = alone && this.#isFirstFill;
    if (this.#isFirstFill) index.putNote(RULES, this.#rules);
  }

  /** Files that have to be read. */
  get unread(): readonly WalkedFile[] {
    return [...this.#unread.values()];
  }

  /** What is wanted of a file; undefined when it is known as it is. */
  wanted(file: WalkedFile): ScanJob['documents'] {
    if (!this.#unread.has(file.path)) return undefined;
    const known = this.#isFirstFill ? undefined : this.#index.file(file.path);
    if (known !== undefined) this.#known.set(file.path, known);
    return { tools: this.#tools, from: this.isOutdated ? undefined : documentsStart(file, known) };
  }

  /** Takes documents away whose files are gone, and prepares for what comes. */
  begin(): void {
    if (this.#vanished.length > 0) {
      this.#index.transaction(() => {
        for (const path of this.#vanished) this.#index.removeFile(path);
      });
    }
    if (this.#unread.size > 0) this.#index.gather(this.#unread.size > BULK_FILES ? 'bulk' : 'steady');
  }

  take(file: WalkedFile, outcome: ScanOutcome): void {
    if (!this.#unread.has(file.path)) return;
    const entry = this.#entry(file, outcome);
    if (entry === undefined) return;
    this.#pending.push(entry);
    this.#pendingDocuments += entry.documents.ends.length;
    if (this.#pendingDocuments >= (this.#alone ? DOCUMENTS_A_COMMIT_ALONE : DOCUMENTS_A_COMMIT)) this.flush();
  }

  flush(): void {
    const entries = this.#pending;
    this.#pending = [];
    this.#pendingDocuments = 0;
    if (entries.length === 0) return;
    if (this.#alone) this.#index.addFiles(entries);
    else this.#putFiles(entries);
    for (const { record } of entries) {
      this.#unread.delete(record.path);
      this.#known.delete(record.path);
    }
  }

  #putFiles(entries: readonly SearchEntry[]): void {
    this.#index.transaction(() => {
      for (const { record, documents, appended } of entries) {
        const expected = this.#known.get(record.path)?.watermark ?? null;
        // A file that another process has moved on is left to it.
        this.#index.putFile(record, documents, { expected, appended });
      }
    });
  }

  /** Writes what is gathered, and says of everything that was replaced by which rules it was made. */
  finish(): void {
    this.flush();
    if (this.#isFirstFill) this.#index.putNote(FIRST_FILL, String(this.#index.lastDocument()));
    this.#index.gather('steady');
    if (this.isOutdated && this.#unread.size === 0) this.#index.putNote(RULES, this.#rules);
  }

  /** How many files are left for another time. */
  get left(): number {
    return this.#unread.size;
  }

  /** Undefined for a file that has gone since its folder was read: the next walk does not find it. */
  #entry(file: WalkedFile, outcome: ScanOutcome): SearchEntry | undefined {
    if (!('error' in outcome)) {
      return outcome.documents && searchEntry(file, outcome.documents);
    }
    if (outcome.error !== 'ENOENT') return silentEntry(file, stageOfUnread(outcome.error));
    this.#unread.delete(file.path);
    return undefined;
  }
}
