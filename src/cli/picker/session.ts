/**
 * One run of the picker on a terminal: keys in, frames out, and between them what `update` decides and the homes answer.
 *
 * Owns the terminal from `run` until it resolves or rejects, and gives it back on every way out. Decides nothing about
 * what a key means or how a screen looks.
 */
import { assertNever } from '../../base/errors.js';
import { visibleLine } from '../../base/visible-text.js';
import type { IndexProgress } from '../../thread-store/session-reader.js';
import { describeFailure } from '../failure.js';
import type { Run } from '../run.js';
import { type Answer, answered } from './answer.js';
import { type Entry, keyOf } from './entry.js';
import type { Host } from './host.js';
import { type Key, KeyParser } from './keys.js';
import { type AskedHomes, Questions } from './questions.js';
import { render } from './render.js';
import { INITIAL_STATE, isSearch, type Preview, type Size } from './state.js';
import { Terminal, type TerminalInput, type TerminalOutput } from './terminal.js';
import { type Action, update, wantedHits } from './update.js';

/** How a run ended. */
export type Outcome =
  | { readonly kind: 'quit' | 'interrupt' }
  /** The thread is to be opened, now that the terminal is free. */
  | { readonly kind: 'open'; readonly entry: Entry };

/** What a session asks of the world around it. */
export interface SessionPorts {
  /** Asked once, when the first frame is on the screen. `onProgress` is told how far an index has come. */
  openHomes(onProgress: (progress: IndexProgress) => void): Promise<AskedHomes>;
  loadPreview(entry: Entry, query: string | undefined, signal: AbortSignal): Promise<Preview>;
  /** The command that opens the thread, as a line for a shell; only once homes are open. */
  commandOf(entry: Entry): string;
  /** Why a thread cannot be opened from here; undefined when it can. */
  refusalOf(entry: Entry): string | undefined;
  /** Shows the log on the terminal as it usually is; resolves with the number of lines that were shown. */
  showLog(entry: Entry, size: Size): Promise<number>;
  readonly host: Host;
}

/** An Esc after which nothing follows for so long is the key. */
const ESCAPE_MS = 40;
/** A process that could not be stopped has its screen back after this. */
const SUSPEND_MS = 300;
/** Progress comes in hundreds; more often than this nobody can read it. */
const PROGRESS_MS = 100;
/** How often an answer is looked at again while the index grows. */
const GROWTH_MS = 1_500;

export class PickerSession {
  readonly #run: Run;
  readonly #ports: SessionPorts;
  readonly #terminal: Terminal;
  readonly #isColoured: boolean;
  readonly #parser = new KeyParser();
  readonly #closing = new AbortController();
  readonly #outcome: Settled<Outcome> = settled();
  #state = INITIAL_STATE;
  #questions: Questions | undefined;
  /** How many hits were asked for last. */
  #mostHits = 0;
  #escape = new AbortController();
  /** What preview was asked for last. */
  #loading: { readonly key: string; readonly controller: AbortController } | undefined;
  /** What a key asked for while the answer to the query was on its way. */
  #pending: Action | undefined;
  /** True while another program has the terminal. */
  #isAway = false;
  #progressAtMs = Number.NEGATIVE_INFINITY;
  #grownAtMs = Number.NEGATIVE_INFINITY;

