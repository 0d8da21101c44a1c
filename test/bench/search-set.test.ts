/**
 * The synthetic set that `bench:search` asks: the same bytes from the same seed, evidence that is there, questions that
 * a plain keyword match does not answer well, and figures that are what they say.
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

const ROOT = path.resolve(import.meta.dirname, '../..');

interface Turn {
  readonly speaker: string;
  readonly dia_id: string;
  readonly text: string;
}
interface Question {
  readonly text: string;
  readonly category: number;
  readonly language: string;
  readonly goldTurns: readonly string[];
  readonly goldSessions: readonly string[];
}
interface Conversation {
  readonly language: string;
  readonly qa: readonly {
    readonly question: string;
    readonly evidence: readonly string[];
    readonly category: number;
  }[];
}
type Named = readonly { readonly name: string; readonly conversation: Conversation }[];
interface Answer {
  readonly category: number;
  readonly language: string;
  readonly half: string;
  readonly goldSessions: readonly string[];
  readonly goldTurns: readonly string[];
  readonly sessions?: readonly (string | undefined)[];
  readonly turns?: readonly (string | undefined)[];
}
interface Figures {
  readonly questions: number;
  readonly sessions?: {
    readonly recall: Readonly<Record<number, number>>;
    readonly hit: Readonly<Record<number, number>>;
    readonly mrr: number;
  };
  readonly turns?: { readonly recall: Readonly<Record<number, number>> };
}
interface Summary extends Figures {
  readonly byCategory: Readonly<Record<string, Figures>>;
  readonly byLanguage: Readonly<Record<string, Figures>>;
  readonly byHalf: Readonly<Record<string, Figures>>;
}
/** What of the bench's own modules is tested; they are plain JavaScript. */
interface Modules {
  readonly makeSet: (seed?: number) => Named;
  readonly sessionsOf: (conversation: Conversation) => readonly {
    readonly number: string;
    readonly atMs: number;
    readonly turns: readonly Turn[];
  }[];
  readonly questionsOf: (conversation: Conversation) => readonly Question[];
  readonly keywordMatch: (conversation: Conversation) => readonly Pick<Answer, 'sessions' | 'turns'>[];
  readonly summarise: (answers: readonly Answer[]) => Summary;
  readonly missed: (summary: Summary, bars: Readonly<Record<string, number>>) => readonly string[];
  readonly withSearchResults: (before: string, results: readonly object[]) => string;
  readonly fill: (template: string, values: Readonly<Record<string, string>>) => string;
}

async function benchModules(): Promise<Modules> {
  const files = ['make-set', 'conversations', 'keyword-match', 'metrics', 'phrase'].map((name) => `search/${name}.mjs`);
  const loaded = await Promise.all(
    [...files, 'lib/results.mjs'].map((file) => import(new URL(`../../bench/${file}`, import.meta.url).href)),
  );
  return Object.assign({}, ...loaded);
}

let bench: Modules;
let set: Named;
let temp: string;
beforeAll(async () => {
  bench = await benchModules();
  set = bench.makeSet();
  temp = mkdtempSync(path.join(tmpdir(), 'codicil-bench-search-'));
});
afterAll(() => rmSync(temp, { recursive: true, force: true }));

describe('makeSet()', () => {
  test('makes the bytes that are pinned, in this process and by its command', () => {
    const digest = createHash('sha256');
    for (const { name, conversation } of set) digest.update(`${name}\n${JSON.stringify(conversation)}\n`);
    expect(digest.digest('hex')).toBe('c12b2d47528cc6d509642b02e467ff922a3a0d7c8e29a0efec493c96c9fb8609');
    const script = path.join(ROOT, 'bench/search/make-set.mjs');
    const run = spawnSync(process.execPath, [script, '--out', path.join(temp, 'made')], { encoding: 'utf8' });
    expect(run.stderr).toBe('');
    const written = readdirSync(path.join(temp, 'made'))
      .sort()
      .map((name) => ({ name, conversation: JSON.parse(readFileSync(path.join(temp, 'made', name), 'utf8')) }));
    expect(written).toEqual(set);
  });

  test('makes other conversations from another seed', () => {
    expect(bench.makeSet(2)).not.toEqual(set);
  });

  test('asks 500 questions of five categories, a third of them Korean', () => {
    const questions = set.flatMap(({ conversation }) => bench.questionsOf(conversation));
    const count = (keyOf: (question: Question) => string | number): Record<string, number> =>
      questions.reduce<Record<string, number>>(
        (sums, question) => Object.assign(sums, { [keyOf(question)]: (sums[keyOf(question)] ?? 0) + 1 }),
        {},
      );
    expect(questions.length).toBe(500);
    expect(count(({ language }) => language)).toEqual({ en: 264, ko: 168, mixed: 68 });
    expect(count(({ category }) => category)).toEqual({ 1: 78, 2: 108, 3: 33, 4: 186, 5: 95 });
  });

  test('names evidence that is a turn, and asks no question twice', () => {
    for (const { conversation } of set) {
      const turns = new Set(bench.sessionsOf(conversation).flatMap((session) => session.turns.map((t) => t.dia_id)));
      const questions = bench.questionsOf(conversation);
      expect(questions.flatMap(({ goldTurns }) => goldTurns.filter((turn) => !turns.has(turn)))).toEqual([]);
      expect(new Set(questions.map(({ text }) => text)).size).toBe(questions.length);
    }
  });

  test('leaves a third and more of its questions to those who look further than the words', () => {
    const answers = set.flatMap(({ conversation }) => {
      const found = bench.keywordMatch(conversation);
      return bench.questionsOf(conversation).map((question, at) => ({ ...question, ...found[at]!, half: 'all' }));
    });
    const { sessions, turns } = bench.summarise(answers);
    expect(sessions!.hit[1]).toBeLessThan(66);
    expect(turns!.recall[10]).toBeLessThan(50);
    // Nor is it out of reach.
    expect(sessions!.recall[10]).toBeGreaterThan(50);
  });
});

