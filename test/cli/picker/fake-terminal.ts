/** A terminal made of streams, the screen that it would show, and homes that are searched by plain substrings. */
import { PassThrough, Writable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import type { CliContext, Launch } from '../../../src/cli/context.js';
import { parseInvocation } from '../../../src/cli/parse-invocation.js';
import type { Host } from '../../../src/cli/picker/host.js';
import { pick } from '../../../src/cli/picker/picker.js';
import { Run } from '../../../src/cli/run.js';
import { displayWidth } from '../../../src/cli/width.js';
import type { HomeSet } from '../../../src/home/index.js';
import type { ThreadRow } from '../../../src/projection/thread-row.js';
import type { SearchHit, SearchPage, SearchQuery } from '../../../src/thread-store/session-reader.js';
import { fakeHomes, HOME, NOW, noThreadHome, SILENT_LOG } from '../fake-homes.js';

const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

/** What a terminal makes of what is written to it, as far as the picker uses one. */
export class Screen extends Writable {
  readonly isTTY = true;
  columns: number;
  rows: number;
  /** All that was written. */
  written = '';
  isAlternate = false;
  isPasteBracketed = false;
  /** What came through OSC 52. */
  clipboard: string | undefined;
  #cells: string[][] = [];
  #row = 0;
  #column = 0;

  constructor(columns: number, rows: number) {
    super({ decodeStrings: false });
    this.columns = columns;
    this.rows = rows;
  }

  override _write(chunk: string | Buffer, _encoding: string, done: () => void): void {
    this.written += String(chunk);
    this.#take(String(chunk));
    done();
  }

  /** The lines as a person sees them. */
  get lines(): readonly string[] {
    return Array.from({ length: this.rows }, (_, row) =>
      Array.from(this.#cells[row] ?? [], (cell) => cell ?? ' ')
        .join('')
        .trimEnd(),
    );
  }

  get text(): string {
    return this.lines.join('\n');
  }

  get cursor(): readonly [row: number, column: number] {
    return [this.#row, this.#column];
  }

  #take(text: string): void {
    // biome-ignore lint/complexity/useRegexLiterals: the controls are easier to read this way
    const token = new RegExp('\\x1b\\]52;c;([^\\x07]*)\\x07|\\x1b\\[([?\\d;]*)([A-Za-z])|[^\\x1b]+', 'gy');
    for (const [whole, copied, parameters = '', final] of text.matchAll(token)) {
      if (copied !== undefined) this.clipboard = Buffer.from(copied, 'base64').toString('utf8');
      else if (final !== undefined) this.#control(parameters, final);
      else this.#put(whole);
    }
  }

  #control(parameters: string, final: string): void {
    const [first = 1, second = 1] = parameters.split(';').map((number) => Number(number) || 1);
    if (final === 'H') [this.#row, this.#column] = [first - 1, second - 1];
    else if (final === 'G') this.#column = first - 1;
    else if (final === 'J') this.#cells = [];
    else if (final === 'K') this.#cells[this.#row] = [];
    else if (parameters === '?1049') this.isAlternate = final === 'h';
    else if (parameters === '?2004') this.isPasteBracketed = final === 'h';
  }

  #put(text: string): void {
    for (const { segment } of graphemes.segment(text)) {
      if (segment === '\n') continue;
      const line = (this.#cells[this.#row] ??= []);
      const width = displayWidth(segment);
      if (this.#column + width > this.columns)
        throw new Error(`Line ${this.#row} is too long: ${JSON.stringify(text)}`);
      line[this.#column] = segment;
      for (let more = 1; more < width; more += 1) line[this.#column + more] = '';
      this.#column += width;
    }
  }
}

export class Keyboard extends PassThrough {
  readonly isTTY = true;
  isRaw = false;

  setRawMode(isRaw: boolean): this {
    this.isRaw = isRaw;
    return this;
  }
}

/** Text of threads by the end of their id: a message is on the line that its place says, from 1. */
export interface Searched {
  readonly rows: readonly ThreadRow[];
  readonly texts: ReadonlyMap<string, readonly string[]>;
}

/** Homes whose `search` finds every thread with a message that holds the text; the last thing asked is in `asked`. */
export function searchedHomes(
  { rows, texts }: Searched,
  options: SearchedOptions = {},
): HomeSet & { readonly asked: SearchQuery[] } {
  const asked: SearchQuery[] = [];
  const homes = fakeHomes({ rows, ...(options.own === undefined ? {} : { own: options.own }) });
  const search = async (query: SearchQuery): Promise<SearchPage> => {
    asked.push(query);
    await options.before?.(query);
    query.signal?.throwIfAborted();
    const hits = rows.flatMap((thread): readonly SearchHit[] => {
      const messages = texts.get(thread.id!) ?? [];
      const place = messages.findIndex((text) => text.includes(query.text.trim()));
      if (place === -1) return [];
      const text = messages[place]!;
      const start = text.indexOf(query.text.trim());
      return [
        {
          threadId: thread.id!,
          address: `${thread.id}:${place + 1}`,
          path: thread.path,
          home: HOME,
          line: place + 1,
          role: 'user',
          timestamp: null,
          snippet: text,
          matches: [[start, start + query.text.trim().length]],
          score: 1,
          title: thread.title,
          name: thread.name,
          cwd: thread.cwd,
          updatedAt: thread.updatedAt,
        },
      ];
    });
    const index = { state: 'complete' as const, indexed: rows.length, files: rows.length };
    return { hits: hits.slice(0, query.limit ?? 20), total: hits.length, totalIsBound: false, tookMs: 1, index };
  };
  return Object.assign(homes, { search, asked });
}

export interface SearchedOptions {
  readonly own?: boolean;
  /** Awaited before a search answers. */
  readonly before?: (query: SearchQuery) => Promise<void> | undefined;
}

export interface Picking {
  readonly screen: Screen;
  readonly keyboard: Keyboard;
  readonly launched: readonly Launch[];
  /** All that was said on stderr. */
  readonly said: () => string;
  readonly events: readonly string[];
  readonly done: Promise<number>;
  /** Calls the listeners of a process that goes on. */
  continue(): void;
  exit(): void;
  type(...keys: readonly string[]): void;
  /** Resolves when the screen shows `text`; rejects with the screen when it does not. */
  shows(text: string | RegExp): Promise<void>;
}

/** Starts the picker on a fake terminal. */
export function startPicking(
  homes: HomeSet,
  options: Partial<CliContext> & { readonly size?: readonly [number, number]; readonly argv?: readonly string[] } = {},
): Picking {
  const { size = [80, 24], argv = [], ...context } = options;
  const screen = new Screen(...size);
  const keyboard = new Keyboard();
  const launched: Launch[] = [];
  const events: string[] = [];
  const listeners = { continue: new Set<() => void>(), exit: new Set<() => void>() };
  const listen = (set: Set<() => void>) => (listener: () => void) => {
    set.add(listener);
    return () => set.delete(listener);
  };
  const host: Host = {
    suspend: () => events.push(`suspended, raw ${keyboard.isRaw}, alternate ${screen.isAlternate}`),
    onContinue: listen(listeners.continue),
    onExit: listen(listeners.exit),
  };
  let said = '';
  const stderr = new Writable({
    write(chunk, _encoding, done) {
      said += String(chunk);
      done();
    },
  });
  const run = new Run(
    {
      openHomes: async () => homes,
      openThreadHome: noThreadHome,
      openLog: async () => SILENT_LOG,
      readLog: async () => ({ rows: [], partitions: [] }),
      stdin: keyboard,
      stdout: screen,
      stderr,
      env: { HOME: '/home/me', NO_COLOR: '1' },
      cwd: '/home/me/project',
      isTTY: true,
      stderrIsTTY: true,
      stdinIsTTY: true,
      columns: size[0],
      rows: size[1],
      version: () => '0.0.0',
      program: 'codicil',
      timeZone: 'UTC',
      now: () => NOW,
      wait: (ms, signal) => delay(ms, undefined, { signal }),
      launch: async (launch) => {
        events.push(`launched, raw ${keyboard.isRaw}, alternate ${screen.isAlternate}`);
        launched.push(launch);
        return 0;
      },
      watch: () => () => undefined,
      openPager: async () => undefined,
      signal: new AbortController().signal,
      ...context,
    },
    parseInvocation(argv),
  );
  return {
    screen,
    keyboard,
    launched,
    events,
    said: () => said,
    done: pick(run, host),
    continue: () => {
      for (const listener of listeners.continue) listener();
    },
    exit: () => {
      for (const listener of listeners.exit) listener();
    },
    type: (...keys) => {
      for (const key of keys) keyboard.write(key);
    },
    shows: async (text) => {
      const isThere = (): boolean => (typeof text === 'string' ? screen.text.includes(text) : text.test(screen.text));
      for (let turn = 0; turn < 500 && !isThere(); turn += 1) await delay(2);
      if (!isThere()) throw new Error(`The screen does not show ${text}:\n${screen.text}`);
    },
  };
}
