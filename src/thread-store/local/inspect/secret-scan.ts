/**
 * Looks for secrets in every text of every log of a home: all strings of all records, known or not, the output of tools
 * included, bytes of images not.
 *
 * Says where and of which kind, never what: no part of a secret leaves this file. Memory is one window of one log.
 */
import type { JsonValue } from '../../../base/json.js';
import { type FileSystem, fileErrorCode } from '../../../platform/files/file-system.js';
import { nextTurn } from '../../../platform/next-turn.js';
import { readRecords } from '../../../rollout/forward-reader.js';
import { type WalkedFile, walkRollouts } from '../../../rollout/walk.js';
import { SecretCounter, withoutImages } from './secrets-in-text.js';

/** Secrets of one kind on one line of a log. */
export interface SecretFinding {
  /** What `show` takes: `ID:LINE`, or `FILE:LINE` where a thread stands in several files. */
  readonly address: string;
  readonly path: string;
  /** 1-based. */
  readonly line: number;
  readonly rule: string;
  readonly count: number;
}

export interface SecretScan {
  /** In the order of the files, at most 10,000. */
  readonly findings: readonly SecretFinding[];
  /** Findings beyond those. */
  readonly moreFindings: number;
  /** Secrets in all findings. */
  readonly secrets: number;
  /** Logs that were searched. */
  readonly files: number;
  /** Lines that could not be parsed, wholly or in part: what stands there was not searched. */
  readonly unreadLines: number;
  readonly unreadableFiles: readonly string[];
}

export interface ScanOptions {
  readonly files: FileSystem;
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((done: number, files: number) => void) | undefined;
}

const MAX_FINDINGS = 10_000;
/** The event loop is given a turn after so many characters. */
const TURN_CHARS = 4 * 1024 * 1024;
const TELLING_NAME = /key|token|secret|passw|credential|authorization/i;
/** A longer value is a text of its own. */
const MAX_PAIR_CHARS = 1_024;
/** A longer text is no arguments of a call. */
const MAX_NESTED_CHARS = 1024 * 1024;

/** Rejects only for an abort. */
export async function scanSecrets(home: string, options: ScanOptions): Promise<SecretScan> {
  const { files, signal } = options;
  const walked = await walkRollouts(home, { files, ...(signal !== undefined && { signal }) });
  const logs = walked.files.filter((file) => file.hidden === null || file.hidden === 'unreadable');
  const scan = new Scan(options, logs);
  for (const [index, log] of logs.entries()) {
    options.onProgress?.(index, logs.length);
    await scan.read(log);
  }
  return scan.result();
}

interface LineText {
  readonly line: number;
  readonly value: JsonValue;
}

class Scan {
  readonly #options: ScanOptions;
  readonly #filesOfThread = new Map<string, number>();
  readonly #findings: SecretFinding[] = [];
  readonly #unreadable: string[] = [];
  readonly #files: number;
  #moreFindings = 0;
  #secrets = 0;
  #unreadLines = 0;
  #charsSinceTurn = 0;

  constructor(options: ScanOptions, logs: readonly WalkedFile[]) {
    this.#options = options;
    this.#files = logs.length;
    for (const { name } of logs) {
      if (name !== undefined) this.#filesOfThread.set(name.threadId, (this.#filesOfThread.get(name.threadId) ?? 0) + 1);
    }
  }

  result(): SecretScan {
    return {
      findings: this.#findings,
      moreFindings: this.#moreFindings,
      secrets: this.#secrets,
      files: this.#files,
      unreadLines: this.#unreadLines,
      unreadableFiles: this.#unreadable,
    };
  }

  async read(log: WalkedFile): Promise<void> {
    const { files, signal } = this.#options;
    // Searched between two batches, where there is time for an interrupt.
    const texts: LineText[] = [];
    const observe = (_: unknown, value: JsonValue, { lineNumber }: { readonly lineNumber: number }): void => {
      texts.push({ line: lineNumber, value });
    };
    try {
      for await (const batch of readRecords(log.path, { files, observe, ...(signal !== undefined && { signal }) })) {
        const lost = new Set(batch.damage.flatMap((damage) => (damage.lost ? [damage.line] : [])));
        this.#unreadLines += lost.size;
        await this.#search(log, texts.splice(0));
      }
    } catch (error) {
      signal?.throwIfAborted();
      if (fileErrorCode(error) === undefined) throw error;
      this.#unreadable.push(log.path);
    }
  }

  async #search(log: WalkedFile, texts: readonly LineText[]): Promise<void> {
    let counter = new SecretCounter();
    for (const [index, { line, value }] of texts.entries()) {
      for (const text of stringsOf(value)) {
        searchText(text, counter);
        await this.#turn(text.length);
      }
      // Several records may stand on one line.
      if (texts[index + 1]?.line === line) continue;
      this.#note(log, line, counter);
      counter = new SecretCounter();
    }
  }

  #note(log: WalkedFile, line: number, { counts }: SecretCounter): void {
    for (const [rule, count] of counts) {
      this.#secrets += count;
      if (this.#findings.length >= MAX_FINDINGS) this.#moreFindings += 1;
      else this.#findings.push({ address: this.#address(log, line), path: log.path, line, rule, count });
    }
  }

  #address({ path, name }: WalkedFile, line: number): string {
    const isOnly = name !== undefined && this.#filesOfThread.get(name.threadId) === 1;
    return `${isOnly ? name.threadId : path}:${line}`;
  }

  async #turn(chars: number): Promise<void> {
    this.#charsSinceTurn += chars;
    if (this.#charsSinceTurn < TURN_CHARS) return;
    this.#charsSinceTurn = 0;
    await nextTurn();
    this.#options.signal?.throwIfAborted();
  }
}

function searchText(text: string, counter: SecretCounter): void {
  const searched = withoutImages(text);
  counter.add(searched);
  // Arguments and outputs of calls are JSON inside a string: what its escapes hide shows only once it is parsed.
  const first = searched[0];
  if ((first !== '{' && first !== '[') || !searched.includes('\\') || searched.length > MAX_NESTED_CHARS) return;
  let nested: unknown;
  try {
    nested = JSON.parse(searched);
  } catch {
    return; // no JSON after all: it was searched as it is
  }
  for (const inner of stringsOf(nested)) counter.add(inner, { once: true });
}

/** Every string of a value, names of fields too; without recursion, since it may be nested deeply. */
function* stringsOf(value: unknown): Generator<string> {
  const left: unknown[] = [value];
  while (left.length > 0) {
    const next = left.pop();
    if (typeof next === 'string') yield next;
    else if (Array.isArray(next)) for (const item of next) left.push(item);
    else if (typeof next === 'object' && next !== null) {
      for (const [name, item] of Object.entries(next)) {
        yield name;
        // A name and its value make a pair that neither is by itself.
        if (typeof item === 'string' && item.length < MAX_PAIR_CHARS && TELLING_NAME.test(name))
          yield `${name}=${item}`;
        else left.push(item);
      }
    }
  }
}