describe('fill()', () => {
  test.each([
    ['{x:을/를} 봤다', '세션', '세션을 봤다'],
    ['{x:을/를} 봤다', '나무', '나무를 봤다'],
    ['{x:으로/로} 갔다', '서울', '서울로 갔다'],
    ['{x:으로/로} 갔다', '부산', '부산으로 갔다'],
    ['{x:이/가} 왔다', '『아홉 번의 겨울』', '『아홉 번의 겨울』이 왔다'],
    ['{x:이/가} 왔다', 'Marek', 'Marek이 왔다'],
    ['{x:은/는} 왔다', 'Sena', 'Sena는 왔다'],
    ['so {x} it is', 'tea', 'So tea it is'],
  ])('%s with %s is %s', (template, x, expected) => {
    expect(bench.fill(template, { x })).toBe(expected);
  });
});

describe('summarise()', () => {
  const ANSWERS: readonly Answer[] = [
    // Both sessions found, first and third; one of two turns at rank 2, the other at rank 7.
    {
      category: 1,
      language: 'en',
      half: 'first',
      goldSessions: ['4', '9'],
      goldTurns: ['D4:1', 'D9:2'],
      sessions: ['4', '1', '9'],
      turns: ['D1:1', 'D4:1', 'D1:2', 'D1:3', 'D1:4', 'D1:5', 'D9:2'],
    },
    // Found second, the turn sixth.
    {
      category: 4,
      language: 'ko',
      half: 'second',
      goldSessions: ['2'],
      goldTurns: ['D2:3'],
      sessions: ['7', '2'],
      turns: ['D7:1', 'D7:2', 'D7:3', 'D7:4', 'D7:5', 'D2:3'],
    },
    // Not found at all.
    {
      category: 4,
      language: 'ko',
      half: 'second',
      goldSessions: ['3'],
      goldTurns: ['D3:1'],
      sessions: [],
      turns: ['D9:9'],
    },
  ];

  test('gives the means by hand, of all and of each group', () => {
    const summary = bench.summarise(ANSWERS);
    expect(summary.sessions).toEqual({
      recall: { 1: 16.7, 5: 66.7, 10: 66.7, 25: 66.7 },
      hit: { 1: 33.3, 5: 66.7, 10: 66.7, 25: 66.7 },
      mrr: 0.5,
    });
    expect(summary.turns).toEqual({ recall: { 1: 0, 5: 16.7, 10: 66.7, 25: 66.7 } });
    expect(Object.keys(summary.byCategory)).toEqual(['multi-hop', 'single-hop']);
    expect(summary.byCategory['single-hop']).toMatchObject({ questions: 2, sessions: { mrr: 0.25 } });
    expect(summary.byLanguage['en']).toMatchObject({
      questions: 1,
      turns: { recall: { 1: 0, 5: 50, 10: 100, 25: 100 } },
    });
    expect(summary.byHalf['second']).toMatchObject({
      questions: 2,
      sessions: { recall: { 1: 0, 5: 50, 10: 50, 25: 50 } },
    });
  });

  test('leaves out what was not asked for, and missed() does not judge it', () => {
    const summary = bench.summarise(ANSWERS.map(({ turns: _, ...answer }) => answer));
    expect(summary.turns).toBeUndefined();
    expect(bench.missed(summary, { 'turns-r10': 99 })).toEqual([]);
  });

  test('missed() allows each half two points less than all, and no more', () => {
    const summary = bench.summarise(ANSWERS);
    expect(bench.missed(summary, { 'sessions-r10': 66.7 })).toEqual(['sessions-r10 (second): 50, not 64.7']);
    expect(bench.missed(summary, { 'sessions-r10': 52 })).toEqual([]);
    expect(bench.missed(summary, { 'sessions-mrr': 0.51 })).toEqual([
      'sessions-mrr (all): 0.5, not 0.51',
      'sessions-mrr (second): 0.25, not 0.49',
    ]);
  });
});

