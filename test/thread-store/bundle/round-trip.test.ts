import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { ThreadId } from '../../../src/base/ids.js';
import { fileNameOf } from '../../../src/rollout/paths.js';
import {
  copyFixtures,
  FIXTURES,
  openReader,
  rolloutLines,
  rolloutPath,
  rolloutsBelow,
  tempFolder,
  uuid,
  writeLines,
} from '../temp-home.js';
import { bundleOf, importInto, logsOf, namesBelow, threadIds, writeBundle } from './bundle-homes.js';

/** Folders of fixtures that look like a home. */
function fixtureHomes(): readonly string[] {
  return readdirSync(join(FIXTURES, 'codex'))
    .flatMap((release) =>
      readdirSync(join(FIXTURES, 'codex', release)).map((name) => join(FIXTURES, 'codex', release, name, 'home')),
    )
    .filter((home) => rolloutsBelow(home).length > 0);
}

describe('a bundle', () => {
  test.each(fixtureHomes().map((home) => [home.slice(FIXTURES.length + 1), home]))(
    'of %s gives every log back byte for byte, and is there when it is imported again',
    async (_name, home) => {
      using folder = tempFolder();
      const [bundle, target] = [join(folder.path, 'all.codicil'), join(folder.path, 'home')];
      mkdirSync(target);
      await writeBundle(bundle, await bundleOf(home));
      const imported = await importInto(target, bundle);
      expect(new Set(imported.map(({ outcome }) => outcome))).toEqual(new Set(['imported']));
      expect(logsOf(target)).toEqual(logsOf(home));
      const again = await importInto(target, bundle);
      expect(new Set(again.map(({ outcome }) => outcome))).toEqual(new Set(['present']));
      expect(logsOf(target)).toEqual(logsOf(home));
      expect(namesBelow(target).filter((name) => name.endsWith('.tmp'))).toEqual([]);
    },
  );

  test('of every other log among the fixtures gives it back byte for byte', async () => {
    using folder = tempFolder();
    const [home, target] = [join(folder.path, 'a'), join(folder.path, 'b')];
    const used = new Set<string>();
    mkdirSync(join(home, 'archived_sessions'), { recursive: true });
    mkdirSync(target);
    for (const path of rolloutsBelow(FIXTURES)) {
      const name = fileNameOf(path);
      if (path.includes('/home/') || used.has(name)) continue;
      used.add(name);
      cpSync(path, join(home, 'archived_sessions', name));
    }
    if (used.size === 0) return;
    const bundle = join(folder.path, 'x');
    await writeBundle(bundle, await bundleOf(home));
    await importInto(target, bundle);
    expect(logsOf(target)).toEqual(logsOf(home));
  });

  test('from A to B to A is equal, names too, and nothing at A changes', async () => {
    using folder = tempFolder();
    const [a, b] = [join(folder.path, 'a'), join(folder.path, 'b')];
    copyFixtures(a, ['0.171.0/lineage', '0.171.0/appserver', '0.80.0/plain']);
    mkdirSync(b);
    const before = logsOf(a);
    await writeBundle(join(folder.path, 'ab'), await bundleOf(a));
    await importInto(b, join(folder.path, 'ab'));
    const there = await bundleOf(b);
    await writeBundle(join(folder.path, 'ba'), there);
    const back = await importInto(a, join(folder.path, 'ba'));
    expect(new Set(back.map(({ outcome }) => outcome))).toEqual(new Set(['present']));
    expect(logsOf(b)).toEqual(before);
    expect(logsOf(a)).toEqual(before);
    const names = (header: typeof there.header) => header.threads.map(({ id, name }) => [id, name?.text]).sort();
    expect(names(there.header)).toEqual(names((await bundleOf(a)).header));
    expect(names(there.header).some(([, name]) => name !== undefined)).toBe(true);
    expect(readdirSync(a)).not.toContain('imports.jsonl');
  });

  test('of one fork holds what it continues, so that it has the same history on the other side', async () => {
    using folder = tempFolder();
    const [a, b] = [join(folder.path, 'a'), join(folder.path, 'b')];
    copyFixtures(a, ['0.171.0/lineage']);
    for (const id of threadIds(a)) {
      const target = join(b, id);
      mkdirSync(target, { recursive: true });
      const bundle = join(folder.path, id);
      const prepared = await bundleOf(a, [id]);
      await writeBundle(bundle, prepared);
      expect(prepared.header.threads.filter(({ requested }) => requested).map((thread) => thread.id)).toEqual([id]);
      await importInto(target, bundle);
      const [from, to] = [openReader(a), openReader(target)];
      const [one, two] = [await (await from.open(id)).history(), await (await to.open(id)).history()];
      expect(two.items).toEqual(one.items);
      expect(two.damage).toEqual([]);
      await Promise.all([from.close(), to.close()]);
    }
  });

  test('with the same id and other bytes stays out, and nothing is changed', async () => {
    using folder = tempFolder();
    const [a, b] = [join(folder.path, 'a'), join(folder.path, 'b')];
    writeLines(rolloutPath(a, uuid(1)), rolloutLines({ says: ['one', 'two'] }));
    writeLines(rolloutPath(a, uuid(2)), rolloutLines({ id: uuid(2) }));
    writeLines(rolloutPath(b, uuid(1)), rolloutLines({ says: ['one', 'other'] }));
    const before = readFileSync(rolloutPath(b, uuid(1)));
    await writeBundle(join(folder.path, 'x'), await bundleOf(a));
    const imported = await importInto(b, join(folder.path, 'x'));
    expect(Object.fromEntries(imported.map(({ id, outcome }) => [id, outcome]))).toEqual({
      [uuid(1)]: 'conflict',
      [uuid(2)]: 'imported',
    });
    expect(imported.find(({ id }) => id === uuid(1))?.reason).toMatch(/other bytes, from byte \d+ on/);
    expect(readFileSync(rolloutPath(b, uuid(1)))).toEqual(before);
    expect(Object.keys(logsOf(b))).toHaveLength(2);
  });

  test('places nothing of a thread whose id went on here in another way', async () => {
    using folder = tempFolder();
    const [a, b] = [join(folder.path, 'a'), join(folder.path, 'b')];
    for (const home of [a, b]) writeLines(rolloutPath(home, uuid(1)), rolloutLines({}));
    writeLines(rolloutPath(a, uuid(1), { segment: uuid(8) }), rolloutLines({ says: ['here'] }));
    writeLines(rolloutPath(b, uuid(1), { segment: uuid(9) }), rolloutLines({ says: ['there'] }));
    const before = logsOf(b);
    await writeBundle(join(folder.path, 'x'), await bundleOf(a));
    const [thread] = await importInto(b, join(folder.path, 'x'));
    expect(thread).toMatchObject({ outcome: 'conflict', reason: expect.stringContaining('in another way') });
    expect(logsOf(b)).toEqual(before);
  });
});

