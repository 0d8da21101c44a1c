/** Writing of one log on a disk that is full, short of words or broken, and beside others that write to it. */
import { spawnSync } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { AppendFailedError, LogChangedError, SyncFailedError } from '../../src/rollout/errors.js';
import { MAX_WAITING_CALLS, RolloutRecorder } from '../../src/rollout/recorder.js';
import { DIALECTS, type DiskFault, FaultyDisk, LogFolder, metaOf, readLog, said } from './logs.js';

describe('a write that the system refuses', () => {
  test('succeeds when the log can be written after it was opened anew', async () => {
    using folder = new LogFolder();
    const disk = new FaultyDisk();
    await using recorder = folder.create('paginated', { appendFiles: disk });
    await recorder.append([said('one')]);
    disk.writes.push('EIO');
    expect((await recorder.append([said('two')])).records).toBe(1);
    expect(await readLog(folder.log)).toMatchObject({ texts: ['one', 'two'], ordinals: [0, 1, 2], lost: 0 });
  });

  test('is told after the second try; its records are written once by the next call', async () => {
    using folder = new LogFolder();
    const disk = new FaultyDisk();
    await using recorder = folder.create('paginated', { appendFiles: disk });
    await recorder.append([said('one')]);
    disk.writes.push('ENOSPC', 'ENOSPC');
    const failure = await recorder.append([said('two'), said('three')]).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(AppendFailedError);
    expect(failure).toMatchObject({ code: 'append-failed', waiting: 2, kept: true, cause: { code: 'ENOSPC' } });
    expect((await readLog(folder.log)).texts).toEqual(['one']);
    const { byteOffset, firstLine } = await recorder.append([said('four')]);
    expect(await readLog(folder.log)).toMatchObject({
      texts: ['one', 'two', 'three', 'four'],
      ordinals: [0, 1, 2, 3, 4],
      lost: 0,
    });
    expect(folder.text().slice(byteOffset)).toContain('four');
    expect(firstLine).toBe(5);
  });

  test('leaves nothing behind that the first line could stand after', async () => {
    using folder = new LogFolder();
    const disk = new FaultyDisk();
    const recorder = folder.create('legacy', { appendFiles: disk });
    disk.writes.push(10, 'ENOSPC', 5, 'ENOSPC');
    await expect(recorder.append([said('one')])).rejects.toThrow(AppendFailedError);
    expect(statSync(folder.log).size).toBe(15);
    await recorder.close();
    expect(folder.lines().map(({ type }) => type)).toEqual(['session_meta', 'response_item']);
  });

  test('is tried again by a flush and by a close, which stays open when that fails', async () => {
    using folder = new LogFolder();
    const disk = new FaultyDisk();
    const recorder = folder.create('legacy', { appendFiles: disk });
    disk.writes.push('EIO', 'EIO', 'EIO', 'EIO', 'EIO', 'EIO');
    await expect(recorder.append([said('one')])).rejects.toThrow(AppendFailedError);
    await expect(recorder.flush()).rejects.toThrow(AppendFailedError);
    await expect(recorder.close()).rejects.toThrow(AppendFailedError);
    await recorder.close();
    expect((await readLog(folder.log)).texts).toEqual(['one']);
  });

  test('is given up by a discard', async () => {
    using folder = new LogFolder();
    const disk = new FaultyDisk();
    const recorder = folder.create('legacy', { appendFiles: disk });
    await recorder.append([said('one')]);
    disk.writes.push('EIO', 'EIO');
    await expect(recorder.append([said('two')])).rejects.toThrow(AppendFailedError);
    await recorder.discard();
    await recorder.discard();
    expect((await readLog(folder.log)).texts).toEqual(['one']);
  });

  test('keeps the records of 256 calls, and says of later ones that they were not taken', async () => {
    using folder = new LogFolder();
    const disk = new FaultyDisk();
    const recorder = folder.create('legacy', { appendFiles: disk });
    await recorder.append([said('first')]);
    for (let call = 0; call <= MAX_WAITING_CALLS; call += 1) {
      disk.writes.push('ENOSPC', 'ENOSPC');
      await expect(recorder.append([said(`call ${call}`)])).rejects.toMatchObject({ kept: call < MAX_WAITING_CALLS });
    }
    await recorder.close();
    const { texts } = await readLog(folder.log);
    expect(texts).toHaveLength(1 + MAX_WAITING_CALLS);
    expect(texts.at(-1)).toBe(`call ${MAX_WAITING_CALLS - 1}`);
  });

  test('never loses what was acknowledged, never doubles or reorders, whatever the disk does', async () => {
    const fault: fc.Arbitrary<DiskFault> = fc.oneof(fc.constantFrom('EIO', 'ENOSPC'), fc.integer({ min: 1, max: 400 }));
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...DIALECTS),
        fc.array(fc.tuple(fc.array(fault, { maxLength: 5 }), fc.integer({ min: 1, max: 4 })), { maxLength: 8 }),
        async (dialect, calls) => {
          using folder = new LogFolder();
          const disk = new FaultyDisk();
          const recorder = folder.create(dialect, { appendFiles: disk });
          const given: string[] = [];
          for (const [faults, count] of calls) {
            disk.writes.splice(0, disk.writes.length, ...faults);
            const texts = Array.from({ length: count }, (_, index) => `item ${given.length + index}`);
            given.push(...texts);
            const acknowledged = await recorder.append(texts.map(said)).then(
              () => true,
              () => false,
            );
            if (acknowledged) expect((await readLog(folder.log)).texts).toEqual(given);
          }
          disk.writes.splice(0);
          await recorder.close();
          if (given.length === 0) return;
          const { texts, ordinals, types, lost } = await readLog(folder.log);
          expect(texts).toEqual(given);
          expect(types[0]).toBe('session_meta');
          expect(lost).toBe(0);
          if (dialect === 'paginated') expect(ordinals).toEqual(ordinals.map((_, index) => index));
        },
      ),
      { numRuns: 60, seed: 20_261_201 },
    );
  });

  test('is clear about a disk that is really full: nothing acknowledged is lost, and it goes on when there is room', async () => {
    using folder = new LogFolder();
    const mount = join(folder.path, 'small');
    mkdirSync(mount);
    // Only root may mount; elsewhere the tests above stand for it.
    if (spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', mount]).status !== 0) return;
    try {
      const path = join(mount, 'rollout.jsonl');
      writeFileSync(join(mount, 'ballast'), 'x'.repeat(30_000));
      const recorder = RolloutRecorder.create({
        path,
        meta: metaOf('paginated'),
        dialect: 'paginated',
        nowMs: () => 0,
      });
      let acknowledged = 0;
      let failure: unknown;
      while (failure === undefined && acknowledged < 1_000) {
        await recorder.append([said(`item ${acknowledged}`)]).then(
          () => {
            acknowledged += 1;
          },
          (error: unknown) => {
            failure = error;
          },
        );
      }
      expect(failure).toMatchObject({ code: 'append-failed', cause: { code: 'ENOSPC' } });
      expect(acknowledged).toBeGreaterThan(20);
      expect((await readLog(path)).texts.slice(0, acknowledged)).toHaveLength(acknowledged);
      rmSync(join(mount, 'ballast'));
      await recorder.close();
      const { texts, lost } = await readLog(path);
      expect(texts).toEqual(Array.from({ length: acknowledged + 1 }, (_, index) => `item ${index}`));
      expect(lost).toBe(0);
    } finally {
      spawnSync('umount', [mount]);
    }
  });
});

