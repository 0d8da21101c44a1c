/**
 * One run of one command: what a verb gets, and what every verb does the same way.
 */
import path from 'node:path';
import { visibleLine } from '../base/visible-text.js';
import type { HomeSet, ProgramLog, ThreadHome } from '../home/index.js';
import type { IndexProgress } from '../thread-store/session-reader.js';
import { asCalled, type Calling } from './as-called.js';
import type { CliContext } from './context.js';
import { ClosedPipeError } from './failure.js';
import { JsonDocument } from './json-document.js';
import { Output } from './output.js';
import { createPalette, type Palette } from './palette.js';
import type { Invocation } from './parse-invocation.js';
import { ProgressLine } from './progress.js';

/** A command's work; resolves with its exit code. */
export type Verb = (run: Run) => Promise<number>;

/** What a view needs to know of the terminal. */
export interface View {
  readonly palette: Palette;
  /** Columns to stay within; Infinity where nobody looks. */
  readonly columns: number;
  readonly nowMs: number;
  readonly timeZone: string | undefined;
  /** `text` with each `codicil COMMAND` in it as it has to be typed here. */
  asCalled(text: string): string;
}

export class Run {
  readonly context: CliContext;
  readonly invocation: Invocation;
  readonly output: Output;
  readonly progress: ProgressLine;
  readonly #words: Output;
  readonly #wordsPalette: Palette;
  #document: JsonDocument | undefined;
  #log: Promise<ProgramLog> | undefined;

  constructor(context: CliContext, invocation: Invocation) {
    this.context = context;
    this.invocation = invocation;
    this.output = new Output(context.stdout);
    this.#words = new Output(context.stderr);
    this.#wordsPalette = createPalette({
      isTTY: context.stderrIsTTY,
      env: context.env,
      noColor: invocation.has('no-color'),
    });
    this.progress = new ProgressLine(context);
  }

  get signal(): AbortSignal {
    return this.context.signal;
  }

  get json(): boolean {
    return this.invocation.has('json');
  }

  get calling(): Calling {
    return { program: this.context.program, homes: this.invocation.values('home') };
  }

  get view(): View {
    const { context } = this;
    return {
      palette: createPalette({ isTTY: context.isTTY, env: context.env, noColor: this.invocation.has('no-color') }),
      columns: context.isTTY ? Math.max(40, context.columns) : Number.POSITIVE_INFINITY,
      nowMs: context.now(),
      timeZone: context.timeZone,
      asCalled: (text) => asCalled(text, this.calling),
    };
  }

  /** As `view`, for words on stderr. */
  get wordsView(): View {
    return {
      ...this.view,
      palette: this.#wordsPalette,
      columns: this.context.stderrIsTTY ? Math.max(40, this.context.columns) : 80,
    };
  }

  /** The one document of `--json`; a failure half way ends it. */
  document(): JsonDocument {
    this.#document ??= new JsonDocument(this.output);
    return this.#document;
  }

  /** Writes one document whose fields are all at hand. */
  async printDocument(fields: Readonly<Record<string, unknown>>, depth = 0): Promise<void> {
    const document = this.document();
    for (const [name, value] of Object.entries(fields)) await document.field(name, value, depth);
    await document.end();
  }

  /** Words for a person, on stderr. */
  async say(...lines: readonly string[]): Promise<void> {
    this.progress.clear();
    // What was printed so far comes first where both streams end on one terminal.
    await this.output.flush();
    try {
      for (const line of lines) await this.#words.line(line);
      await this.#words.flush();
    } catch (error) {
      // Nobody listens to the words; the data goes on.
      if (!(error instanceof ClosedPipeError)) throw error;
    }
  }

  /** The log of this run, opened when it is first asked for. Never rejects. */
  openLog({ onNotice }: { readonly onNotice?: (message: string) => void } = {}): Promise<ProgramLog> {
    const { context } = this;
    this.#log ??= context.openLog({ env: context.env, homes: this.homePaths, onNotice });
    return this.#log;
  }

  /** Whether anything of this run asked for its log. */
  get hasLog(): boolean {
    return this.#log !== undefined;
  }

  /** Writes what was logged; nothing when nobody opened the log. */
  async closeLog(): Promise<void> {
    await (await this.#log)?.close();
  }

  /** `--home`, absolute. */
  get homePaths(): readonly string[] {
    return this.invocation.values('home').map((home) => path.resolve(this.context.cwd, home));
  }

  /** Opens the homes of this run, and closes them whatever `work` does. */
  async withHomes<T>(work: (homes: HomeSet) => Promise<T>): Promise<T> {
    const { context } = this;
    const notices: string[] = [];
    const { log } = await this.openLog({ onNotice: (message) => notices.push(message) });
    const homes = await context.openHomes({
      homes: this.homePaths,
      env: context.env,
      log,
      onNotice: (message) => notices.push(message),
      onProgress: (progress) => this.showProgress(progress),
    });
    try {
      return await work(homes);
    } finally {
      await homes[Symbol.asyncDispose]();
      this.progress.clear();
      const { dim } = this.#wordsPalette;
      for (const notice of notices) await this.say(dim(visibleLine(notice)));
    }
  }

  /**
   * Opens one home for changing its threads (default: ours), and closes it whatever `work` does. Only `--foreign` lets
   * files of another program's home be moved or removed.
   */
  async withThreadHome<T>(at: string | undefined, work: (home: ThreadHome) => Promise<T>): Promise<T> {
    const { context } = this;
    const notices: string[] = [];
    const { log } = await this.openLog({ onNotice: (message) => notices.push(message) });
    const home = await context.openThreadHome({
      at: at ?? this.homePaths[0],
      env: context.env,
      foreign: this.invocation.has('foreign'),
      log,
      onNotice: (message) => notices.push(message),
    });
    try {
      return await work(home);
    } finally {
      await home.close();
      for (const notice of notices) await this.say(this.#wordsPalette.dim(visibleLine(notice)));
    }
  }

  showProgress({ phase, done, files }: IndexProgress): void {
    const what = { walk: 'Looking for logs', heads: 'Reading first lines', full: 'Reading logs' }[phase];
    this.progress.show(files === 0 ? `${what} …` : `${what}: ${done} of ${files}`);
  }
}
