import { describe, expect, test } from 'vitest';
import type { LogRecord, LogStore, LogThreshold } from '../../../src/state/logs/index.js';
import { LOG_MESSAGE_CHARS, LogWriter } from '../../../src/state/logs/log-writer.js';
import { NOW, PROCESS, thread } from './records.js';

type Answer = () => boolean | Promise<boolean>;

interface Bench {
  readonly writer: LogWriter;
  readonly batches: (readonly LogRecord[])[];
  /** What waits on the timer. */
  readonly timers: Map<() => void, number>;
  /** Whether the store takes what it is given. */
  answer: Answer;
  closed: number;
}

function bench({
  level = 'info',
  mask = (text: string) => text,
}: {
  level?: LogThreshold;
  mask?: (text: string) => string;
} = {}): Bench {
  const batches: (readonly LogRecord[])[] = [];
  const timers = new Map<() => void, number>();
  const store: LogStore = {
    write: async (records: readonly LogRecord[]): Promise<boolean> => {
      const taken = await made.answer();
      if (taken) batches.push(records);
      return taken;
    },
    close: async () => {
      made.closed += 1;
    },
  };
  const writer = new LogWriter({
    store,
    level,
    mask,
    now: () => NOW,
    processId: PROCESS,
    timer: (work, delayMs) => {
      const fire = (): void => {
        timers.delete(fire);
        work();
      };
      timers.set(fire, delayMs);
      return () => timers.delete(fire);
    },
  });
  const made: Bench = { writer, batches, timers, answer: () => true, closed: 0 };
  return made;
}

const entry = (message: string) => ({ level: 'info', target: 'test', message }) as const;
const said = (batches: readonly (readonly LogRecord[])[]): string[] => batches.flat().map(({ message }) => message);