describe('a place that cannot be written', () => {
  test('is told with the errno: a folder that takes no file, a log that may not be opened', async () => {
    using folder = new LogFolder();
    const disk = new FaultyDisk();
    const recorder = folder.create('legacy', { appendFiles: disk });
    disk.opens.push('EACCES', 'EACCES');
    await expect(recorder.append([said('one')])).rejects.toMatchObject({
      code: 'append-failed',
      cause: { code: 'EACCES' },
      path: folder.log,
    });
    await recorder.close();
    disk.opens.push('EROFS');
    await expect(folder.resume({ appendFiles: disk })).rejects.toMatchObject({ code: 'EROFS' });
    expect((await readLog(folder.log)).texts).toEqual(['one']);
  });

  test('a read-only home is refused by the system itself', async () => {
    using folder = new LogFolder();
    if (process.getuid?.() === 0) return;
    chmodSync(folder.path, 0o500);
    const recorder = folder.create();
    await expect(recorder.append([said('one')])).rejects.toMatchObject({ cause: { code: 'EACCES' } });
    await recorder.discard();
    chmodSync(folder.path, 0o700);
  });

  test('a folder that vanished takes the log with it: that is said at once and ever after', async () => {
    using folder = new LogFolder();
    const recorder = folder.create();
    await recorder.append([said('one')]);
    rmSync(dirname(folder.log), { recursive: true });
    for (const text of ['two', 'three']) {
      await expect(recorder.append([said(text)])).rejects.toMatchObject({
        code: 'log-changed',
        foundBytes: undefined,
        message: expect.stringMatching(/it is gone/),
      });
    }
    expect(existsSync(dirname(folder.log))).toBe(false);
    await recorder.discard();
  });
});

