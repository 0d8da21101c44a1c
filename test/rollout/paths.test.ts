import { describe, expect, test } from 'vitest';
import {
  dateFolderOf,
  fileNameOf,
  guessStartedAtMs,
  localTimeText,
  parseRolloutName,
  renderRolloutName,
} from '../../src/rollout/paths.js';

const THREAD = '01a229f0-2e7f-7fd2-9dab-b721d8039115';
const SEGMENT = '01a229f0-30ae-7892-b61b-9804f131f1eb';
const TIME = '2026-11-30T00-52-16';

describe('parseRolloutName()', () => {
  test.each([
    [`rollout-${TIME}-${THREAD}.jsonl`, { threadId: THREAD, compressed: false }],
    [`rollout-${TIME}-${THREAD}.jsonl.zst`, { threadId: THREAD, compressed: true }],
    [`rollout-${TIME}-${THREAD}_${SEGMENT}.jsonl`, { threadId: THREAD, segmentId: SEGMENT, compressed: false }],
  ])('reads %s and renders it again', (name, parts) => {
    expect(parseRolloutName(name)).toEqual({ startedAtText: TIME, ...parts });
    expect(renderRolloutName({ startedAtText: TIME, ...parts } as never)).toBe(name);
  });

  test.each([
    'rollout.jsonl',
    `rollout-${TIME}-${THREAD}.jsonl.tmp`,
    `rollout-${TIME}-${THREAD}.json`,
    `rollout-${TIME}-${THREAD}.jsonl.decompress.1.2.tmp`,
    `rollout-2026-11-30-${THREAD}.jsonl`,
    `x-${TIME}-${THREAD}.jsonl`,
    '.DS_Store',
  ])('refuses %s', (name) => {
    expect(parseRolloutName(name)).toBeUndefined();
  });
});

describe('times in names', () => {
  test('localTimeText() and guessStartedAtMs() are inverse within a zone', () => {
    const date = new Date(2026, 0, 2, 3, 4, 5);
    expect(localTimeText(date)).toBe('2026-01-02T03-04-05');
    expect(guessStartedAtMs(localTimeText(date))).toBe(date.getTime());
  });

  test('guessStartedAtMs() knows no dates that do not exist', () => {
    expect(guessStartedAtMs('2026-02-30T00-00-00')).toBeUndefined();
    expect(guessStartedAtMs('2026-13-01T00-00-00')).toBeUndefined();
    expect(guessStartedAtMs('2026-01-01T25-00-00')).toBeUndefined();
  });

  test('dateFolderOf() takes the date of the name', () => {
    expect(dateFolderOf(TIME)).toEqual(['2026', '11', '30']);
  });

  test('fileNameOf() reads paths of both platforms', () => {
    expect([fileNameOf('/a/b.c'), fileNameOf('C:\\a\\b.c'), fileNameOf('b.c')]).toEqual(['b.c', 'b.c', 'b.c']);
  });
});