describe('LogWriter', () => {
  test('log() writes nothing by itself; flush() writes all in batches of 128', async () => {
    const { writer, batches } = bench();
    for (let n = 0; n < 300; n += 1) writer.log(entry(`${n}`));
    expect(batches).toEqual([]);
    await writer.flush();
    expect(batches.map((batch) => batch.length)).toEqual([128, 128, 44]);
    expect(said(batches)).toEqual(Array.from({ length: 300 }, (_, n) => `${n}`));
    expect(batches[0]![0]).toEqual({ ...entry('0'), atMs: NOW, processId: PROCESS });
  });

  test('waits two seconds for other entries, and not at all for a full batch', async () => {
    const { writer, timers, batches } = bench();
    writer.log(entry('0'));
    writer.log(entry('1'));
    expect([...timers.values()]).toEqual([2_000]);
    for (let n = 2; n < 128; n += 1) writer.log(entry(`${n}`));
    expect([...timers.values()]).toEqual([0]);
    const [fire] = timers.keys();
    fire!();
    await writer.flush();
    expect(batches.map((batch) => batch.length)).toEqual([128]);
    expect(timers.size).toBe(0);
  });

  test('flush() waits for what was accepted before it while a batch is being written', async () => {
    const made = bench();
    const { writer, batches } = made;
    let open = (_: boolean): void => undefined;
    const gate = new Promise<boolean>((resolve) => {
      open = resolve;
    });
    made.answer = () => gate;
    writer.log(entry('first'));
    const first = writer.flush();
    writer.log(entry('second'));
    let second = false;
    const flushed = writer.flush().then(() => {
      second = true;
    });
    await Promise.resolve();
    expect(second).toBe(false);
    open(true);
    await Promise.all([first, flushed]);
    expect(said(batches)).toEqual(['first', 'second']);
  });

  test('flush() misses no entry that comes while an earlier one ends, at whichever step', async () => {
    for (let steps = 0; steps < 20; steps += 1) {
      const { writer, batches } = bench();
      writer.log(entry('first'));
      const first = writer.flush();
      for (let step = 0; step < steps; step += 1) await Promise.resolve();
      writer.log(entry('second'));
      await writer.flush();
      expect([steps, said(batches)]).toEqual([steps, ['first', 'second']]);
      await first;
    }
  });

  test('drops what a full queue cannot take, and says how much', async () => {
    const { writer, batches } = bench();
    for (let n = 0; n < 600; n += 1) writer.log(entry(`${n}`));
    expect(writer.droppedTotal).toBe(88);
    await writer.flush();
    expect(said(batches).slice(127, 130)).toEqual([
      '127',
      'Log entries were dropped: 88 because the queue was full',
      '128',
    ]);
    expect(said(batches)).toHaveLength(513);
    expect(batches[0]!.at(-1)).toMatchObject({ level: 'warn', target: 'log' });
    writer.log(entry('later'));
    await writer.flush();
    expect(said(batches).at(-1)).toBe('later');
  });

  test.each<[string, Answer]>([
    ['refuses', () => false],
    ['throws', () => Promise.reject(new Error('disk full'))],
  ])('counts a batch that the store %s, goes on, and tells of it when the store takes one', async (_, answer) => {
    const made = bench();
    const { writer, batches } = made;
    made.answer = answer;
    for (let n = 0; n < 200; n += 1) writer.log(entry(`${n}`));
    await writer.flush();
    await writer.flush();
    expect(batches).toEqual([]);
    expect(writer.droppedTotal).toBe(200);
    made.answer = () => true;
    writer.log(entry('again'));
    await writer.flush();
    expect(said(batches)).toEqual(['again', 'Log entries were dropped: 200 because they could not be written']);
    expect(writer.droppedTotal).toBe(200);
  });

  test.each([
    ['off', []],
    ['error', ['error']],
    ['info', ['info', 'warn', 'error']],
    ['trace', ['trace', 'debug', 'info', 'warn', 'error']],
  ] as const)('at level %s keeps %j', async (level, kept) => {
    const { writer, batches } = bench({ level });
    for (const each of ['trace', 'debug', 'info', 'warn', 'error'] as const) {
      expect(writer.enabled(each)).toBe((kept as readonly string[]).includes(each));
      writer.log({ level: each, target: 'test', message: each });
    }
    await writer.flush();
    expect(said(batches)).toEqual(kept);
  });

  test('masks a message before it is cut and stored, and never on the way into the queue', async () => {
    let masked = 0;
    const { writer, batches } = bench({
      mask: (text) => {
        masked += 1;
        return text.replaceAll('s3cret', '[masked]');
      },
    });
    writer.log({ ...entry('the s3cret'), threadId: thread(1) });
    // The secret stands across the cut.
    writer.log(entry(`${'x'.repeat(LOG_MESSAGE_CHARS - 3)}s3cret${'y'.repeat(10)}`));
    writer.log(entry(`${'x'.repeat(LOG_MESSAGE_CHARS - 1)}😀`));
    expect(masked).toBe(0);
    await writer.flush();
    expect(batches[0]![0]).toMatchObject({ message: 'the [masked]', threadId: thread(1) });
    expect(batches[0]![1]!.message).toBe(`${'x'.repeat(LOG_MESSAGE_CHARS - 3)}[ma… (cut from 65551 characters)`);
    expect(batches[0]![2]!.message).toBe(`${'x'.repeat(LOG_MESSAGE_CHARS - 1)}… (cut from 65537 characters)`);
  });

  test('stores nothing of a message that cannot be masked', async () => {
    const { writer, batches } = bench({
      mask: () => {
        throw new Error('no');
      },
    });
    writer.log(entry('s3cret'));
    await writer.flush();
    expect(said(batches)).toEqual(['(a message that could not be masked)']);
  });

  test('close() flushes, closes the store once, and takes nothing more', async () => {
    const made = bench();
    const { writer, batches, timers } = made;
    writer.log(entry('last'));
    await Promise.all([writer.close(), writer.close()]);
    writer.log(entry('too late'));
    await writer.flush();
    expect(said(batches)).toEqual(['last']);
    expect(made.closed).toBe(1);
    expect(timers.size).toBe(0);
    expect(writer.enabled('error')).toBe(false);
  });
});
