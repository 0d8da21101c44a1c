import { describe, expect, test } from 'vitest';
import { createMatcher, parseQuery } from '../../src/base/analyse/index.js';

/** The matches as `[text]`, exact ones as `[=text]`. */
function marked(query: string, text: string): string {
  let out = '';
  let at = 0;
  for (const { start, end, exact } of createMatcher(parseQuery(query)).locate(text)) {
    out += `${text.slice(at, start)}[${exact ? '=' : ''}${text.slice(start, end)}]`;
    at = end;
  }
  return out + text.slice(at);
}

const frequencies = (query: string, text: string) => createMatcher(parseQuery(query)).frequencies(text);

describe('locate() while the last word is typed', () => {
  test.each([
    ['laten', 'high latency, late', 'high [laten]cy, late'],
    ['lat', 'Latency late', '[Lat]ency [lat]e'],
    ['high laten', 'laten highest high latency', '[laten] highest [high] [laten]cy'],
    ['refactori', 'refactor, refactoring', '[refactor], [refactoring]'],
    ['parse', 'parser parsed pars', '[parse]r [parsed] pars'],
    ['get_us', 'get_user get_name', '[get_us]er get_name'],
    ['l', 'late l', 'late [l]'],
    ['la', 'late la', 'late [la]'],
    ['late l', 'late l latency', '[late] l latency'],
    ['기', '기억을', '[기]억을'],
    ['laten ', 'latency', 'latency'],
    ['"laten"', 'latency', 'latency'],
    ['-laten', 'latency', 'latency'],
  ])('%j in %j', (query, text, expected) => {
    let out = '';
    let at = 0;
    for (const { start, end } of createMatcher(parseQuery(query, { lastWordIsOpen: true })).locate(text)) {
      out += `${text.slice(at, start)}[${text.slice(start, end)}]`;
      at = end;
    }
    expect(out + text.slice(at)).toBe(expected);
  });
});

describe('locate()', () => {
  test.each([
    ['session', 'A session, Sessions, SESSION.', 'A [=session], [Sessions], [=SESSION].'],
    ['세션', '세션을 열고 세션 닫기', '[세션]을 열고 [=세션] 닫기'],
    ['세션을', '세션을 열고 세션 닫기', '[세션]을 열고 [세션] 닫기'],
    ['데이터', '데이 이터 데이터베이스', '데이 이터 [데이터]베이스'],
    ['값', '값을 기본값 값', '[값]을 기본값 [=값]'],
    ['猫', '黒猫が', '黒[=猫]が'],
    ['復旧', 'セッションを復旧する', 'セッションを[=復旧]する'],
    ['user', 'getUserName and user', 'get[User]Name and [=user]'],
    ['getUserName', 'getUserName get_user_name getusername', '[=getUserName] [get_user_name] [=getusername]'],
    ['facts-scan.ts', 'src/facts-scan.ts:1 facts scan ts', 'src/[=facts-scan.ts]:1 [facts scan ts]'],
    ['python', 'python3', '[python]3'],
    ['"black cat"', 'a black  cat, black cats, cat black', 'a [=black  cat], [black cats], cat black'],
    ['cafe', 'café cafe', '[café] [=cafe]'],
    ['café', 'cafe\u0301 cafe', '[=cafe\u0301] [cafe]'],
    ["don't", 'I don’t', 'I [don’t]'],
    ['🚀', 'go🚀!', 'go[=🚀]!'],
    ['a b "a b"', 'a b', '[=a b]'],
    ['x -y', 'x y', '[=x] y'],
    ['"새 값"', '새 값을', '[새 값]을'],
    ['𠮷', '大𠮷野', '大[=𠮷]野'],
  ])('%s in %s', (query, text, expected) => {
    expect(marked(query, text)).toBe(expected);
  });

  test('gives offsets of the text as it is where that is not composed', () => {
    const text = '이 세션을'.normalize('NFD');
    const [match] = createMatcher(parseQuery('세션')).locate(text);
    expect(match && text.slice(match.start, match.end).normalize('NFC')).toBe('세션');
    const [one] = createMatcher(parseQuery('값')).locate('값을'.normalize('NFD'));
    expect(one).toEqual({ start: 0, end: '값'.normalize('NFD').length, term: 0, exact: false });
  });

  test('names the term by its place in the query', () => {
    const found = createMatcher(parseQuery('b -x a')).locate('a x b');
    expect(found).toEqual([
      { start: 0, end: 1, term: 2, exact: true },
      { start: 4, end: 5, term: 0, exact: true },
    ]);
  });
});

describe('frequencies()', () => {
  test('counts each term, exact ones among them', () => {
    expect(frequencies('test fox', 'test tests TESTING test')).toEqual([
      { count: 4, exact: 2 },
      { count: 0, exact: 0 },
    ]);
  });

  test('counts an occurrence once though two spellings of a term stand there', () => {
    expect(frequencies('sha256', 'sha256 SHA-256')).toEqual([{ count: 2, exact: 1 }]);
    expect(frequencies('"a a"', 'a a a')).toEqual([{ count: 1, exact: 1 }]);
  });

  test.each([
    ['"black cat"', 'black old cat'],
    ['"세션 복구"', '세션 전체 복구'],
    ['"세션 복구"', '세션 old 복구'],
    ['"東京 大阪"', '東京 名古屋 大阪'],
  ])('does not join %s over the words between in %s', (query, text) => {
    expect(frequencies(query, text)).toEqual([{ count: 0, exact: 0 }]);
  });

  test('finds a term inside the beginning of another, and after one that breaks off', () => {
    expect(frequencies('"a b c" b', 'a b c')[1]).toEqual({ count: 1, exact: 1 });
    expect(frequencies('"a b c" "b d"', 'a b d')).toEqual([
      { count: 0, exact: 0 },
      { count: 1, exact: 1 },
    ]);
  });

  test('tells whether excluded terms and phrases are there', () => {
    expect(frequencies('"b c" -d', 'a b c')).toEqual([
      { count: 1, exact: 1 },
      { count: 0, exact: 0 },
    ]);
  });
});