  constructor(
    run: Run,
    ports: SessionPorts,
    screen: { readonly input: TerminalInput; readonly output: TerminalOutput; readonly isColoured: boolean },
  ) {
    this.#run = run;
    this.#ports = ports;
    this.#isColoured = screen.isColoured;
    this.#terminal = new Terminal(screen.input, screen.output, {
      onInput: (text) => this.#guard(() => this.#read(text)),
      onResize: () =>
        this.#guard(() => {
          this.#extend();
          this.#draw();
        }),
      onEnd: () => this.#outcome.resolve({ kind: 'interrupt' }),
    });
  }

  /** Resolves when the user is done, the terminal as it was. Rejects with what failed, or the signal's reason. */
  async run(): Promise<Outcome> {
    const { signal } = this.#run;
    const { host } = this.#ports;
    signal.throwIfAborted();
    const onAbort = (): void => this.#outcome.reject(signal.reason);
    signal.addEventListener('abort', onAbort);
    const offContinue = host.onContinue(() => this.#guard(() => this.#resume()));
    const offExit = host.onExit(() => this.#terminal.leave());
    try {
      this.#terminal.enter();
      this.#draw();
      this.#open().catch((error: unknown) => this.#outcome.reject(error));
      return await this.#outcome.promise;
    } finally {
      this.#terminal.leave();
      offExit();
      offContinue();
      signal.removeEventListener('abort', onAbort);
      this.#closing.abort();
      this.#escape.abort();
      this.#loading?.controller.abort();
      await this.#questions?.close();
    }
  }

  async #open(): Promise<void> {
    const homes = await this.#ports.openHomes((progress) => this.#guard(() => this.#showProgress(progress)));
    if (this.#closing.signal.aborted) return;
    this.#questions = new Questions({
      homes,
      onAnswer: (answer) => this.#guard(() => this.#takeAnswer(answer)),
      onFailure: (error) => this.#guard(() => this.#tell(describeFailure(error).error.message, { isError: true })),
    });
    this.#ask();
  }

  #read(text: string): void {
    this.#escape.abort();
    this.#take(this.#parser.feed(text));
    if (!this.#parser.isWaiting) return;
    this.#escape = new AbortController();
    this.#run.context.wait(ESCAPE_MS, this.#escape.signal).then(
      () => this.#guard(() => this.#take(this.#parser.flush())),
      () => undefined, // more input came, or the picker ends
    );
  }

  /** All keys that came at once, then one frame. */
  #take(keys: readonly Key[]): void {
    const before = this.#state;
    for (const key of keys) {
      this.#pending = undefined;
      const { state, action } = update(this.#state, key, this.#terminal.size);
      this.#state = state;
      if (action !== undefined) this.#act(action);
    }
    const { query, scope } = this.#state;
    if (query !== before.query || scope !== before.scope) this.#ask();
    else this.#extend();
    this.#draw();
  }

  #act(action: Action): void {
    const entry = this.#state.entries[this.#state.selected];
    switch (action) {
      case 'quit':
      case 'interrupt':
        this.#outcome.resolve({ kind: action });
        return;
      case 'suspend':
        this.#suspend();
        return;
      case 'look-again':
        this.#terminal.forget();
        this.#complete();
        return;
      case 'open':
      case 'copy':
      case 'log':
        // What stands on the screen answers an older query: the key means what the newer one finds.
        if (!this.#state.isAnswered) this.#pending = action;
        else if (entry !== undefined) this.#actOn(entry, action);
        return;
      default:
        assertNever(action, 'action');
    }
  }

  #actOn(entry: Entry, action: 'open' | 'copy' | 'log'): void {
    if (action === 'copy') {
      const command = this.#ports.commandOf(entry);
      this.#terminal.copy(command);
      this.#tell(`Copied: ${command}`, { isError: false });
    } else if (action === 'log') {
      this.#showLog(entry).catch((error: unknown) => this.#outcome.reject(error));
    } else {
      const refusal = this.#ports.refusalOf(entry);
      if (refusal === undefined) this.#outcome.resolve({ kind: 'open', entry });
      else this.#tell(refusal, { isError: true });
    }
  }

  #ask(): void {
    const { query, scope } = this.#state;
    this.#mostHits = wantedHits(this.#state, this.#terminal.size);
    this.#questions?.ask({ query, scope }, { mostHits: this.#mostHits });
  }

  /** Asks for more hits when the last ones come into sight, once. */
  #extend(): void {
    const { shows, isAnswered } = this.#state;
    if (shows === 'hits' && isAnswered && wantedHits(this.#state, this.#terminal.size) > this.#mostHits) this.#ask();
  }

  #takeAnswer(answer: Answer): void {
    const isFirst = this.#state.index === undefined;
    this.#state = answered(this.#state, answer, this.#terminal.size);
    const pending = this.#pending;
    if (pending !== undefined && this.#state.isAnswered) {
      this.#pending = undefined;
      this.#act(pending);
    }
    if (isFirst) this.#complete();
    this.#draw();
  }

  /** Has the index completed beside everything else, and looks at the answer again. */
  #complete(): void {
    this.#questions?.complete(() =>
      this.#guard(() => {
        this.#state = { ...this.#state, progress: undefined };
        this.#ask();
        this.#draw();
      }),
    );
  }

  #showProgress(progress: IndexProgress): void {
    // Later questions look at the files too, but what they see there is not the work that goes on.
    const isFirst = this.#state.index === undefined;
    if ((!isFirst && this.#questions?.isCompleting !== true) || progress.phase === 'walk') return;
    const nowMs = this.#run.context.now();
    if (nowMs - this.#progressAtMs < PROGRESS_MS) return;
    this.#progressAtMs = nowMs;
    this.#state = { ...this.#state, progress };
    if (progress.phase === 'full' && nowMs - this.#grownAtMs >= GROWTH_MS && this.#state.isAnswered) {
      this.#grownAtMs = nowMs;
      this.#ask();
    }
    this.#draw();
  }

  #tell(text: string, { isError }: { readonly isError: boolean }): void {
    this.#state = { ...this.#state, notice: { text: visibleLine(text), isError } };
    this.#draw();
  }

  /** Shows the state, and has the preview that belongs to it read. */
  #draw(): void {
    const { context } = this.#run;
    const { columns, rows } = this.#terminal.size;
    this.#preview();
    if (this.#isAway || !this.#terminal.isEntered) return;
    const options = { isColoured: this.#isColoured, nowMs: context.now(), timeZone: context.timeZone };
    this.#terminal.draw(render(this.#state, { columns, rows }, options));
  }

  #preview(): void {
    const entry = this.#state.entries[this.#state.selected];
    if (entry === undefined) return;
    const query = this.#state.shows === 'hits' && isSearch(this.#state) ? this.#state.query : undefined;
    // A thread that has grown is read again, and so is one whose words to mark have changed.
    const key = `${keyOf(entry)}\n${entry.updatedAt}\n${query ?? ''}`;
    if (key === this.#loading?.key) return;
    this.#loading?.controller.abort();
    const controller = new AbortController();
    this.#loading = { key, controller };
    this.#ports.loadPreview(entry, query, controller.signal).then(
      (preview) =>
        this.#guard(() => {
          if (controller.signal.aborted) return;
          this.#state = { ...this.#state, preview };
          this.#draw();
        }),
      () => undefined, // the next one has begun, or the log cannot be read: the list says what is known
    );
  }

  async #showLog(entry: Entry): Promise<void> {
    const { context, signal } = this.#run;
    const { size } = this.#terminal;
    this.#isAway = true;
    this.#terminal.leave();
    let failure: string | undefined;
    try {
      const lines = await this.#ports.showLog(entry, size);
      // A pager ends by itself when everything fits the screen, which the picker would cover.
      if (lines < size.rows) {
        context.stdout.write('\x1b[2m-- Press any key to go back --\x1b[0m');
        await this.#terminal.anyKey(signal);
        context.stdout.write('\n');
      }
    } catch (error) {
      signal.throwIfAborted();
      failure = describeFailure(error).error.message;
    } finally {
      this.#isAway = false;
    }
    if (this.#closing.signal.aborted) return;
    this.#terminal.enter();
    if (failure === undefined) this.#draw();
    else this.#tell(failure, { isError: true });
  }

  #suspend(): void {
    this.#terminal.leave();
    this.#ports.host.suspend();
    this.#run.context.wait(SUSPEND_MS, this.#closing.signal).then(
      () => this.#guard(() => this.#resume()),
      () => undefined, // the picker ends
    );
  }

  #resume(): void {
    if (this.#isAway || this.#closing.signal.aborted) return;
    // The shell wrote to the terminal meanwhile, and may have changed its mode.
    this.#terminal.leave();
    this.#terminal.enter();
    this.#draw();
  }

  /** Whatever fails in a callback ends the run: nothing may escape while the terminal is not as it was. */
  #guard(work: () => void): void {
    try {
      work();
    } catch (error) {
      this.#outcome.reject(error);
    }
  }
}

/** A promise that is settled from outside. */
interface Settled<T> {
  readonly promise: Promise<T>;
  readonly resolve: (value: T) => void;
  readonly reject: (reason: unknown) => void;
}

function settled<T>(): Settled<T> {
  let resolve: (value: T) => void = () => undefined;
  let reject: (reason: unknown) => void = () => undefined;
  const promise = new Promise<T>((onResolve, onReject) => {
    resolve = onResolve;
    reject = onReject;
  });
  return { promise, resolve, reject };
}