describe('withSearchResults()', () => {
  const figures = {
    questions: 3,
    sessions: { recall: { 1: 10, 5: 20, 10: 30, 25: 40 }, hit: { 1: 50 }, mrr: 0.6 },
    turns: { recall: { 5: 70, 10: 80, 25: 90 } },
  };
  const result = (set: string, ok: boolean): object => ({
    ...figures,
    set,
    ok,
    plain: figures,
    byCategory: { temporal: figures },
    byLanguage: { en: figures },
    byHalf: { first: figures },
  });

  test('adds a section, later replaces the lines of its own sets only, and leaves the rest of the file', () => {
    const first = bench.withSearchResults('# What it costs\n\nwords of a person\n', [result('one', true)]);
    const second = bench.withSearchResults(`${first}\nan end\n`, [result('two', true)]);
    const third = bench.withSearchResults(second, [result('one', false)]);
    const names = (text: string): readonly string[] =>
      [...text.matchAll(/^\| (\w+(?:, [\w ]+)?) \| 3 .*(met|missed|–)/gm)].map(([, name, bars]) => `${name}: ${bars}`);
    const linesOf = (set: string, bars: string): readonly string[] => [
      `${set}: ${bars}`,
      ...['temporal', 'first half', 'plain keyword match'].map((part) => `${set}, ${part}: –`),
    ];
    expect(names(first)).toEqual(linesOf('one', 'met'));
    expect(names(second)).toEqual([...linesOf('one', 'met'), ...linesOf('two', 'met')]);
    expect(names(third)).toEqual([...linesOf('two', 'met'), ...linesOf('one', 'missed')]);
    expect(third).toMatch(/^# What it costs\n\nwords of a person\n\n## What search finds\n/);
    expect(third).toMatch(/<!-- end of search -->\n\nan end\n$/);
    expect(third.match(/## What search finds/g)).toHaveLength(1);
  });
});

describe('bench:search', () => {
  const CONVERSATION = {
    speaker_a: 'Ida',
    speaker_b: 'Jon',
    session_1_date_time: '1:56 pm on 8 May, 2024',
    session_1: [
      { speaker: 'Ida', dia_id: 'D1:1', text: 'The heron nests behind the mill.' },
      { speaker: 'Jon', dia_id: 'D1:2', text: 'Then we should bring a ladder.' },
    ],
    session_2_date_time: '9:03 am on 2 June, 2024',
    session_2: [
      { speaker: 'Jon', dia_id: 'D2:1', text: '비가 와서 사다리를 못 썼어.' },
      { speaker: 'Ida', dia_id: 'D2:2', text: 'Next week, perhaps.', blip_caption: 'a wet umbrella' },
    ],
    qa: [
      { question: 'Where do herons nest?', evidence: ['D1:1'], category: 4 },
      { question: '사다리는 왜 못 썼나?', evidence: ['D2:1'], category: 4 },
      { question: 'Who has an umbrella?', evidence: ['D:2:02'], category: 3 },
      { question: 'What has no evidence?', evidence: [], category: 5 },
    ],
  };

  function search(...args: readonly string[]): {
    readonly status: number | null;
    readonly out: string;
    readonly err: string;
  } {
    const run = spawnSync(process.execPath, [path.join(ROOT, 'bench/search.mjs'), ...args], { encoding: 'utf8' });
    return { status: run.status, out: run.stdout, err: run.stderr };
  }

  test('asks the program, prints one line a set, and ends with 1 when a bar is missed', () => {
    const folder = mkdtempSync(path.join(temp, 'tiny-'));
    writeFileSync(path.join(folder, 'tiny.json'), JSON.stringify(CONVERSATION));
    const done = search('--set', folder, '--bars', 'sessions-hit1=100,turns-r5=100');
    expect(done.err).not.toContain('missed');
    expect(JSON.parse(done.out)).toMatchObject({
      set: 'set',
      conversations: 1,
      questions: 3,
      sessions: { hit: { 1: 100 }, mrr: 1 },
      turns: { recall: { 5: 100 } },
      ok: true,
    });
    expect(done.status).toBe(0);

    const strict = search('--set', folder, '--by', 'thread', '--text-only', '--bars', 'sessions-hit1=100');
    expect(JSON.parse(strict.out)).toMatchObject({ questions: 3, ok: false });
    expect(JSON.parse(strict.out)).not.toHaveProperty('turns');
    expect(strict.err).toContain('missed: sessions-hit1 (all): 66.7, not 100');
    expect(strict.status).toBe(1);
  });

  test('says what is wrong with its arguments and ends with 2', () => {
    expect(search('--by', 'page').status).toBe(2);
    expect(search('--bars', 'speed=3').status).toBe(2);
    expect(search('--set', path.join(temp, 'nowhere')).status).toBe(2);
  });
});
