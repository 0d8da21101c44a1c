/**
 * What the harness writes itself is what our own decoder and our own policy take it for.
 */
import { describe, expect, test } from 'vitest';
import { projectHistory } from '../../src/projection/history.js';
import { decodeLine } from '../../src/protocol/decode-line.js';
import { isPersisted } from '../../src/protocol/persistence.js';
import { type FileModule, load, type RecordsModule, type ReleasesModule } from './modules.js';

const { TURNS, itemsOf, keptIn, newUuid, turnRecords } = await load<RecordsModule>('turns.mjs');
const { linesOf, newLogPath, sessionMeta } = await load<FileModule>('rollout-file.mjs');
const { PINNED, releaseOf } = await load<ReleasesModule>('releases.mjs');

const id = newUuid();
const records = TURNS.flatMap((turn) => turnRecords({ ...turn, threadId: id, cwd: '/p' }));

describe.each(['legacy', 'paginated'] as const)('lines of a %s log', (dialect) => {
  const lines = linesOf([sessionMeta({ id, cwd: '/p', dialect }), ...records], { dialect });
  const decoded = lines.map((line) => decodeLine(JSON.parse(line), 'envelope'));

  test('decode as records, and hold the items as the history', () => {
    expect(decoded.filter(({ kind }) => kind !== 'record')).toEqual([]);
    const history = projectHistory(decoded.flatMap((each) => (each.kind === 'record' ? [each.line] : [])));
    expect(history.items).toEqual(itemsOf(records));
  });

  test('are those that our policy writes, and no others', () => {
    const timestamp = '2026-01-02T03:04:05.000Z';
    const ours = records.map((record) => decodeLine(JSON.parse(JSON.stringify({ timestamp, ...record })), 'envelope'));
    const kept = ours.map((each) => each.kind === 'record' && isPersisted(each.line.item, dialect));
    expect(records.map((record) => keptIn(dialect, record))).toEqual(kept);
  });

  test('are numbered where the dialect numbers them', () => {
    const ordinals = lines.map((line) => (JSON.parse(line) as { ordinal?: number }).ordinal);
    expect(ordinals).toEqual(lines.map((_line, index) => (dialect === 'paginated' ? index : undefined)));
  });
});

describe('newLogPath()', () => {
  test('has no colon, and the segment after the thread', () => {
    const at = new Date(2026, 0, 2, 3, 4, 5).getTime();
    expect(newLogPath('/h', 'T', { at, segment: 'S' })).toBe(
      '/h/sessions/2026/01/02/rollout-2026-01-02T03-04-05-T_S.jsonl',
    );
  });
});

describe('releaseOf()', () => {
  test('knows the pinned releases, and of others what is true of the one before', () => {
    expect(PINNED.map(({ version }) => releaseOf(version).like)).toEqual(PINNED.map(({ version }) => version));
    expect(releaseOf('0.150.3')).toMatchObject({ version: '0.150.3', like: '0.147.0' });
    expect(() => releaseOf('latest')).toThrow(TypeError);
  });
});