describe('importThreads()', () => {
  test('takes a log, and a folder of logs, by the same rules', async () => {
    using folder = tempFolder();
    const [a, b] = [join(folder.path, 'a'), join(folder.path, 'b')];
    copyFixtures(a, ['0.171.0/lineage', '0.80.0/plain']);
    const [one = ''] = rolloutsBelow(a).filter((path) => path.includes('/sessions/'));
    const [single] = [join(folder.path, 'single')];
    mkdirSync(single);
    mkdirSync(b);
    writeFileSync(join(folder.path, fileNameOf(one)), readFileSync(one));
    expect(await importInto(single, join(folder.path, fileNameOf(one)))).toMatchObject([{ outcome: 'imported' }]);
    expect(Object.values(logsOf(single))).toHaveLength(1);
    await importInto(b, a);
    expect(logsOf(b)).toEqual(logsOf(a));
    expect(new Set((await importInto(b, join(a, 'sessions'))).map(({ outcome }) => outcome))).toEqual(
      new Set(['present']),
    );
  });

  test('takes a log for present that lies here archived, or compressed otherwise', async () => {
    using folder = tempFolder();
    const [a, b] = [join(folder.path, 'a'), join(folder.path, 'b')];
    writeLines(rolloutPath(a, uuid(1)), rolloutLines({}));
    writeLines(rolloutPath(b, uuid(1), { archived: true }), rolloutLines({}));
    await writeBundle(join(folder.path, 'x'), await bundleOf(a));
    expect(await importInto(b, join(folder.path, 'x'))).toMatchObject([
      { outcome: 'present', path: rolloutPath(b, uuid(1), { archived: true }) },
    ]);
    expect(Object.keys(logsOf(b))).toHaveLength(1);
  });

  test('marks what was imported, and nothing that is written after it', async () => {
    using folder = tempFolder();
    const [a, b] = [join(folder.path, 'a'), join(folder.path, 'b')];
    writeLines(rolloutPath(a, uuid(1)), rolloutLines({ says: ['from elsewhere'] }));
    mkdirSync(b);
    await writeBundle(join(folder.path, 'x'), await bundleOf(a));
    await importInto(b, join(folder.path, 'x'));
    const path = rolloutPath(b, uuid(1));
    const lines = rolloutLines({ says: ['from elsewhere', 'typed here'] });
    writeFileSync(path, `${readFileSync(path, 'utf8')}${lines[2]}\n`);
    const reader = openReader(b, { home: { path: b, kind: 'codicil', own: true } } as never);
    const thread = await reader.open(uuid(1) as ThreadId);
    const { turns } = await thread.turns();
    const told = turns.flatMap(({ items }) => items.map(({ text, origin }) => [text, origin]));
    expect(told).toEqual([
      ['from elsewhere', 'imported'],
      ['typed here', 'user'],
    ]);
    await reader.close();
  });

  test('lists a thread under the folder that stands for its own here, whatever the index knew before', async () => {
    using folder = tempFolder();
    const [a, b] = [join(folder.path, 'a'), join(folder.path, 'b')];
    writeLines(rolloutPath(a, uuid(1)), rolloutLines({ meta: { cwd: '/home/me/work/x' } }));
    mkdirSync(b);
    await writeBundle(join(folder.path, 'x'), await bundleOf(a));
    const options = { home: { path: b, kind: 'codicil', own: true }, index: join(folder.path, 'index') } as never;
    await importInto(b, join(folder.path, 'x'));
    const cwdNow = async (): Promise<unknown> => {
      const reader = openReader(b, options);
      try {
        const row = await (await reader.open(uuid(1) as ThreadId)).row();
        const [listed] = (await reader.list()).threads;
        expect(listed?.cwd).toBe(row.cwd);
        expect((await reader.list({ cwd: String(row.cwd) })).total).toBe(1);
        return row.cwd;
      } finally {
        await reader.close();
      }
    };
    expect(await cwdNow()).toBe('/home/me/work/x');
    await importInto(b, join(folder.path, 'x'), { cwd: [{ from: '/home/me', to: '/Users/me' }] });
    expect(await cwdNow()).toBe('/Users/me/work/x');
    expect(readFileSync(rolloutPath(b, uuid(1)))).toEqual(readFileSync(rolloutPath(a, uuid(1))));
    const fresh = openReader(b, options);
    expect(await fresh.rebuild({ prove: true })).toMatchObject({ equal: true });
    await fresh.close();
  });
});
