import { describe, expect, test } from 'vitest';
import { calendarAge, durationText, localMinute, parseTimeOption } from '../../src/cli/local-time.js';

const NOW = Date.parse('2026-11-30T13:30:00.000Z');

describe('calendarAge()', () => {
  test.each([
    // 22:30 in Seoul: the same UTC day, but not the same local one, is what people mean by yesterday.
    ['2026-11-29T15:00:00.000Z', 'Asia/Seoul', '00:00'],
    ['2026-11-29T14:59:59.000Z', 'Asia/Seoul', 'yesterday'],
    ['2026-11-29T15:00:00.000Z', 'UTC', 'yesterday'],
    ['2026-11-30T00:10:00.000Z', 'UTC', '00:10'],
    ['2026-11-30T00:10:00.000Z', 'America/Los_Angeles', 'yesterday'],
    ['2026-11-28T23:00:00.000Z', 'UTC', '2 days ago'],
    ['2026-11-24T23:59:00.000Z', 'UTC', '6 days ago'],
    ['2026-11-23T23:59:00.000Z', 'UTC', '2026-11-23'],
    ['2027-01-01T00:00:00.000Z', 'UTC', '2027-01-01'],
    ['soon', 'UTC', 'unknown'],
  ])('%s in %s is %s', (instant, zone, age) => {
    expect(calendarAge(instant, NOW, zone)).toBe(age);
    expect(age.length).toBeLessThanOrEqual(10);
  });

  test('counts a day of 23 hours as a day', () => {
    const afterChange = Date.parse('2026-03-29T22:30:00.000Z');
    expect(calendarAge('2026-03-28T23:30:00.000Z', afterChange, 'Europe/Berlin')).toBe('yesterday');
  });
});

describe('localMinute()', () => {
  test('is the wall clock of the zone', () => {
    expect(localMinute('2026-11-29T15:04:00.000Z', 'Asia/Seoul')).toBe('2026-11-30 00:04');
    expect(localMinute('', 'UTC')).toBe('unknown time');
  });
});

describe('durationText()', () => {
  test.each([
    [0, '0 ms'],
    [999, '999 ms'],
    [59_400, '59 s'],
    [59_600, '1 min 0 s'],
    [3_600_000, '1 h 0 min'],
  ])('%i ms is %s', (ms, text) => {
    expect(durationText(ms)).toBe(text);
  });
});

describe('parseTimeOption()', () => {
  const parse = (text: string, dateEnd = false): number | undefined => parseTimeOption(text, { nowMs: NOW, dateEnd });

  test('takes spans back from now', () => {
    expect(parse('30m')).toBe(NOW - 30 * 60_000);
    expect(parse('12h')).toBe(NOW - 12 * 3_600_000);
    expect(parse('7d')).toBe(NOW - 7 * 86_400_000);
    expect(parse('2w')).toBe(NOW - 14 * 86_400_000);
  });

  test('takes a date as its first local moment, or the first one after it', () => {
    expect(parse('2026-11-29')).toBe(new Date(2026, 10, 29).getTime());
    expect(parse('2026-11-29', true)).toBe(new Date(2026, 10, 30).getTime());
  });

  test('takes an ISO instant', () => {
    expect(parse('2026-11-29T15:00:00+09:00')).toBe(Date.parse('2026-11-29T06:00:00Z'));
  });

  test.each(['', 'soon', '7', '7y', '-7d', '2026-02-30', '2026-13-01', '2026', '2026-11-29T99:00', '11/29/2026'])(
    'takes no "%s"',
    (text) => {
      expect(parse(text)).toBeUndefined();
    },
  );
});
