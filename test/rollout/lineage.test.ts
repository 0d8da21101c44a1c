import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type FileLookup, headOfThread, type LineageFile, resolveLineage } from '../../src/rollout/lineage.js';
import { fileNameOf, parseRolloutName } from '../../src/rollout/paths.js';
import { walkRollouts } from '../../src/rollout/walk.js';
import {
  FIXTURES,
  files,
  LINEAGE_HOME,
  META_ID,
  messageLine,
  metaLine,
  readAll,
  tempFolder,
  textsOf,
} from './samples.js';

async function threadFiles(home: string): Promise<LineageFile[]> {
  const walked = await walkRollouts(home, { files });
  return walked.files.flatMap((file) => (file.name === undefined ? [] : [{ path: file.path, ...file.name }]));
}

function lookupIn(all: readonly LineageFile[]): FileLookup {
  return (id) => all.filter((file) => file.threadId === id || file.segmentId === id);
}

/** `end of the name[end offset]`, oldest first. */
async function chain(all: readonly LineageFile[], end: string) {
  const file = all.find(({ path }) =>
    fileNameOf(path)
      .replace(/\.jsonl(\.zst)?$/, '')
      .endsWith(end),
  );
  const { parts, damage } = await resolveLineage(file?.path ?? '', lookupIn(all), { files });
  return {
    parts: parts.map(({ path, endByteOffset }) => {
      const name = parseRolloutName(basename(path));
      return `${(name?.segmentId ?? name?.threadId ?? '').slice(9, 13)}${endByteOffset === null ? '' : `[${endByteOffset}]`}`;
    }),
    damage: damage.map(({ kind, lost, message }) => ({ kind, lost, message })),
  };
}