describe('a log that somebody else changed', () => {
  test('is not written behind unseen: the call is refused, the change is told, the next call goes on behind it', async () => {
    using folder = new LogFolder();
    const told: LogChangedError[] = [];
    await using recorder = folder.create('paginated', { onLogChanged: (error) => told.push(error) });
    await recorder.append([said('one')]);
    const foreign = { timestamp: 'x', ordinal: 2, type: 'response_item', payload: said('foreign').payload };
    const before = statSync(folder.log).size;
    appendFileSync(folder.log, `${JSON.stringify(foreign)}\n{"timestamp":"torn`);
    await expect(recorder.append([said('two')])).rejects.toThrow(LogChangedError);
    expect(told.map(({ expectedBytes, foundBytes }) => [expectedBytes, foundBytes])).toEqual([
      [before, statSync(folder.log).size],
    ]);
    await recorder.append([said('three')]);
    expect(await readLog(folder.log)).toMatchObject({ texts: ['one', 'foreign', 'three'], ordinals: [0, 1, 2, 3] });
  });

  test('is noticed when it became shorter, and when another file took its place', async () => {
    using folder = new LogFolder();
    await using recorder = folder.create();
    await recorder.append([said('one'), said('two')]);
    truncateSync(folder.log, folder.text().indexOf('\n', folder.text().indexOf('one')) + 1);
    await expect(recorder.append([said('three')])).rejects.toThrow(LogChangedError);
    await recorder.append([said('four')]);
    expect((await readLog(folder.log)).texts).toEqual(['one', 'four']);
    writeFileSync(`${folder.log}.new`, readFileSync(folder.log));
    renameSync(`${folder.log}.new`, folder.log);
    await expect(recorder.append([said('five')])).rejects.toThrow(LogChangedError);
    await recorder.append([said('six')]);
    expect((await readLog(folder.log)).texts).toEqual(['one', 'four', 'six']);
  });

  test('is gone on with in the dialect that it was rewritten in', async () => {
    using folder = new LogFolder();
    await using recorder = folder.create('legacy');
    await recorder.append([said('one')]);
    using other = new LogFolder();
    const rewritten = other.create('paginated');
    await rewritten.append([said('one'), said('more')]);
    await rewritten.close();
    writeFileSync(folder.log, other.text());
    await expect(recorder.append([said('two')])).rejects.toThrow(LogChangedError);
    await recorder.append([said('three')]);
    expect((await readLog(folder.log)).ordinals).toEqual([0, 1, 2, 3]);
  });

  test('stays refused while a release without ordinals has the last word in a paginated log', async () => {
    using folder = new LogFolder();
    const recorder = folder.create('paginated');
    await recorder.append([said('one')]);
    appendFileSync(
      folder.log,
      `${JSON.stringify({ timestamp: 'x', type: 'response_item', payload: said('old').payload })}\n`,
    );
    const before = folder.text();
    await expect(recorder.append([said('two')])).rejects.toMatchObject({ code: 'log-changed' });
    await expect(recorder.append([said('two')])).rejects.toMatchObject({ code: 'damaged' });
    expect(folder.text()).toBe(before);
    await recorder.discard();
  });
});

