import { describe, expect, test } from 'vitest';
import { type Damage, DamageLog, MAX_LISTED_FAULTS } from '../../src/rollout/damage.js';
import { recoverLine } from '../../src/rollout/recover.js';
import { verifyRollout } from '../../src/rollout/verify.js';
import { files, metaLine, readAll, tempFile } from './samples.js';

const fault = (line: number, lost = true): Damage => ({
  line,
  byteOffset: line * 2,
  kind: 'json',
  message: 'bad',
  lost,
});

describe('DamageLog', () => {
  test('lists what it was given, in order', () => {
    const log = new DamageLog();
    log.addAll([fault(1, false), fault(2, false)]);
    expect([log.list(), log.lost]).toEqual([[fault(1, false), fault(2, false)], false]);
  });

  test('counts what is over its bound, and knows of its losses', () => {
    const log = new DamageLog();
    for (let line = 1; line <= MAX_LISTED_FAULTS + 5; line += 1) log.add(fault(line, line > MAX_LISTED_FAULTS + 4));
    expect(log.list()).toHaveLength(MAX_LISTED_FAULTS + 1);
    expect(log.list().at(-1)).toEqual({
      ...fault(MAX_LISTED_FAULTS + 5),
      message: '5 more faults up to here; this one: bad',
    });
    expect(log.lost).toBe(true);
  });
});

describe('a file of nothing but faults', () => {
  test('costs a bounded list, and every fault is counted', async () => {
    const bad = MAX_LISTED_FAULTS * 2;
    const path = tempFile(`${metaLine()}\n${'x\n'.repeat(bad)}`);
    const verified = await verifyRollout(path, { files });
    expect([verified.ok, verified.lines, verified.errors.length]).toEqual([false, bad + 1, MAX_LISTED_FAULTS + 1]);
    expect(verified.errors.at(-1)?.message).toMatch(new RegExp(`^${bad - MAX_LISTED_FAULTS} more faults`));
  });

  test('is read in batches that do not grow with it', async () => {
    const { damage } = await readAll(tempFile(`${metaLine()}\n${'x\n'.repeat(40_000)}`));
    expect(damage).toHaveLength(40_000);
  });

  test('recoverLine() takes a thousand records of one line and reports the rest as lost', () => {
    const bytes = Buffer.from('{}'.repeat(1_500));
    const { values, faults } = recoverLine(bytes, 0, bytes.length, true);
    expect(values).toHaveLength(1_000);
    expect(faults.find(({ lost }) => lost)).toMatchObject({ kind: 'fused', at: 2_000 });
  });

  test.each(['x', '\u0001', '<', '}'])('recoverLine() reports a line that begins with %j', (text) => {
    const bytes = Buffer.from(text);
    expect(recoverLine(bytes, 0, bytes.length, true)).toMatchObject({
      values: [],
      faults: [{ kind: 'json', lost: true }],
    });
  });
});
