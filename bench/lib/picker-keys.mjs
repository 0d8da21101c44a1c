/**
 * Loaded before the program (`node --import`): a terminal made of two streams, on which the picker runs as it does for
 * a person. Types words, letter by letter, and measures from a key to the frame that shows what it found.
 * Writes `{keys, ms, p95Ms, worstMs}` to the file `CODICIL_BENCH_KEYS`, and ends the picker with Ctrl-C.
 *
 * A key makes two frames: one at once, with the letter, and one with the answer.
 */
import { writeFileSync } from 'node:fs';
import { PassThrough, Writable } from 'node:stream';
import { setTimeout as after } from 'node:timers/promises';

const END_OF_FRAME = '\x1b[?2026l';
const CTRL_U = '\x15';
const CTRL_C = '\x03';
/** With no frame for so long, the preview is there too. */
const QUIET_MS = 60;
const LIMIT_MS = 60_000;

const report = process.env['CODICIL_BENCH_KEYS'];
const words = JSON.parse(process.env['CODICIL_BENCH_WORDS'] ?? '[]');

const input = Object.assign(new PassThrough(), { isTTY: true, isRaw: false, setRawMode: () => input });
let frames = 0;
let text = '';
let lastAt = 0;
let onFrame = () => {};
const output = Object.assign(
  new Writable({
    write(chunk, _, done) {
      text = `${text}${chunk}`.slice(-200_000);
      if (String(chunk).includes(END_OF_FRAME)) {
        frames += 1;
        lastAt = performance.now();
        onFrame();
      }
      done();
    },
  }),
  { isTTY: true, columns: 120, rows: 40 },
);
Object.defineProperty(process, 'stdin', { value: input });
Object.defineProperty(process, 'stdout', { value: output });

async function quiet() {
  while (performance.now() - lastAt < QUIET_MS) await after(QUIET_MS / 4);
}

/** Milliseconds from the key to the second frame behind it. */
function press(key) {
  return new Promise((resolve, reject) => {
    const limit = setTimeout(() => reject(new Error(`No answer to ${JSON.stringify(key)}`)), LIMIT_MS);
    const before = frames;
    const startedAt = performance.now();
    onFrame = () => {
      if (frames < before + 2) return;
      clearTimeout(limit);
      onFrame = () => {};
      resolve(performance.now() - startedAt);
    };
    input.write(key);
  });
}

async function type() {
  while (!text.includes('index complete')) await after(QUIET_MS);
  await quiet();
  const times = [];
  for (const word of words) {
    for (const letter of word) {
      times.push(await press(letter));
      await quiet();
    }
    await press(CTRL_U);
    await quiet();
  }
  times.sort((a, b) => a - b);
  const at = (share) => times[Math.min(times.length - 1, Math.floor(times.length * share))];
  writeFileSync(report, JSON.stringify({ keys: times.length, ms: at(0.5), p95Ms: at(0.95), worstMs: times.at(-1) }));
}

type()
  .catch((error) => writeFileSync(report, JSON.stringify({ error: error.message })))
  .finally(() => input.write(CTRL_C));
