/** A log that is cut anywhere in its last two records loses what was cut, and one append heals it. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { describe, expect, test } from 'vitest';
import { DIALECTS, LogFolder, readLog, said } from './logs.js';

describe.each(DIALECTS)('a torn %s log', (dialect) => {
  test('cut at every byte of its last two records: all before is there, one append heals it', async () => {
    using source = new LogFolder();
    const writer = source.create(dialect);
    await writer.append([said('kept 1'), said('kept 2'), said('cut one é😀 한'), said('cut two \u2028 😀')]);
    await writer.close();
    const bytes = readFileSync(source.log);
    const ends = [...bytes.keys()].filter((at) => bytes[at] === 10);
    const from = (ends.at(-3) ?? 0) + 1;
    expect(ends).toHaveLength(5);
    using folder = new LogFolder();
    mkdirSync(dirname(folder.log), { recursive: true });
    for (let cut = from; cut <= bytes.length; cut += 1) {
      writeFileSync(folder.log, bytes.subarray(0, cut));
      // A record that lacks nothing but its line feed is whole.
      const whole = ends.filter((end) => end <= cut).length - 1;
      const recorder = await folder.resume();
      await recorder.append([said('new')]);
      await recorder.close();
      const after = readFileSync(folder.log);
      expect(after.subarray(0, cut).equals(bytes.subarray(0, cut)), `cut at ${cut}`).toBe(true);
      // Whatever readers can recover of glued records: the torn line has a line feed of its own, and so has the new one.
      const added = after.subarray(cut).toString();
      expect(added.startsWith('\n'), `cut at ${cut}`).toBe(bytes[cut - 1] !== 10);
      expect(JSON.parse(added)).toMatchObject({ payload: { content: [{ text: 'new' }] } });
      const { texts, ordinals, lost } = await readLog(folder.log);
      const kept = ['kept 1', 'kept 2', 'cut one é😀 한', 'cut two \u2028 😀'].slice(0, whole);
      expect(texts, `cut at ${cut}`).toEqual([...kept, 'new']);
      const atLineStart = ends.includes(cut - 1) || ends.includes(cut);
      expect(lost > 0, `cut at ${cut}`).toBe(!atLineStart);
      expect(ordinals).toEqual([...Array(whole + 2).keys()].map((at) => (dialect === 'legacy' ? undefined : at)));
      // What comes later finds nothing left to repair.
      const again = await folder.resume();
      await again.append([said('newer')]);
      await again.close();
      const last = readFileSync(folder.log).subarray(after.length).toString();
      expect(JSON.parse(last)).toMatchObject({ payload: { content: [{ text: 'newer' }] } });
    }
  }, 120_000);
});
