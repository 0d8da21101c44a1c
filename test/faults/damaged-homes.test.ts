/**
 * Damaged logs and what is left of them: one test, many rows. Each row is read as a stranger's home, by every way of reading,
 * and says how the log is damaged, what is listed, what a resume would send and what is reported as lost.
 */
import { utimesSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { SessionReader, ThreadRow } from '../../src/home/index.js';
import { type Held, heldOf } from './faults.js';
import {
  type FileContents,
  faultsOf,
  newLab,
  openForeign,
  snapshot,
  threadId,
  verifyPath,
  WHOLE_FILE_KINDS,
} from './lab.js';
import { LOGS } from './logs.js';
import { MORE } from './more-faults.js';
import { TABLE } from './table-faults.js';

const WRITTEN_AT = Date.parse('2026-11-29T23:59:00.000Z');

const ROWS = [...TABLE, ...MORE].flatMap((fault) =>
  LOGS.filter((log) => fault.only === undefined || fault.only === log.dialect).map((log) => ({
    fault,
    log,
    row: fault.row,
  })),
);

describe('a damaged home', () => {
  test.each(ROWS)('$row ($log.dialect)', async ({ fault, log }) => {
    const damaged = fault.damage(log);
    const contents: FileContents =
      typeof damaged === 'string' || damaged instanceof Uint8Array ? { [log.path]: damaged } : damaged;
    const lab = newLab(contents);
    const path = join(lab.home, Object.keys(contents)[0]!);
    for (const name of Object.keys(contents)) utimesSync(join(lab.home, name), WRITTEN_AT / 1000, WRITTEN_AT / 1000);
    const before = snapshot(lab.home);
    const held = heldOf(fault, log);
    const reader = await openForeign(lab);

    const unindexed = await readThread(reader, held);
    const listed = await readLists(reader, held, path, Object.keys(contents).length);
    const indexed = await readThread(reader, held);
    // The end of a compressed log is not known at once: until it is read, the time of the file stands for it.
    const compressed = unindexed.path.endsWith('.zst');
    if (compressed) expect(unindexed.updatedAt).toBe(new Date(WRITTEN_AT).toISOString());
    if (!held.continues) {
      expect(seenAtOnce({ ...unindexed, ...(compressed && { updatedAt: indexed.updatedAt }) })).toEqual(
        seenAtOnce(indexed),
      );
    }
    if (held.listed === true) expect(seenAtOnce(indexed)).toEqual(seenAtOnce(listed));
    await checkVerify(reader, held, path);
    expect(await reader.rebuild({ prove: true })).toMatchObject({ equal: true, differences: [] });
    expect(snapshot(lab.home)).toEqual(before);
  });
});

/** The thread by its id, with an index or without; what it shows is what it would send. */
async function readThread(reader: SessionReader, held: Held): Promise<ThreadRow> {
  await using thread = await reader.open(threadId(held.id));
  const { items } = await thread.history();
  expect(items).toEqual(held.history);
  const { parse } = await thread.turns({ all: true });
  const inLines = parse.errors.filter(({ kind }) => !WHOLE_FILE_KINDS.has(kind));
  expect(inLines.map(({ kind, line, lost }) => `${kind}@${line}${lost ? '!' : ''}`)).toEqual(
    held.verify.filter((found) => !WHOLE_FILE_KINDS.has(found.split('@')[0] as never)),
  );
  return thread.row();
}

/** The part of a row for which the beginning and the end of a file are enough. */
function seenAtOnce({
  id,
  path,
  title,
  cwd,
  source,
  modelProvider,
  cliVersion,
  createdAt,
  updatedAt,
  dialect,
}: ThreadRow) {
  return { id, path, title, cwd, source, modelProvider, cliVersion, createdAt, updatedAt, dialect };
}

async function readLists(reader: SessionReader, held: Held, path: string, fileCount: number): Promise<ThreadRow> {
  const page = await reader.list();
  const hidden = Object.values(page.hidden).reduce((sum, count) => sum + (count ?? 0), 0);
  expect(page.total + hidden).toBe(fileCount);
  expect(page.index).toEqual({ state: 'complete', indexed: fileCount, files: fileCount });
  const all = await reader.list({ all: true });
  expect(all.threads.length + (all.hidden.empty ?? 0)).toBe(fileCount);
  const [why] = await reader.why(path);
  expect(why).toMatchObject({
    path,
    id: held.id,
    title: held.title,
    hiddenReason: held.listed === true ? null : held.listed,
    dialect: held.dialect,
    ...held.row,
  });
  expect(page.threads.map((row) => row.path).includes(path)).toBe(held.listed === true);
  return why!;
}

async function checkVerify(reader: SessionReader, held: Held, path: string): Promise<void> {
  const file = await verifyPath(reader, path);
  expect(faultsOf(file)).toEqual(held.verify);
  expect(file.unknown.map(({ type, line }) => `${type}@${line}`)).toEqual(held.unknown);
  expect(file.tornTail).toBe(held.tornTail);
  expect(file.dialect).toBe(held.dialect);
  expect(file.ok).toBe(!held.verify.some((found) => found.endsWith('!')));
}
