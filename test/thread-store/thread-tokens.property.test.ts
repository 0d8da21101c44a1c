/**
 * The law of token totals: however a history is split into forks, by copy or by reference, with counters that go on or
 * begin anew, what the threads spent themselves adds up to what the distinct turns cost.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { JsonObject } from '../../src/base/json.js';
import { listTrees } from '../../src/home/list-trees.js';
import { openReader, tempFolder } from './temp-home.js';

const STYLES = ['dated copy', 'undated copy', 'by reference', 'by reference with records'] as const;
type Style = (typeof STYLES)[number];

type Step =
  | {
      readonly kind: 'turn';
      readonly thread: number;
      readonly restart: boolean;
      readonly repeats: number;
      readonly answers: number;
      readonly estimate: boolean;
    }
  | { readonly kind: 'fork'; readonly thread: number; readonly at: number; readonly restart: boolean };

interface Counters {
  readonly input: number;
  readonly output: number;
}

interface Thread {
  readonly id: string;
  readonly lines: JsonObject[];
  /** Places in `lines` behind each turn, with the counters there; the first is before any own turn. */
  readonly ends: { readonly lines: number; readonly counters: Counters | null }[];
  counters: Counters | null;
  nextOrdinal: number;
}

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('turn' as const),
      thread: fc.nat(20),
      restart: fc.boolean(),
      repeats: fc.nat(2),
      answers: fc.integer({ min: 1, max: 3 }),
      estimate: fc.boolean(),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('fork' as const),
      thread: fc.nat(20),
      at: fc.nat(20),
      restart: fc.boolean(),
    }),
  },
);

