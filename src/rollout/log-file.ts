/**
 * The end of one log on disk: opens it, looks whether it is as it was left, and hands it whole lines.
 *
 * Knows how many bytes the log must have; what does not fit was done by somebody else and is never written behind unseen.
 * A line that the system took only a part of is finished by the next try, so that no line is torn while this process lives;
 * a torn line that another process left gets a line feed. Never cuts, never rewrites, never retries by itself.
 */
import { LF } from '../base/jsonl.js';
import type { AppendFile, AppendFiles, FileAccess } from '../platform/files/append-file.js';
import { type FileSystem, fileErrorCode } from '../platform/files/file-system.js';
import { LogChangedError } from './errors.js';

export interface LogFileOptions {
  readonly files: FileSystem;
  readonly appendFiles: AppendFiles;
  readonly access: FileAccess;
}

/** What of an existing log is known. */
export interface KnownEnd {
  readonly sizeBytes: number;
  readonly endsLine: boolean;
}

/** Bytes that the system has not taken all of. */
interface Unfinished {
  readonly bytes: Uint8Array;
  done: number;
  /** False for the line feed behind a torn line. */
  readonly isRecord: boolean;
}

const LINE_FEED = Uint8Array.of(LF);

export class LogFile {
  readonly path: string;
  readonly #options: LogFileOptions;
  #file: AppendFile | undefined;
  /** Undefined as long as the log was not opened. */
  #identity: string | undefined;
  /** Whether there is a log on disk already. */
  #born: boolean;
  #sizeBytes: number;
  #endsLine: boolean;
  #unfinished: Unfinished | undefined;
  #linesEnded = 0;

  /** `end` undefined: there is no log yet. */
  constructor(path: string, end: KnownEnd | undefined, options: LogFileOptions) {
    this.path = path;
    this.#options = options;
    this.#born = end !== undefined;
    this.#sizeBytes = end?.sizeBytes ?? 0;
    this.#endsLine = end?.endsLine ?? true;
  }

  /** Bytes of the log, as far as this writer knows. */
  get sizeBytes(): number {
    return this.#sizeBytes;
  }

  /** Line feeds that this writer put there. */
  get linesEnded(): number {
    return this.#linesEnded;
  }

  /** Opens the log; makes it and its folders when there is none. Throws LogChangedError and the system's error. */
  open(): AppendFile {
    if (this.#file !== undefined) return this.#file;
    const { appendFiles, access } = this.#options;
    try {
      this.#file = appendFiles.openSync(this.path, { expect: this.#born ? 'existing' : 'new', access });
    } catch (error) {
      if (fileErrorCode(error) !== 'ENOENT' || !this.#born) throw error;
      if (this.#sizeBytes > 0) throw new LogChangedError(this.path, this.#sizeBytes, undefined);
      // Nothing was in it yet: it is made again.
      this.#forgetBirth();
      this.#file = appendFiles.openSync(this.path, { expect: 'new', access });
    }
    this.#born = true;
    const known = this.#identity;
    this.#identity = this.#file.identity;
    if (known !== undefined && known !== this.#identity) throw this.#changed(this.#file.statSync().sizeBytes);
    return this.#file;
  }

  /**
   * Makes the log ready for the next line. Returns true when it finished a record that an earlier try had begun. Throws
   * LogChangedError when the log is not as it was left, and the system's error.
   */
  prepare(): boolean {
    const file = this.open();
    const { sizeBytes, linked } = file.statSync();
    if (!linked) throw this.#replaced();
    if (sizeBytes !== this.#sizeBytes && !this.#tookMore(sizeBytes)) throw this.#changed(sizeBytes);
    const unfinished = this.#unfinished;
    if (unfinished === undefined) {
      if (!this.#endsLine) this.#write(LINE_FEED, 1, false);
      return false;
    }
    this.#unfinished = undefined;
    this.#write(unfinished.bytes, unfinished.bytes.length, unfinished.isRecord, unfinished.done);
    return unfinished.isRecord;
  }

  /** Writes a line, line feed included, in one write. Throws the system's error; what was begun is finished by `prepare`. */
  writeLine(bytes: Uint8Array, length: number): void {
    this.#write(bytes, length, true);
  }

  /** Resolves when all that was written survives a power cut. */
  async sync(): Promise<void> {
    await this.open().sync();
  }

  /** Lets go of the handle; the next use opens the log anew. */
  drop(): void {
    this.#file?.closeSync();
    this.#file = undefined;
  }

  /** Takes the log as it is now for what it must be, after somebody else changed it. */
  accept(end: KnownEnd): void {
    this.drop();
    this.#identity = undefined;
    this.#sizeBytes = end.sizeBytes;
    this.#endsLine = end.endsLine;
    this.#unfinished = undefined;
  }

  #write(bytes: Uint8Array, length: number, isRecord: boolean, from = 0): void {
    const file = this.open();
    let done = from;
    try {
      while (done < length) {
        const count = file.writeSync(bytes, done, length);
        if (count === 0) throw new Error('the system took no byte');
        done += count;
        this.#sizeBytes += count;
      }
    } catch (error) {
      this.#unfinished = { bytes: Uint8Array.from(bytes.subarray(0, length)), done, isRecord };
      throw error;
    }
    this.#endsLine = true;
    this.#linesEnded += 1;
  }

  /** A failed write may have left more than the system said: then it stands there, and is the rest of what was begun. */
  #tookMore(sizeBytes: number): boolean {
    const unfinished = this.#unfinished;
    if (unfinished === undefined) return false;
    const grown = sizeBytes - this.#sizeBytes;
    if (grown < 0 || grown > unfinished.bytes.length - unfinished.done) return false;
    const found = new Uint8Array(grown);
    const file = this.#options.files.openRegularSync(this.path);
    try {
      if (file.readSync(found, this.#sizeBytes) !== grown) return false;
    } finally {
      file.closeSync();
    }
    if (found.some((byte, index) => byte !== unfinished.bytes[unfinished.done + index])) return false;
    unfinished.done += grown;
    this.#sizeBytes = sizeBytes;
    return true;
  }

  /** The path leads elsewhere, or nowhere. */
  #replaced(): LogChangedError {
    this.drop();
    try {
      return this.#changed(this.#options.files.lstatSync(this.path).sizeBytes);
    } catch (error) {
      if (fileErrorCode(error) !== 'ENOENT') throw error;
      return this.#changed(undefined);
    }
  }

  #changed(foundBytes: number | undefined): LogChangedError {
    return new LogChangedError(this.path, this.#sizeBytes, foundBytes);
  }

  #forgetBirth(): void {
    this.#born = false;
    this.#identity = undefined;
    this.#unfinished = undefined;
  }
}
