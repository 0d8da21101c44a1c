import { appendFileSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readRecords } from '../../src/rollout/forward-reader.js';
import { rawFrame } from '../platform/zstd.contract.js';
import {
  allRollouts,
  FIXTURES,
  files,
  LINEAGE_HOME,
  messageLine,
  metaLine,
  readAll,
  readAllSync,
  tempFile,
  textsOf,
} from './samples.js';

const META = metaLine();
const COMPRESSED = allRollouts().find((path) => path.endsWith('.zst')) ?? '';
const GENUINE = join(
  LINEAGE_HOME,
  'sessions/2026/11/30/rollout-2026-11-30T00-52-16-01a229f0-2e7f-7fd2-9dab-b721d8039115.jsonl',
);

describe('readRecords()', () => {
  test('reads every genuine rollout without loss, and the same without awaiting', async () => {
    const dialects = new Set<unknown>();
    for (const path of allRollouts()) {
      const found = await readAll(path);
      expect(readAllSync(path)).toEqual(found);
      dialects.add(found.dialect);
      if (path.includes('samples-0.171')) continue;
      expect({ path, lost: found.damage.filter((damage) => damage.lost) }).toEqual({ path, lost: [] });
      if (path.includes('/0.8.0/')) expect(found.damage.every((damage) => damage.kind === 'fused')).toBe(true);
      else expect(found.damage).toEqual([]);
    }
    expect(dialects).toEqual(new Set(['bare', 'legacy', 'paginated']));
  });

  test('gives records whose bytes parse to the record', async () => {
    for (const path of allRollouts().filter((name) => name.includes('/0.8.0/multiturn'))) {
      const bytes = readFileSync(path);
      for (const record of (await readAll(path)).records) {
        const value = JSON.parse(bytes.toString('utf8', record.byteOffset, record.byteOffset + record.byteLength));
        expect(record.line.item.payload).toEqual(value);
      }
    }
  });

  test('reads a compressed rollout as its plain form', async () => {
    const found = await readAll(COMPRESSED);
    expect(found).toMatchObject({ dialect: 'paginated', damage: [], tornTail: false, terminated: true });
    const middle = found.records[5];
    const rest = await readAll(COMPRESSED, {
      startByteOffset: middle?.byteOffset ?? 0,
      startLineNumber: 6,
      dialect: 'paginated',
    });
    expect(rest.records).toEqual(found.records.slice(5));
    const prefix = await readAll(COMPRESSED, { endByteOffset: middle?.byteOffset ?? 0 });
    expect(prefix.records).toEqual(found.records.slice(0, 5));
  });

  test('for any cut of the tail, gives the records before the cut', async () => {
    const bytes = readFileSync(GENUINE);
    const whole = await readAll(GENUINE);
    const path = tempFile('');
    await fc.assert(
      fc.asyncProperty(fc.nat(bytes.length), async (cut) => {
        writeFileSync(path, bytes.subarray(0, cut));
        const found = await readAll(path);
        const kept = whole.records.filter((record) => record.byteOffset + record.byteLength <= cut);
        expect(found.records).toEqual(kept);
        const end = kept.at(-1);
        const ragged = cut > (end === undefined ? 0 : end.byteOffset + end.byteLength + 1);
        expect(found.tornTail).toBe(ragged);
        expect(found.damage.map((damage) => damage.kind)).toEqual(ragged ? ['torn-tail'] : []);
        expect(readAllSync(path)).toEqual(found);
        expect(await readAll(GENUINE, { endByteOffset: cut })).toEqual(found);
      }),
      { numRuns: 60 },
    );
  });

  test.each<[string, string | Buffer, string[], string[]]>([
    ['a garbage line in the middle', `${META}\nnot json\n${messageLine('a')}\n`, ['a'], ['2 json!']],
    ['CRLF', `${META}\r\n${messageLine('a')}\r\n`, ['a'], []],
    ['a byte order mark', `\ufeff${META}\n${messageLine('a')}\n`, ['a'], ['1 bom']],
    ['NULs at the end', `${META}\n${messageLine('a')}\n\0\0\0\0`, ['a'], ['3 nul']],
    ['NULs before a glued record', `${META}\n\0\0\0${messageLine('a')}\n`, ['a'], ['2 nul']],
    ['blank lines', `\n${META}\n\n  \n${messageLine('a')}\n`, ['a'], []],
    ['no line feed at the end', `${META}\n${messageLine('a')}`, ['a'], []],
    [
      'a wrong field',
      `${META}\n{"timestamp":"t","type":"response_item","payload":{"type":"message"}}\n`,
      [],
      ['2 schema!'],
    ],
    [
      'an unknown history mode',
      `${metaLine({ history_mode: 'sharded' })}\n${messageLine('a')}\n`,
      ['a'],
      ['1 history-mode'],
    ],
    ['an empty file', '', [], []],
  ])('reads %s', async (_what, content, texts, damage) => {
    const found = await readAll(tempFile(content));
    expect(textsOf(found)).toEqual(texts);
    expect(found.damage.map(({ line, kind, lost }) => `${line} ${kind}${lost ? '!' : ''}`)).toEqual(damage);
  });

  test('counts unknown types without calling them damage', async () => {
    const content = `${META}\n{"timestamp":"t","type":"new_thing","payload":{}}\n{"timestamp":"t","type":"event_msg","payload":{"type":"newer"}}\n`;
    const found = await readAll(tempFile(content));
    expect(found.unknown).toEqual([
      { line: 2, type: 'new_thing' },
      { line: 3, type: 'newer' },
    ]);
    expect(found.damage).toEqual([]);
  });

  test('gives wanted records only, glued and retried ones included', async () => {
    const other = JSON.stringify({ timestamp: 't', type: 'event_msg', payload: { type: 'token_count', info: null } });
    const content = [
      META,
      other,
      messageLine('a'),
      `${other}${messageLine('b')}`,
      `${other.slice(0, 40)}${messageLine('c')}`,
      other.slice(0, 50),
    ];
    const path = tempFile(content.join('\n'));
    const found = await readAll(path, { want: (header) => header.type === 'response_item' });
    expect(found.records.map((record) => record.line.item.type)).toEqual([
      'response_item',
      'response_item',
      'response_item',
    ]);
    expect(textsOf(found)).toEqual(['a', 'b', 'c']);
    expect(found).toMatchObject({ lines: 6, dialect: 'legacy', tornTail: true });
  });

  test('reads a line of 70 MB, plain and in a file that has more', async () => {
    const long = messageLine('x'.repeat(70 * 1024 * 1024));
    const path = tempFile(`${META}\n${long}\n${messageLine('after')}\n`);
    const found = await readAll(path);
    expect(textsOf(found).map((text) => text.length)).toEqual([70 * 1024 * 1024, 5]);
    expect(found.damage).toEqual([]);
    const skipped = await readAll(path, { want: (header) => header.type === 'session_meta' });
    expect(skipped).toMatchObject({ lines: 3, records: [{ lineNumber: 1 }] });
  });

  test('reports damaged compressed data and keeps what came before', async () => {
    const frame = rawFrame(Buffer.from(`${META}\n${messageLine('a')}\n`));
    const found = await readAll(tempFile(Buffer.concat([frame, Buffer.from('garbage')]), 'r.jsonl.zst'));
    expect(textsOf(found)).toEqual(['a']);
    expect(found.damage).toMatchObject([{ kind: 'zstd', lost: true, line: 2 }]);
    expect(readAllSync(tempFile(Buffer.concat([frame, Buffer.from('garbage')]), 'r.jsonl.zst'))).toEqual(found);
  });

  test('ends at the size that the file had when it was opened', async () => {
    const path = tempFile(`${META}\n`);
    const reader = readRecords(path, { files, onProgress: () => appendFileSync(path, `${messageLine('later')}\n`) });
    const records: unknown[] = [];
    for await (const batch of reader) records.push(...batch.records);
    expect(records).toHaveLength(1);
    truncateSync(path, 0);
  });

  test('rejects with the reason of the signal', async () => {
    const reason = new Error('enough');
    await expect(readAll(GENUINE, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
  });

  test('reads samples with hand-written damage as the real client counts them', async () => {
    const found = await readAll(join(FIXTURES, 'samples-0.171/paginated-torn-tail-then-resume.jsonl'));
    expect(found.damage.filter((damage) => damage.lost)).toHaveLength(1);
    expect(found.dialect).toBe('paginated');
  });
});