/** A UUIDv7 of its own millisecond. */
function idAt(clock: number): string {
  const hex = (1_790_000_000_000 + clock).toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-000000000000`;
}

const wire = ({ input, output }: Counters): JsonObject => ({
  input_tokens: input,
  cached_input_tokens: 0,
  output_tokens: output,
  reasoning_output_tokens: 0,
  total_tokens: input + output,
});
const NONE: Counters = { input: 0, output: 0 };

class History {
  readonly threads: Thread[] = [];
  spent = 0;
  readonly #style: Style;
  #clock = 0;

  constructor(style: Style) {
    this.#style = style;
    this.#begin({}, []);
  }

  turn(thread: Thread, { restart, repeats, answers, estimate }: Extract<Step, { kind: 'turn' }>): void {
    if (restart) thread.counters = null;
    this.#clock += 1;
    const turnId = idAt(this.#clock);
    if (this.#style !== 'undated copy') this.#event(thread, 'task_started', { turn_id: turnId });
    this.#event(thread, 'user_message', { message: `prompt ${this.#clock}` });
    this.#snapshot(thread, null, repeats);
    for (let answer = 0; answer < answers; answer += 1) {
      this.#clock += 1;
      const usage = { input: 1_000 + this.#clock * 3, output: 7 };
      this.spent += usage.input + usage.output;
      const before = thread.counters ?? NONE;
      thread.counters = { input: before.input + usage.input, output: before.output + usage.output };
      if (this.#style === 'by reference with records') {
        const payload = { thread_id: thread.id, turn_id: turnId, response_id: `r${this.#clock}`, usage: wire(usage) };
        this.#line(thread, 'token_usage_record', payload);
      }
      this.#snapshot(thread, usage, 1 + repeats);
      if (estimate) this.#info(thread, thread.counters, { ...wire(NONE), total_tokens: 4_321 });
    }
    if (this.#style !== 'undated copy') this.#event(thread, 'task_complete', { turn_id: turnId });
    thread.ends.push({ lines: thread.lines.length, counters: thread.counters });
  }

  fork(source: Thread, at: number, restart: boolean): void {
    const end = source.ends[at % source.ends.length]!;
    const prefix = source.lines.slice(0, end.lines);
    if (this.#style.startsWith('by reference')) {
      const endByteOffset = Buffer.byteLength(textOf(prefix));
      const base = {
        thread_id: source.id,
        end_ordinal_exclusive: Number(prefix.at(-1)!['ordinal']) + 1,
        end_byte_offset: endByteOffset,
      };
      this.#begin({ forked_from_id: source.id, history_base: base }, [], base.end_ordinal_exclusive);
    } else this.#begin(this.#style === 'undated copy' ? {} : { forked_from_id: source.id }, prefix);
    this.threads.at(-1)!.counters = restart ? null : end.counters;
    this.threads.at(-1)!.ends[0] = { ...this.threads.at(-1)!.ends[0]!, counters: restart ? null : end.counters };
  }

  #begin(fields: JsonObject, copied: readonly JsonObject[], firstOrdinal = 0): void {
    this.#clock += 1;
    const id = idAt(this.#clock);
    const thread: Thread = { id, lines: [], ends: [], counters: null, nextOrdinal: firstOrdinal };
    const isPaginated = this.#style.startsWith('by reference');
    const payload = {
      id,
      timestamp: timeOf(this.#clock),
      cwd: '/p',
      originator: 'x',
      cli_version: '0.1.0',
      source: 'cli',
      ...(isPaginated && { history_mode: 'paginated' }),
      ...fields,
    };
    this.#line(thread, 'session_meta', payload);
    for (const line of copied) thread.lines.push({ ...line, timestamp: timeOf(this.#clock) });
    thread.ends.push({ lines: thread.lines.length, counters: null });
    this.threads.push(thread);
  }

  #snapshot(thread: Thread, last: Counters | null, times: number): void {
    for (let time = 0; time < times; time += 1) {
      if (thread.counters === null) this.#event(thread, 'token_count', { info: null });
      else this.#info(thread, thread.counters, wire(last ?? thread.counters));
    }
  }

  #info(thread: Thread, total: Counters, last: JsonObject): void {
    this.#event(thread, 'token_count', { info: { total_token_usage: wire(total), last_token_usage: last } });
  }

  #event(thread: Thread, type: string, fields: JsonObject): void {
    this.#line(thread, 'event_msg', { type, ...fields });
  }

  #line(thread: Thread, type: string, payload: JsonObject): void {
    this.#clock += 1;
    const ordinal = this.#style.startsWith('by reference') ? { ordinal: thread.nextOrdinal } : {};
    thread.nextOrdinal += 1;
    thread.lines.push({ timestamp: timeOf(this.#clock), ...ordinal, type, payload });
  }
}

function timeOf(clock: number): string {
  return new Date(1_790_000_000_000 + clock).toISOString();
}

function textOf(lines: readonly JsonObject[]): string {
  return lines.map((line) => `${JSON.stringify(line)}\n`).join('');
}

test.each(STYLES)('the total of all trees is the sum over the distinct turns: %s', async (style) => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 14 }), async (steps) => {
      const history = new History(style);
      for (const next of steps) {
        const thread = history.threads[next.thread % history.threads.length]!;
        if (next.kind === 'turn') history.turn(thread, next);
        else history.fork(thread, next.at, next.restart);
      }
      using folder = tempFolder();
      const day = join(folder.path, 'home', 'sessions', '2026', '11', '29');
      mkdirSync(day, { recursive: true });
      for (const { id, lines } of history.threads)
        writeFileSync(join(day, `rollout-2026-11-29T10-00-00-${id}.jsonl`), textOf(lines));
      await using reader = openReader(join(folder.path, 'home'));
      const homes = { readers: [reader], list: reader.list.bind(reader), readerOf: () => reader };
      const { rows } = await listTrees(homes, { limit: 100, indexBudgetMs: Number.POSITIVE_INFINITY });
      expect(rows).toHaveLength(history.threads.length);
      expect(rows.reduce((sum, { tokens }) => sum + tokens!.own.totalTokens, 0)).toBe(history.spent);
      const roots = rows.filter(({ depth }) => depth === 0);
      expect(roots.map(({ tokens }) => tokens!.tree.totalTokens)).toEqual([history.spent]);
    }),
    { numRuns: 60 },
  );
});
