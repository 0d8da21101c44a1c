/**
 * The rows of appending: records of an ordinary turn, one write a line, into a log on the disk of the cache folder.
 */
import { mkdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { CACHE } from './homes.mjs';
import { median, peerOf, run } from './measure.mjs';

const APPEND = fileURLToPath(new URL('./append.mjs', import.meta.url));

/** Runs the measuring process so many times; the median by lines a second. */
async function measureAppend({ runs }, ...args) {
  const folder = path.join(CACHE, 'append');
  const samples = [];
  for (let i = 0; i < runs; i++) {
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder, { recursive: true });
    const { stdout } = await run([process.execPath, APPEND, folder, ...args.map(String)]);
    samples.push(JSON.parse(stdout));
  }
  rmSync(folder, { recursive: true, force: true });
  return median(samples.sort((a, b) => a.linesPerSecond - b.linesPerSecond));
}

async function written(context) {
  const batch = await measureAppend(context, 'written', 64, 300_000);
  const single = await measureAppend(context, 'written', 1, 300_000);
  const bare = await measureAppend(context, 'bare', batch.bytesPerLine, 300_000);
  return [
    {
      value: batch.linesPerSecond,
      detail: { bytesPerLine: batch.bytesPerLine, linesPerCall: 64 },
      peer: peerOf('bare writeSync of as many bytes', bare.linesPerSecond, 'lines/s'),
    },
    {
      key: '-single',
      label: 'the same, a call for each line',
      value: single.linesPerSecond,
      must: undefined,
      aim: undefined,
    },
  ];
}

async function synced(context) {
  const { linesPerSecond, groupSize, syncs } = await measureAppend(context, 'synced', 64, 20_000);
  return { value: linesPerSecond, detail: { callers: 64, groupSize, syncs } };
}

export const APPEND_ROWS = [
  {
    name: 'append-written',
    label: 'append, one write a line, handed to the system',
    unit: 'lines/s',
    must: 100_000,
    aim: 250_000,
    atLeast: true,
    measure: written,
  },
  {
    name: 'append-synced',
    label: 'append, one write a line, synced in groups of 64 callers',
    unit: 'lines/s',
    atLeast: true,
    measure: synced,
  },
];
