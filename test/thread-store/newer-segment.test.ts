/**
 * A revert begins a new file of the thread. An index from before it knows only the older ones.
 */
import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { parseThreadId } from '../../src/base/ids.js';
import { openHome } from '../../src/home/index.js';

const HOME = fileURLToPath(new URL('../../fixtures/codex/0.171.0/lineage/home/', import.meta.url));
const DAY = 'sessions/2026/11/30';
const THREAD = '01a229f0-2e7f-7fd2-9dab-b721d8039115';
const FIRST = `rollout-2026-11-30T00-52-16-${THREAD}`;
const FILES = [
  `${FIRST}.jsonl`,
  `${FIRST}_01a229f0-30ae-7892-b61b-9804f131f1eb.jsonl`,
  `${FIRST}_01a229f0-314b-7e72-b5ee-7b30bb21317e.jsonl`,
] as const;

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'codicil-segment-'));
  mkdirSync(path.join(folder, 'home', DAY), { recursive: true });
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const add = (name: string) => cpSync(path.join(HOME, DAY, name), path.join(folder, 'home', DAY, name));

test('open() takes a segment that has come since the index was made', async () => {
  const id = parseThreadId(THREAD);
  if (id === undefined) throw new TypeError('The fixture has a thread id');
  const env = { HOME: folder, CODICIL_HOME: path.join(folder, 'own') };
  const seen: string[] = [];
  await using reader = await openHome({ at: path.join(folder, 'home'), env });
  for (const name of FILES) {
    add(name);
    await using thread = await reader.open(id);
    seen.push(path.basename(thread.path));
    await reader.list({ indexBudgetMs: Number.POSITIVE_INFINITY });
  }
  expect(seen).toEqual(FILES);
});
