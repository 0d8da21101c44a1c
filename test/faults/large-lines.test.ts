/**
 * Lines and files of a size that no log should have: read in a process of their own, whose memory is bounded by what one line takes.
 */
import { closeSync, mkdirSync, openSync, writeSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { type Lab, newLab, putFile, runNode } from './lab.js';
import { assistantMessage, file, LEGACY, zstdFrame } from './logs.js';

const MIDDLE = 16;
const MEGABYTE = 1024 * 1024;
/** The program itself, its database and a window of a few megabytes. */
const BASE_RSS_MB = 250;

/** A log of which one line has `megabytes` of text, written piece by piece. */
function labWithLongLine(megabytes: number, [type, payload]: readonly [string, unknown]): Lab {
  const lab = newLab();
  const path = join(lab.home, LEGACY.path);
  mkdirSync(dirname(path), { recursive: true });
  const [head, tail] = LEGACY.line(0, type, payload).split('@');
  const handle = openSync(path, 'w');
  writeSync(handle, file(LEGACY.lines.slice(0, MIDDLE)) + head!);
  const piece = Buffer.alloc(MEGABYTE, 'x');
  for (let count = 0; count < megabytes; count += 1) writeSync(handle, piece);
  writeSync(handle, `${tail!}\n${file(LEGACY.lines.slice(MIDDLE))}`);
  closeSync(handle);
  return lab;
}

const SCRIPT = new URL('read-home.mjs', import.meta.url);

async function readHome(
  lab: Lab,
  start: readonly string[] = [fileURLToPath(SCRIPT)],
): Promise<Record<string, unknown>> {
  const { stdout, stderr, code } = await runNode([...start, lab.home, lab.user, LEGACY.id], { env: {} });
  expect([code, stderr]).toEqual([0, '']);
  return JSON.parse(stdout) as Record<string, unknown>;
}

const EVENT = ['event_msg', { type: 'agent_reasoning', text: '@' }] as const;
const MESSAGE = ['response_item', assistantMessage('@')] as const;
const ITEMS = LEGACY.items.length;
const LINES = LEGACY.lines.length;

const ROWS = [
  { what: 'an event of 70 MB', megabytes: 70, line: EVENT, more: 0, lost: false },
  { what: 'a message of 70 MB', megabytes: 70, line: MESSAGE, more: 1, lost: false },
  { what: 'an event of 200 MB', megabytes: 200, line: EVENT, more: 0, lost: false },
  { what: 'an event too long to be parsed', megabytes: 260, line: EVENT, more: 0, lost: true },
  { what: 'a message too long to be parsed', megabytes: 260, line: MESSAGE, more: 0, lost: true },
];

describe('a log with one long line', () => {
  test.each(ROWS)('$what', async ({ megabytes, line, more, lost }) => {
    const read = await readHome(labWithLongLine(megabytes, line));
    expect(read).toMatchObject({
      titles: ['first prompt'],
      state: 'complete',
      verified: [{ faults: lost ? [`json@${MIDDLE + 1}!`] : [], records: lost ? LINES : LINES + 1, ok: !lost }],
      historyItems: ITEMS + more,
      // A lost event is none of the history's business; a lost message is.
      historyDamage: lost && line === MESSAGE ? ['json!'] : [],
      shownErrors: lost ? 1 : 0,
    });
    if (more > 0) expect(read['longestItem']).toBeGreaterThan(megabytes * MEGABYTE);
    if (!lost) expect(read['longestText']).toBe(megabytes * MEGABYTE);
    // The bytes of the line, its text, what was parsed of it; and of a message what the script itself holds.
    expect(read['maxRssMb']).toBeLessThan(BASE_RSS_MB + (lost ? 0.6 : 6) * megabytes);
  });
});

test('a process that was started with options no worker takes reads a large home all the same', async () => {
  const start = ['--input-type=module', '--eval', `import ${JSON.stringify(SCRIPT.href)}`];
  expect(await readHome(labWithLongLine(70, EVENT), start)).toMatchObject({
    titles: ['first prompt'],
    state: 'complete',
  });
});

/** A small frame that claims 2 GB of zeros: run-length blocks of 128 KiB. */
function bomb(): Buffer {
  const blocks = 16_384;
  const bytes = Buffer.alloc(6 + blocks * 4);
  Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0x00, 0x38]).copy(bytes);
  for (let block = 0; block < blocks; block += 1) {
    bytes.writeUIntLE((block === blocks - 1 ? 1 : 0) | (1 << 1) | ((128 * 1024) << 3), 6 + block * 4, 3);
  }
  return bytes;
}

describe('a compressed file of 64 KB that expands to 2 GB', () => {
  test('alone holds no record, and is given up at a bound', async () => {
    const lab = newLab();
    putFile(lab.home, `${LEGACY.path}.zst`, bomb());
    const read = await readHome(lab);
    expect(read).toMatchObject({ titles: [], hidden: { 'no-session-meta': 1 }, historyItems: 0, state: 'complete' });
    expect(read['verified']).toEqual([
      { faults: expect.arrayContaining([expect.stringMatching(/^zstd@\d+!$/)]), records: 0, ok: false },
    ]);
    expect(read['maxRssMb']).toBeLessThan(BASE_RSS_MB);
  });

  test('behind a sound log leaves it all', async () => {
    const lab = newLab();
    putFile(lab.home, `${LEGACY.path}.zst`, Buffer.concat([zstdFrame(file(LEGACY.lines)), bomb()]));
    const read = await readHome(lab);
    expect(read).toMatchObject({
      titles: ['first prompt'],
      historyItems: ITEMS,
      historyDamage: expect.arrayContaining(['zstd!']),
      verified: [{ records: LINES, ok: false }],
    });
    expect(read['maxRssMb']).toBeLessThan(BASE_RSS_MB);
  });
});
