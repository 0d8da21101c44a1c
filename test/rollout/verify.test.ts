import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { UnknownTypePolicy } from '../../src/protocol/policies.js';
import { verifyRollout } from '../../src/rollout/verify.js';
import { allRollouts, files, META_ID, messageLine, metaLine, tempFile, tempFolder } from './samples.js';

const PAGINATED = metaLine({ history_mode: 'paginated' }, { ordinal: 0 });
const NAME = `rollout-2026-11-30T00-00-00-${META_ID}.jsonl`;

async function verify(content: string | Buffer, policy?: UnknownTypePolicy, name = NAME) {
  const found = await verifyRollout(tempFile(content, name), { files, ...(policy !== undefined && { policy }) });
  const errors = found.errors.map(({ line, kind, lost }) => `${line} ${kind}${lost ? '!' : ''}`);
  return { ...found, path: undefined, errors };
}

describe('verifyRollout()', () => {
  test('finds every genuine rollout sound', async () => {
    for (const path of allRollouts().filter((name) => name.includes('/codex/'))) {
      const found = await verifyRollout(path, { files });
      const kinds = new Set(found.errors.map((fault) => fault.kind));
      expect({ path, ok: found.ok, kinds: [...kinds] }).toEqual({
        path,
        ok: true,
        kinds: kinds.has('fused') ? ['fused'] : [],
      });
    }
  });

  test.each<[string, string | Buffer, string[], boolean]>([
    ['a sound file', `${PAGINATED}\n${messageLine('a', { ordinal: 1 })}\n`, [], true],
    ['a torn tail', `${PAGINATED}\n${messageLine('a', { ordinal: 1 }).slice(0, 60)}`, ['2 torn-tail!'], false],
    ['a garbage line', `${metaLine()}\nx\n`, ['2 json!'], false],
    ['fused records', `${metaLine()}${messageLine('a')}\n`, ['1 fused'], true],
    ['a byte order mark and NULs', `\ufeff${metaLine()}\n\0\0`, ['1 bom', '2 nul'], true],
    ['a bad field', `${metaLine()}\n{"timestamp":"t","type":"compacted","payload":{}}\n`, ['2 schema!'], false],
    ['deep nesting', `${metaLine()}\n${'['.repeat(2000)}\n`, ['2 too-deep!'], false],
    ['no session_meta', `${messageLine('a')}\n`, ['0 no-session-meta!'], false],
    ['an empty file', '', ['0 empty!'], false],
    ['white space and NULs only', '\n \n\0\0\0', ['0 empty!', '3 nul'], false],
    ['another id', `${metaLine({ id: '01a229f0-2e7f-7fd2-9dab-000000000000' })}\n`, ['1 id-mismatch'], true],
    ['an unknown history mode', `${metaLine({ history_mode: 'new' })}\n`, ['1 history-mode'], true],
    [
      'ordinals twice, back, missing, absent',
      [PAGINATED, ...[1, 1, 0, 5].map((ordinal) => messageLine('a', { ordinal })), messageLine('a'), ''].join('\n'),
      ['3 ordinal', '4 ordinal', '5 ordinal', '6 ordinal'],
      true,
    ],
    [
      'an unknown type with its ordinal',
      `${PAGINATED}\n{"timestamp":"t","ordinal":1,"type":"new","payload":{}}\n${messageLine('a', { ordinal: 2 })}\n`,
      [],
      true,
    ],
    ['a huge gap', `${PAGINATED}\n${messageLine('a', { ordinal: 9007199254740991 })}\n`, ['2 ordinal'], true],
  ])('judges %s', async (_what, content, errors, ok) => {
    expect(await verify(content)).toMatchObject({ errors, ok });
  });

  const unknownLine = (mark: string): string => `{"timestamp":"t","type":"new","payload":{}${mark}}`;
  const unknownItem = '{"timestamp":"t","type":"response_item","payload":{"type":"new_item"}}';
  test.each<[UnknownTypePolicy, string, boolean]>([
    ['skip-line', unknownLine(''), true],
    ['map-to-unknown', unknownLine(''), true],
    ['strict', unknownLine(''), false],
    ['refuse-unless-ignorable', unknownLine(''), false],
    ['refuse-unless-ignorable', unknownLine(',"ignorable":true'), true],
    ['strict', unknownItem, true],
    ['refuse-unless-ignorable', unknownItem, false],
  ])('under %s, %s opens: %s', async (policy, line, ok) => {
    const found = await verify(`${metaLine()}\n${line}\n`, policy);
    expect(found).toMatchObject({ ok, errors: [], unknown: [{ line: 2 }] });
  });

  test('counts lines and records and names the dialect', async () => {
    const found = await verify(`${PAGINATED}\n\n${messageLine('a', { ordinal: 1 })}\ntorn`);
    expect(found).toMatchObject({ lines: 4, records: 2, dialect: 'paginated', tornTail: true });
  });

  test('reports damaged compressed data', async () => {
    expect(await verify(Buffer.from('no zstd data'), 'skip-line', `${NAME}.zst`)).toMatchObject({
      ok: false,
      errors: ['0 zstd!', '0 no-session-meta!'],
    });
  });

  test('reports what cannot be read', async () => {
    const folder = tempFolder();
    execFileSync('mkfifo', [join(folder, 'fifo')]);
    for (const name of ['absent', 'fifo', '']) {
      expect(await verifyRollout(join(folder, name), { files })).toMatchObject({
        ok: false,
        errors: [{ kind: 'unreadable', line: 0 }],
      });
    }
  });

  test('rejects with the reason of the signal', async () => {
    const reason = Object.assign(new Error('enough'), { code: 'interrupted' });
    const path = tempFile(`${PAGINATED}\n`);
    await expect(verifyRollout(path, { files, signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
  });
});
