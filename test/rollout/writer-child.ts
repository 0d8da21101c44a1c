/**
 * What a child process of the lock and kill tests does. Says one JSON line a thing.
 *
 *   lock HOME THREAD         takes the writer lock, says `held` or the refusal, and holds it until it hears `go`
 *   cycle HOME THREAD N      N times: lock, resume or create, append its own text, close, release; says how it went
 *   write HOME SEED THREADS  appends to threads taken in turn until it is killed; says each text when it was acknowledged
 */

import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { RolloutRecorder } from '../../src/rollout/recorder.js';
import { acquireWriterLock } from '../../src/rollout/writer-lock.js';
import { metaOf, said, threadId } from './logs.js';

const [verb, home = '', first = '', second = ''] = process.argv.slice(2);
const say = (value: unknown): boolean => process.stdout.write(`${JSON.stringify(value)}\n`);

const refusal = (error: unknown): object =>
  error instanceof Error ? { refused: (error as { readonly code?: string }).code, message: error.message } : {};

/** The log of a thread with an even number is paginated. */
async function open(number: number, durability: 'written' | 'synced'): Promise<RolloutRecorder> {
  const id = threadId(number);
  const path = join(home, 'sessions', '2026', '05', '04', `rollout-2026-05-04T10-00-00-${id}.jsonl`);
  const dialect = number % 2 === 0 ? 'paginated' : 'legacy';
  const common = { path, nowMs: Date.now, durability };
  if (existsSync(path)) return RolloutRecorder.resume({ ...common, threadId: id });
  return RolloutRecorder.create({ ...common, meta: metaOf(dialect, id), dialect });
}

async function lock(): Promise<void> {
  try {
    const held = await acquireWriterLock({ home, threadId: threadId(Number(first)) });
    say('held');
    await once(process.stdin, 'data');
    await held.release();
    say('released');
  } catch (error) {
    say(refusal(error));
  }
  process.stdin.destroy();
}

async function cycle(): Promise<void> {
  let won = 0;
  let busy = 0;
  const texts: string[] = [];
  while (won < Number(second)) {
    try {
      const held = await acquireWriterLock({ home, threadId: threadId(Number(first)) });
      const recorder = await open(Number(first), 'written');
      const text = `${process.pid} ${won}`;
      await recorder.append([said(text)]);
      await recorder.close();
      await held.release();
      texts.push(text);
      won += 1;
    } catch (error) {
      if ((error as { readonly code?: string }).code !== 'thread-busy') throw error;
      busy += 1;
      await new Promise((resolve) => setImmediate(resolve));
    }
  }
  say({ won, busy, texts });
}

/** A small generator of its own: a seed says the same thing twice. */
function randomOf(seed: number): () => number {
  let state = seed >>> 0 || 1;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32;
  };
}

async function write(): Promise<void> {
  const random = randomOf(Number(first));
  for (let session = 0; ; session += 1) {
    const number = 1 + Math.floor(random() * Number(second));
    let held: Awaited<ReturnType<typeof acquireWriterLock>>;
    try {
      held = await acquireWriterLock({ home, threadId: threadId(number) });
    } catch (error) {
      if ((error as { readonly code?: string }).code !== 'thread-busy') throw error;
      await new Promise((resolve) => setImmediate(resolve));
      continue;
    }
    const recorder = await open(number, random() < 0.5 ? 'written' : 'synced');
    const appends = Array.from({ length: 1 + Math.floor(random() * 20) }, async (_, call) => {
      const texts = Array.from(
        { length: 1 + Math.floor(random() * 4) },
        (_item, item) =>
          `${number}:${process.pid}-${session}-${call}-${item} ${'한x'.repeat(Math.floor(random() * 3_000))}`,
      );
      await recorder.append(texts.map(said));
      for (const text of texts) say(text.split(' ')[0]);
    });
    await Promise.all(appends);
    await recorder.close();
    await held.release();
  }
}

const VERBS: Readonly<Record<string, () => Promise<void>>> = { lock, cycle, write };
await VERBS[verb ?? '']?.();
