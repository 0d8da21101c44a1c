/**
 * `codicil show --follow`: what is there, then what is appended, until the run is interrupted or nobody reads it.
 *
 * Looks when the folder of the log changes, and from time to time in any case: not every file system tells. Never ends
 * because a log was moved, compressed, reverted or rewritten; each is said on stderr.
 */
import path from 'node:path';
import type { FollowLook, ThreadPart, ThreadReader, TurnsQuery } from '../../thread-store/session-reader.js';
import { UsageError } from '../failure.js';
import type { Run } from '../run.js';
import { withRawText } from '../thread-items.js';
import type { ShowViewOptions } from '../views/show-view.js';
import { printTurnRecords } from './show-records.js';

type TurnsLook = Extract<FollowLook, { readonly turns: unknown }>;

/** Without news from the file system. */
const POLL_MS = 1_000;
/** Writers write lines one by one; what comes together is shown together. */
const SETTLE_MS = 30;
/** A log that is being moved is without a name for a moment. */
const GONE_AFTER_LOOKS = 3;

/** Never resolves: rejects when the run is interrupted or the output closed. */
export async function followThread(
  run: Run,
  reader: ThreadReader,
  { to, ...query }: Pick<TurnsQuery, 'from' | 'to' | 'last'>,
): Promise<never> {
  const { invocation, signal } = run;
  if (to !== undefined) throw new UsageError('Cannot follow up to a turn: take --turns A.. or -N..');
  const follower = reader.follow({ ...query, ...(invocation.has('all') ? { all: true } : {}) });
  const waker = new Waker(run);
  let goneLooks = 0;
  let parts: readonly ThreadPart[] = reader.parts;
  try {
    for (;;) {
      waker.watch(path.dirname(parts.at(-1)?.path ?? reader.path));
      const look = await follower.look({ signal });
      run.progress.clear();
      if (look.kind !== 'gone') {
        if (goneLooks >= GONE_AFTER_LOOKS) await run.say('The log is back.');
        goneLooks = 0;
      } else {
        goneLooks += 1;
        if (goneLooks === GONE_AFTER_LOOKS) await run.say('The log is gone; waiting for it to come back.');
      }
      if ('turns' in look) {
        parts = look.parts;
        await print(run, reader, look);
      }
      await run.output.flush();
      await waker.wait();
    }
  } finally {
    waker.stop();
  }
}

async function print(run: Run, reader: ThreadReader, look: TurnsLook): Promise<void> {
  if (look.kind === 'rewritten') await run.say('The log was rewritten; this is what it says now.');
  if (look.kind === 'reverted') await run.say('The thread was reverted, and goes on in another file.');
  else if (look.tookBack) await run.say('Turns were taken back.');
  const turns = run.invocation.has('raw') ? withRawText(reader, look.turns, run.signal) : look.turns;
  const goesOn = new Set(look.turns.flatMap((followed) => (followed.goesOn ? [followed.number] : [])));
  if (run.invocation.has('jsonl')) {
    for await (const { number, turn } of turns) await printTurnRecords(run, number, turn);
    return;
  }
  const { itemLines, threadLines, threadNotes, turnLines } = await import('../views/show-view.js');
  const { output, view } = run;
  const isWhole = look.kind === 'first' || look.kind === 'rewritten';
  if (isWhole) for (const line of threadLines(look, view)) await output.line(line);
  const options = viewOptions(run, look);
  let isFirst = look.kind === 'first';
  for await (const { number, turn } of turns) {
    if (!goesOn.has(number)) {
      // What may be added to a turn stands right below it, so that the space comes before the next one.
      if (!isFirst) await output.line('');
      for (const line of [...turnLines(number, turn, view, options)].slice(0, -1)) await output.line(line);
    } else for (const item of turn.items) for (const line of itemLines(item, view, options)) await output.line(line);
    isFirst = false;
  }
  if (isWhole) await run.say(...threadNotes(look, look.turns.length, run.wordsView, { lines: false }));
}

function viewOptions({ invocation }: Run, { parts, thread }: TurnsLook): ShowViewOptions {
  return {
    parts: parts.map((part) => part.path),
    threadId: thread.id,
    // It is being watched because it may go on.
    isIdle: false,
    full: invocation.has('tools'),
    raw: invocation.has('raw'),
  };
}

/** Waits for a change below a folder, or for the next look in any case. */
class Waker {
  readonly #run: Run;
  #folder: string | undefined;
  #stop: (() => void) | undefined;
  #changed = false;
  #wake: (() => void) | undefined;

  constructor(run: Run) {
    this.#run = run;
  }

  watch(folder: string): void {
    if (folder === this.#folder) return;
    this.#stop?.();
    this.#folder = folder;
    this.#stop = this.#run.context.watch(folder, () => {
      this.#changed = true;
      this.#wake?.();
    });
  }

  /** Resolves some milliseconds after a change. Rejects with the signal's reason. */
  async wait(): Promise<void> {
    const { context, signal } = this.#run;
    if (!this.#changed) {
      const timer = new AbortController();
      const changed = new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
      const slept = context.wait(POLL_MS, AbortSignal.any([signal, timer.signal])).catch((error: unknown) => {
        // A change came first; the timer is of no use any more.
        if (!timer.signal.aborted) throw error;
      });
      await Promise.race([changed, slept]);
      timer.abort();
      this.#wake = undefined;
      await slept;
    }
    if (this.#changed) await context.wait(SETTLE_MS, signal);
    this.#changed = false;
    signal.throwIfAborted();
  }

  stop(): void {
    this.#stop?.();
  }
}
