import { afterAll, describe, expect, test } from 'vitest';
import { indexTerms, TermIndexer } from '../../src/base/analyse/index.js';
import { DocumentIndex } from './analyse-index.js';
import { ENGLISH, IDENTIFIERS, KOREAN, OTHER_SCRIPTS } from './analyse-queries.js';

describe('a query', () => {
  const index = new DocumentIndex();
  afterAll(() => index[Symbol.dispose]());

  test.each([...KOREAN, ...OTHER_SCRIPTS, ...IDENTIFIERS, ...ENGLISH])('finds and misses: $about ($query)', (row) => {
    const documents = [...row.finds, ...row.misses];
    index.replace(documents);
    expect(index.search(row.query).map((found) => documents[found])).toEqual(row.finds);
  });
});

describe('indexTerms()', () => {
  test.each([
    ['getUserName', 'getusernam get user name'],
    ['utf8Decoder', 'utf8decoder utf8 decoder'],
    ['HTTPServer', 'httpserver http server'],
    ['URLs IDs', 'url ids'],
    ['v20 sha256 e2e 3rd 0.171.0', 'v20 sha256 sha 256 e2e 3rd 0 171 0'],
    ['aGVsbG8gd29ybGQ', 'agvsbg8gd29ybgq'],
    ["don't user's they’ll l'heure", 'dont user they l heur'],
    ['세션을 값', '세션 션을 값'],
    ['東京で', '東京 京で で'],
    ['React를', 'react 를'],
    ['\ud800x\udc00y', 'x y'],
    ['\u0301\u0301a', 'a'],
    ['', ''],
    [' .,;\u0000—', ''],
  ])('%j has the tokens %j', (text, terms) => {
    expect(indexTerms(text)).toBe(terms);
  });

  test.each([
    'city cities',
    'try tries tried trying',
    'parse parses parsed parsing',
    'control controls controlled controlling',
    'install installs installed installing',
    'queue queues queued queuing queueing',
    'embed embeds embedded embedding',
    'study studies studied studying',
    'hope hopes hoped hoping',
    'hop hops hopped hopping',
    'cache caches cached caching',
    'change changes changed changing',
    'class classes',
    'box boxes boxed boxing',
    'go goes going',
    'movie movies',
    'release releases released releasing',
    'use uses used using',
    'create creates created creating',
    'issue issues issued issuing',
    'status statuses',
    'alias aliases aliased',
    'play plays played playing',
    'show shows showed showing',
    'fix fixes fixed fixing',
    'add adds added adding',
    'miss misses missed missing',
  ])('gives one stem to %s', (forms) => {
    expect(new Set(indexTerms(forms).split(' ')).size).toBe(1);
  });

  test.each([
    'care car',
    'plane plan',
    'note not',
    'hope hop',
    'news new',
    'string str',
    'during dure',
    'evening even',
    'need ned',
    'this thi',
    'https http',
  ])('keeps apart %s', (words) => {
    expect(new Set(indexTerms(words).split(' ')).size).toBe(2);
  });

  test('keeps the beginning of a word longer than 64 characters, whatever the script', () => {
    const lengths = ['a', 'aB', 'é', 'д'].map((unit) => indexTerms(unit.repeat(1000)).length);
    expect(lengths).toEqual([64, 64, 64, 64]);
    expect(indexTerms('f'.repeat(64))).toHaveLength(64);
  });
});

describe('TermIndexer', () => {
  test('writes the tokens of several texts into one buffer, as indexTerms() has them', () => {
    const indexer = new TermIndexer();
    const texts = ['getUserName 세션을', '', 'café 🚀', 'x'.repeat(9000), '가'.repeat(9000)];
    const ends = texts.map((text) => {
      indexer.append(text);
      return indexer.sink.length;
    });
    const written = ends.map((end, index) =>
      new TextDecoder().decode(indexer.sink.bytes.slice(ends[index - 1] ?? 0, end)).trimEnd(),
    );
    expect(written).toEqual(texts.map(indexTerms));
  });
});
