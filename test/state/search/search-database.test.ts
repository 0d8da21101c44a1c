import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { hasSqliteDriver, openSqlite, type SqliteDriverName } from '../../../src/platform/sqlite/index.js';
import {
  APPLICATION_ID,
  countPlaces,
  migrationChecksum,
  type NewDocuments,
  openSearchDatabase,
  packPlaces,
  placeAt,
  type SearchDatabase,
  type SearchFile,
  type SearchIndex,
  type Watermark,
} from '../../../src/state/index.js';
import { SEARCH_MIGRATIONS } from '../../../src/state/search/migrations.js';
import { HOME, rolloutPath, START_MS, threadId, watermark } from '../records.js';

const DRIVERS = (['better-sqlite3', 'node:sqlite'] as const).filter(hasSqliteDriver);

let folder: string;
let path: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'codicil-search-'));
  path = join(folder, 'search_1.sqlite');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function file(n: number, overrides: Partial<SearchFile> = {}): SearchFile {
  return {
    path: rolloutPath(n),
    threadId: threadId(n),
    compressed: false,
    updatedAtMs: START_MS + n,
    watermark: watermark(),
    carry: '{"any":"text"}',
    ...overrides,
  };
}

/** Numbers of the documents that match. */
function match(
  index: SearchIndex,
  expression: string,
  limit: number,
  order: 'descending' | 'ascending' = 'descending',
): readonly number[] {
  return [...index.list(expression, { order, limit })];
}

function documents(texts: readonly string[], overrides: Partial<NewDocuments> = {}): NewDocuments {
  let end = 0;
  return {
    terms: Buffer.from(texts.join('')),
    ends: texts.map((text) => {
      end += Buffer.byteLength(text);
      return end;
    }),
    places: packPlaces(
      texts.map((text, at) => ({
        line: at + 1,
        byteOffset: at * 100,
        byteLength: 90,
        role: 'user',
        chars: text.length,
        atSeconds: 1_764_417_600 + at,
      })),
    ),
    texts: undefined,
    retracted: [],
    ...overrides,
  };
}

const put = (
  index: SearchIndex,
  n: number,
  texts: readonly string[],
  options: {
    readonly expected?: Watermark | null;
    readonly appended?: boolean;
    readonly retracted?: readonly number[];
  } = {},
): boolean =>
  index.putFile(file(n), documents(texts, { retracted: options.retracted ?? [] }), {
    expected: options.expected ?? null,
    appended: options.appended ?? false,
  });

/** Document numbers and lines of a file that count. */
function linesOf(index: SearchIndex, n: number): readonly number[] {
  const number = index.numberOfFile(rolloutPath(n));
  return index
    .spans()
    .filter((span) => span.file === number)
    .flatMap(({ firstDocument }) => {
      const places = index.places(firstDocument)?.places ?? new Uint8Array();
      return Array.from({ length: countPlaces(places) }, (_, at) => placeAt(places, at)?.line ?? 0);
    })
    .filter((line) => line > 0);
}