describe('durability "synced"', () => {
  test('acknowledges after the sync that covers the write, one for all that wait', async () => {
    using folder = new LogFolder();
    const disk = new FaultyDisk();
    await using recorder = folder.create('legacy', { appendFiles: disk, durability: 'synced' });
    let release = (): void => undefined;
    let syncing = (): void => undefined;
    const began = new Promise<void>((resolve) => {
      syncing = resolve;
    });
    disk.beforeSync = () => {
      syncing();
      return new Promise((resolve) => {
        release = resolve;
      });
    };
    const done: string[] = [];
    const first = recorder.append([said('one')]).then(() => done.push('one'));
    await began;
    const later = Array.from({ length: 40 }, (_, index) =>
      recorder.append([said(`later ${index}`)]).then(() => done.push(`later ${index}`)),
    );
    expect(done).toEqual([]);
    // Written already: what waits is the power cut.
    expect((await readLog(folder.log)).texts).toHaveLength(41);
    disk.beforeSync = async () => undefined;
    release();
    await Promise.all([first, ...later]);
    expect(done[0]).toBe('one');
    expect(disk.synced).toBe(2);
  });

  test('keeps the order of 2,000 calls at once, of which at most 256 wait for a sync', async () => {
    using folder = new LogFolder();
    const disk = new FaultyDisk();
    await using recorder = folder.create('paginated', { appendFiles: disk, durability: 'synced' });
    await recorder.persist();
    let most = 0;
    let covered = disk.written;
    disk.beforeSync = async () => {
      most = Math.max(most, disk.written - covered);
      covered = disk.written;
    };
    const texts = Array.from({ length: 2_000 }, (_, index) => `item ${index}`);
    await Promise.all(texts.map((text) => recorder.append([said(text)])));
    expect(await readLog(folder.log)).toMatchObject({ texts, lost: 0 });
    expect(most).toBe(256);
    expect(disk.synced).toBeLessThan(20);
  });

  test('acknowledges nothing after a sync failed, and remembers it', async () => {
    using folder = new LogFolder();
    const disk = new FaultyDisk();
    const recorder = folder.create('legacy', { appendFiles: disk, durability: 'synced' });
    await recorder.append([said('one')]);
    disk.syncs.push('EIO');
    const both = await Promise.allSettled([recorder.append([said('two')]), recorder.append([said('three')])]);
    for (const result of both) expect(result).toMatchObject({ status: 'rejected', reason: { code: 'sync-failed' } });
    await expect(recorder.append([said('four')])).rejects.toThrow(SyncFailedError);
    await expect(recorder.close()).rejects.toThrow(SyncFailedError);
    await recorder.discard();
    const again = await folder.resume();
    await again.append([said('five')]);
    await again.close();
    expect((await readLog(folder.log)).texts).toEqual(['one', 'two', 'three', 'five']);
  });

  test('a flush syncs what was only written', async () => {
    using folder = new LogFolder();
    const disk = new FaultyDisk();
    await using recorder = folder.create('legacy', { appendFiles: disk });
    await recorder.append([said('one')]);
    expect(disk.synced).toBe(0);
    await recorder.flush();
    expect(disk.synced).toBe(1);
    disk.syncs.push('EIO');
    await expect(recorder.flush()).rejects.toThrow(SyncFailedError);
    await recorder.discard();
  });
});