describe('resolveLineage()', () => {
  test('resolves every file of a genuine home, bases by thread id and by segment id alike', async () => {
    const all = await threadFiles(LINEAGE_HOME);
    expect(await chain(all, 'b721d8039115')).toEqual({ parts: ['2e7f'], damage: [] });
    expect(await chain(all, '9804f131f1eb')).toEqual({ parts: ['2e7f[20584]', '30ae'], damage: [] });
    expect(await chain(all, '7b30bb21317e')).toEqual({ parts: ['2e7f[9962]', '314b'], damage: [] });
    for (const { path } of all) {
      const { parts, damage } = await resolveLineage(path, lookupIn(all), { files });
      expect({ path, damage }).toEqual({ path, damage: [] });
      const ordinals: unknown[] = [];
      for (const part of parts) {
        const read = await readAll(part.path, { endByteOffset: part.endByteOffset });
        expect(read).toMatchObject({ damage: [], tornTail: false });
        ordinals.push(...read.records.map((record) => record.line.ordinal));
      }
      expect(ordinals).toEqual(ordinals.map((_, index) => index));
    }
  });

  test('resolves an archived fork and a revert of 0.162', async () => {
    const all = await threadFiles(join(FIXTURES, 'codex/0.162.1/appserver/home'));
    expect((await chain(all, '300eb883ac98')).damage).toEqual([]);
    expect(await chain(all, '8f64-cada5efa6ad7')).toEqual({ parts: ['f7fd[8718]', 'fa94'], damage: [] });
  });

  test('reads a compressed base by the offset of its plain bytes', async () => {
    const home = tempFolder();
    cpSync(LINEAGE_HOME, home, { recursive: true });
    const all = await threadFiles(home);
    const compressed = all.find(({ path }) => path.endsWith('.zst'));
    const whole = await readAll(compressed?.path ?? '');
    const third = whole.records[3];
    const history_base = {
      thread_id: compressed?.threadId,
      end_ordinal_exclusive: third?.line.ordinal,
      end_byte_offset: third?.byteOffset,
    };
    const id = '01a229f1-0000-7000-8000-000000000001';
    const path = join(home, 'sessions', `rollout-2026-11-30T00-00-00-${id}.jsonl`);
    writeFileSync(path, `${metaLine({ id, history_mode: 'paginated', history_base }, { ordinal: 3 })}\n`);
    const { parts, damage } = await resolveLineage(path, lookupIn(all), { files });
    expect(damage).toEqual([]);
    expect(parts).toEqual([
      { path: compressed?.path, endByteOffset: third?.byteOffset },
      { path, endByteOffset: null },
    ]);
  });

  test('falls back to the ordinal when the offset is wrong, and says so', async () => {
    const home = tempFolder();
    cpSync(LINEAGE_HOME, home, { recursive: true });
    const all = await threadFiles(home);
    const segment = all.find((file) => file.segmentId?.endsWith('9804f131f1eb'));
    const text = readFileSync(segment?.path ?? '', 'utf8');
    writeFileSync(segment?.path ?? '', text.replace('"end_byte_offset":20584', '"end_byte_offset":20000'));
    const found = await chain(all, '9804f131f1eb');
    expect(found.parts).toEqual(['2e7f[20584]', '30ae']);
    expect(found.damage).toMatchObject([{ kind: 'history-base', lost: false }]);
  });

  test('reports a missing base and an unreadable one, and gives what is known', async () => {
    const home = tempFolder();
    cpSync(LINEAGE_HOME, home, { recursive: true });
    const all = await threadFiles(home);
    const segment = all.filter((file) => file.segmentId?.endsWith('9804f131f1eb'));
    const base = all.filter(({ path }) => path.endsWith(`${META_ID}.jsonl`));
    expect(await chain(segment, '9804f131f1eb')).toMatchObject({
      parts: ['30ae'],
      damage: [{ kind: 'history-base', lost: true, message: expect.stringMatching(/leads back/) }],
    });
    rmSync(base[0]?.path ?? '');
    const gone = await chain([...segment, ...base], '9804f131f1eb');
    expect(gone).toMatchObject({ parts: ['30ae'], damage: [{ kind: 'history-base', lost: true }] });
    const { damage } = await resolveLineage(segment[0]?.path ?? '', () => [], { files });
    expect(damage).toMatchObject([{ message: expect.stringMatching(/is missing/) }]);
  });

  test('ends in a circle and in a chain without end', async () => {
    const home = tempFolder();
    const idOf = (index: number): string => `01a229f1-0000-7000-8000-${index.toString(16).padStart(12, '0')}`;
    const make = (index: number, base: number): LineageFile => {
      const id = idOf(index);
      const path = join(home, `rollout-2026-11-30T00-00-00-${id}.jsonl`);
      const history_base = { thread_id: idOf(base), end_ordinal_exclusive: 2, end_byte_offset: 1 };
      const meta = metaLine({ id, history_mode: 'paginated', history_base }, { ordinal: 0 });
      writeFileSync(path, `${meta}\n${messageLine('m', { ordinal: 1 })}\n`);
      return { path, threadId: id as LineageFile['threadId'] };
    };
    const circle = [make(1, 2), make(2, 3), make(3, 1)];
    const found = await resolveLineage(circle[0]?.path ?? '', lookupIn(circle), { files });
    expect(found.parts).toHaveLength(3);
    expect(found.damage.at(-1)?.message).toMatch(/leads back/);
    const long = Array.from({ length: 1010 }, (_, index) => make(index + 10, index + 11));
    const deep = await resolveLineage(long[0]?.path ?? '', lookupIn(long), { files });
    expect(deep.parts).toHaveLength(1001);
    expect(deep.damage.at(-1)?.message).toMatch(/more than 1000 files/);
  });

  test('names the texts of a fork in order', async () => {
    const all = await threadFiles(LINEAGE_HOME);
    const fork = all.find(({ path }) => path.includes('01a229f0-302c'));
    const { parts } = await resolveLineage(fork?.path ?? '', lookupIn(all), { files });
    const texts: string[] = [];
    for (const part of parts) texts.push(...textsOf(await readAll(part.path, { endByteOffset: part.endByteOffset })));
    expect(texts.length).toBeGreaterThan(4);
  });
});

describe('headOfThread()', () => {
  test('takes the newest segment, else the plain file, and the plain twin before the compressed', async () => {
    const all = await threadFiles(LINEAGE_HOME);
    const thread = all.filter((file) => file.threadId === META_ID);
    expect(headOfThread(thread)?.segmentId).toBe('01a229f0-314b-7e72-b5ee-7b30bb21317e');
    const threadId = META_ID as LineageFile['threadId'];
    const twins = [
      { path: '/a.jsonl.zst', threadId },
      { path: '/a.jsonl', threadId },
    ];
    expect(headOfThread(twins)?.path).toBe('/a.jsonl');
    expect(headOfThread([...twins].reverse())?.path).toBe('/a.jsonl');
    expect(headOfThread([])).toBeUndefined();
  });
});