describe.each(DRIVERS)('SearchIndex with %s', (driver: SqliteDriverName) => {
  let db: SearchDatabase;
  const open = (): SearchDatabase => openSearchDatabase({ path, homePath: HOME, driver });
  beforeEach(() => {
    db = open();
  });
  afterEach(() => db.close());

  test('gives back the file that was put, and finds its documents by their terms', () => {
    expect(put(db, 1, ['alpha beta', 'beta gamma'])).toBe(true);
    expect(db.file(rolloutPath(1))).toEqual(file(1));
    expect([...db.files().values()]).toEqual([file(1)]);
    expect(db.fileByNumber(db.numberOfFile(rolloutPath(1)) ?? 0)).toEqual(file(1));
    expect([...db.stamps().keys()]).toEqual([rolloutPath(1)]);
    expect(match(db, 'beta', 10)).toEqual([2, 1]);
    expect(match(db, 'beta', 10, 'ascending')).toEqual([1, 2]);
    expect(match(db, 'beta', 1)).toEqual([2]);
    expect([...db.list('beta', { order: 'ascending', limit: 10, from: 2 })]).toEqual([2]);
    expect([...db.list('none', { order: 'ascending', limit: 10 })]).toEqual([]);
    expect([db.count('beta'), db.countTerm('beta'), db.countTerm('none'), db.countDocuments()]).toEqual([2, 2, 0, 2]);
    expect(db.termsFrom('ga', 5)).toEqual([{ term: 'gamma', documents: 1 }]);
    expect([db.file(rolloutPath(2)), db.numberOfFile(rolloutPath(2)), db.places(9)]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });

  test('keeps letters that are not ASCII as they were given', () => {
    put(db, 1, ['세션 é ss', '세션을']);
    expect(match(db, '"세션"', 10)).toEqual([1]);
    expect(db.countTerm('é')).toBe(1);
  });

  test('puts a file anew in place of what it was, and leaves no term of it', () => {
    put(db, 1, ['old only', 'both']);
    put(db, 2, ['other']);
    expect(put(db, 1, ['both new'], { expected: watermark() })).toBe(true);
    expect([match(db, 'only', 9), db.countTerm('old'), match(db, 'both', 9), db.countDocuments()]).toEqual([
      [],
      0,
      [4],
      2,
    ]);
    expect([...db.instances()].map(({ term }) => term).sort()).toEqual(['both', 'new', 'other']);
    db.check();
  });

  test('appends behind what is there, and takes documents back by their numbers in the file', () => {
    put(db, 1, ['one', 'two']);
    put(db, 2, ['between']);
    put(db, 1, ['three', 'four'], { expected: watermark(), appended: true, retracted: [1] });
    expect(match(db, 'two', 9)).toEqual([]);
    expect(linesOf(db, 1)).toEqual([1, 1, 2]);
    put(db, 1, ['five'], { expected: watermark(), appended: true, retracted: [0, 3] });
    expect([
      match(db, 'one', 9),
      match(db, 'three', 9).length,
      match(db, 'four', 9),
      match(db, 'five', 9).length,
    ]).toEqual([[], 1, [], 1]);
    expect(linesOf(db, 1)).toEqual([1, 1]);
    db.check();
    expect(db.removeFile(rolloutPath(1))).toBe(true);
    expect([...db.instances()].map(({ term }) => term)).toEqual(['between']);
    db.check();
  });

  test('appends nothing without another run, and keeps what was there', () => {
    put(db, 1, ['one']);
    put(db, 1, [], { expected: watermark(), appended: true });
    expect(db.spans()).toEqual([{ firstDocument: 1, documents: 1, file: 1 }]);
  });

  test('writes nothing for a file that another process has moved on', () => {
    const moved = watermark({ lines: 11 });
    db.putFile(file(1, { watermark: moved }), documents(['theirs']), { expected: null, appended: false });
    expect(put(db, 1, ['mine'], { expected: watermark() })).toBe(false);
    expect(put(db, 1, ['mine'])).toBe(false);
    expect([db.countTerm('mine'), db.countTerm('theirs'), db.file(rolloutPath(1))?.watermark]).toEqual([0, 1, moved]);
  });

  test('forgets a file with all that it had, once', () => {
    put(db, 1, ['one', 'two']);
    expect([db.removeFile(rolloutPath(1)), db.removeFile(rolloutPath(1))]).toEqual([true, false]);
    expect([db.spans(), db.countDocuments(), db.lastDocument(), db.stamps().size]).toEqual([[], 0, 0, 0]);
    expect([...db.instances()]).toEqual([]);
  });

  test('keeps nothing of a transaction that throws', () => {
    put(db, 1, ['one']);
    const work = (): void =>
      db.transaction(() => {
        put(db, 2, ['two']);
        db.removeFile(rolloutPath(1));
        throw new Error('Stopped');
      });
    expect(work).toThrow('Stopped');
    expect([db.countTerm('one'), db.countTerm('two'), db.stamps().size]).toEqual([1, 0, 1]);
    db.check();
  });

  test('gathers writes for many documents or for few, and finds the same', () => {
    db.gather('bulk');
    for (let n = 1; n <= 30; n += 1) put(db, n, [`common word${n}`]);
    db.gather('steady');
    db.gather('steady');
    expect([db.count('common'), db.countTerm('word7')]).toEqual([30, 1]);
    db.check();
  });

  test('shows a generation that was built only once it is flipped to, and nothing of the old one then', () => {
    put(db, 1, ['old']);
    db.putNote('rules', 'old');
    using reader = open();
    const building = db.inGeneration(db.beginGeneration());
    put(building, 2, ['new']);
    expect([reader.countTerm('old'), reader.countTerm('new'), building.countTerm('new')]).toEqual([1, 0, 1]);
    expect([reader.note('rules'), building.note('rules')]).toEqual(['old', undefined]);
    db.flipGeneration(db.currentGeneration() + 1);
    for (const index of [db, reader]) {
      expect([index.countTerm('old'), index.countTerm('new'), index.note('rules')]).toEqual([0, 1, undefined]);
      expect([...index.stamps().keys()]).toEqual([rolloutPath(2)]);
    }
    expect(tables()).toHaveLength(1);
    db.check();
  });

  test('abandons a generation without a trace', () => {
    put(db, 1, ['old']);
    const generation = db.beginGeneration();
    put(db.inGeneration(generation), 2, ['new']);
    db.abandonGeneration(generation);
    expect([db.countTerm('old'), db.stamps().size]).toEqual([1, 1]);
    expect(tables()).toHaveLength(1);
    expect(() => put(db.inGeneration(generation), 3, ['late'])).toThrow(
      expect.objectContaining({ code: 'state-generation-gone' }),
    );
  });

  test('reads on in the generation of its snapshot while another is flipped to', () => {
    put(db, 1, ['old']);
    using reader = open();
    reader.snapshot(() => {
      expect(reader.countTerm('old')).toBe(1);
      const generation = db.beginGeneration();
      put(db.inGeneration(generation), 2, ['new']);
      db.flipGeneration(generation);
      expect([reader.countTerm('old'), match(reader, 'old', 9)]).toEqual([1, [1]]);
    });
    expect([reader.countTerm('old'), reader.countTerm('new')]).toEqual([0, 1]);
  });

  test('counts for a change whatever any connection wrote', () => {
    using other = open();
    const marks = [db.changeMark()];
    put(other, 1, ['one']);
    marks.push(db.changeMark());
    put(db, 2, ['two']);
    marks.push(db.changeMark());
    db.flipGeneration(db.beginGeneration());
    marks.push(db.changeMark());
    expect(new Set(marks).size).toBe(marks.length);
    expect(db.changeMark()).toBe(marks.at(-1));
  });

  test('leaves no byte of what was deleted when it is vacuumed', () => {
    put(db, 1, ['unmistakable']);
    put(db, 2, ['kept']);
    db.removeFile(rolloutPath(1));
    db.vacuum();
    db.close();
    using raw = openSqlite({ path, applicationId: APPLICATION_ID, readOnly: true });
    const dump = raw.prepare<{ readonly block: Uint8Array }>('SELECT block FROM search_text_1_data').all();
    expect(dump.some(({ block }) => Buffer.from(block).includes('unmistakable'))).toBe(false);
  });

  test('finds, after any writes, exactly what a model finds', () => {
    const words = ['red', 'green', 'blue', 'grey', 'pink'];
    const text = fc.array(fc.constantFrom(...words), { minLength: 1, maxLength: 4 });
    const write = fc.record({
      what: fc.constantFrom('put' as const, 'append' as const, 'append' as const, 'remove' as const, 'flip' as const),
      n: fc.integer({ min: 1, max: 3 }),
      texts: fc.array(text, { maxLength: 3 }),
      take: fc.array(fc.nat(20), { maxLength: 2 }),
    });
    fc.assert(
      fc.property(fc.array(write, { maxLength: 14 }), (writes) => {
        using index = openSearchDatabase({ homePath: HOME, driver });
        let model = new Map<number, (readonly string[] | undefined)[]>();
        for (const { what, n, texts, take } of writes) {
          const had = model.get(n);
          const joined = texts.map((parts) => parts.join(' '));
          if (what === 'flip') {
            index.flipGeneration(index.beginGeneration());
            model = new Map();
          } else if (what === 'remove') {
            expect(index.removeFile(rolloutPath(n))).toBe(model.delete(n));
          } else if (what === 'append' && had !== undefined) {
            const retracted = [...new Set(take)].filter((document) => had[document] !== undefined);
            expect(put(index, n, joined, { expected: watermark(), appended: true, retracted })).toBe(true);
            for (const document of retracted) had[document] = undefined;
            had.push(...texts);
          } else {
            put(index, n, joined, { expected: had === undefined ? null : watermark() });
            model.set(n, [...texts]);
          }
        }
        const texts = [...model.values()].flat().filter((parts) => parts !== undefined);
        for (const word of words) {
          const wanted = texts.filter((parts) => parts.includes(word)).length;
          expect([index.count(word), match(index, word, 99).length, index.countTerm(word)]).toEqual([
            wanted,
            wanted,
            wanted,
          ]);
        }
        for (const [n, had] of model)
          expect(linesOf(index, n)).toHaveLength(had.filter((parts) => parts !== undefined).length);
        index.check();
      }),
      { numRuns: 60, seed: 20_261_130 },
    );
  });

  test('is set aside and made anew when it was damaged, and says so', () => {
    put(db, 1, ['one']);
    db.close();
    writeFileSync(path, 'garbage '.repeat(1_000));
    const aside: string[] = [];
    using again = openSearchDatabase({
      path,
      homePath: HOME,
      driver,
      onSetAside: ({ movedTo }) => aside.push(movedTo),
    });
    expect([again.countTerm('one'), again.memoryCause, aside]).toEqual([
      0,
      undefined,
      [expect.stringContaining('.damaged-')],
    ]);
  });

  test('notices on a check that its full text is missing', () => {
    put(db, 1, ['one']);
    db.close();
    const raw = openSqlite({ path, applicationId: APPLICATION_ID, driver });
    raw.exec('DROP TABLE search_text_1');
    raw.close();
    const aside: string[] = [];
    using again = openSearchDatabase({
      path,
      homePath: HOME,
      driver,
      check: true,
      onSetAside: ({ movedTo }) => aside.push(movedTo),
    });
    expect([again.stamps().size, aside.length]).toEqual([0, 1]);
  });

  function tables(): readonly unknown[] {
    using raw = openSqlite({ path, applicationId: APPLICATION_ID, readOnly: true, driver });
    return raw.prepare("SELECT name FROM sqlite_schema WHERE sql LIKE 'CREATE VIRTUAL TABLE%USING fts5(%'").all();
  }
});

describe('SEARCH_MIGRATIONS', () => {
  test('are the released texts', () => {
    expect(SEARCH_MIGRATIONS.map(({ version, name, sql }) => [version, name, migrationChecksum(sql)])).toEqual([
      [1, '0001_search.sql', '79d887282e5270bb9fdce044d30e7181d446bbe72d509b96a7257eee5f6a9fdd'],
    ]);
  });
});
