/**
 * What a query says beside its words: whether it asks, which dates it names, which of its words are names.
 * Marks for ranking only; nothing is left out for them. Looks at the beginning of a query, in linear time.
 */

/** UTF-16 units that are looked at. */
const LOOKED_AT = 2_000;
const LEAST_WORDS_OF_A_QUESTION = 4;

const ASKING: ReadonlySet<string> = new Set(
  'what when where who whom whose which why how is are was were do does did has have had can could will would should may might am'.split(
    ' ',
  ),
);

/** True for a query of four words or more that ends in a question mark or begins with an asking word. */
export function isQuestion(text: string): boolean {
  const words = text.slice(0, LOOKED_AT).trim().split(/\s+/);
  if (words.length < LEAST_WORDS_OF_A_QUESTION) return false;
  return text.trimEnd().endsWith('?') || ASKING.has(words[0]?.toLowerCase() ?? '');
}

/** Words that begin with a capital and not because a sentence does, in small letters. */
export function namesIn(text: string): ReadonlySet<string> {
  const names = text.slice(0, LOOKED_AT).match(/(?<=[^.?!"] )\p{Lu}\p{L}+/gu) ?? [];
  return new Set(names.map((name) => name.toLowerCase()));
}

/** Epoch milliseconds; `toMs` is exclusive. */
export interface DateRange {
  readonly fromMs: number;
  readonly toMs: number;
}

const MONTHS = [
  'january',
  'february',
  'march',
  'april',
  'may',
  'june',
  'july',
  'august',
  'september',
  'october',
  'november',
  'december',
];
/** Months that are also words: dates only behind one of `BEFORE_A_MONTH`, or beside a number. */
const DOUBTFUL_MONTHS: ReadonlySet<number> = new Set([2, 4]);
const BEFORE_A_MONTH: ReadonlySet<string> = new Set(
  'in of on since during until before after by early late last'.split(' '),
);
const ISO_DATE = /\b((?:19|20)\d\d)-(\d\d)(?:-(\d\d))?\b/;
const KOREAN_DATE = /(?<!\d)((?:19|20)\d\d)년(?: ?(\d{1,2})월(?: ?(\d{1,2})일)?)?/;

/**
 * The first date that a query names, in UTC: `5 May 2023`, `May 5, 2023`, `May 2023`, `in May`, `2023-05-05`, `2023-05`,
 * `2023년 5월 5일`, `2023`. Without a year, that of `newestMs` counts.
 */
export function dateRangeOf(text: string, newestMs: number): DateRange | undefined {
  const looked = text.slice(0, LOOKED_AT).toLowerCase();
  const digits = ISO_DATE.exec(looked) ?? KOREAN_DATE.exec(looked);
  if (digits !== null) return rangeOf(Number(digits[1]), Number(digits[2] ?? 0), Number(digits[3] ?? 0));
  const words = looked.split(/[\s,.?!;:()"]+/).filter((word) => word !== '');
  const someYear = words.map(yearOf).find((year) => year > 0);
  for (const [at, word] of words.entries()) {
    const month = MONTHS.indexOf(word);
    if (month === -1) continue;
    const before = dayOf(words[at - 1] === 'of' ? words[at - 2] : words[at - 1]);
    const after = dayOf(words[at + 1]);
    const year = yearOf(words[at + 1]) || (after > 0 ? yearOf(words[at + 2]) : 0);
    const isNamed = before > 0 || after > 0 || year > 0 || BEFORE_A_MONTH.has(words[at - 1] ?? '');
    if (DOUBTFUL_MONTHS.has(month) && !isNamed) continue;
    return rangeOf(year || (someYear ?? new Date(newestMs).getUTCFullYear()), month + 1, before || after);
  }
  return someYear === undefined ? undefined : rangeOf(someYear, 0, 0);
}

/** Month and day from 1; 0 for any. */
function rangeOf(year: number, month: number, day: number): DateRange | undefined {
  if (month === 0) return { fromMs: Date.UTC(year, 0, 1), toMs: Date.UTC(year + 1, 0, 1) };
  if (month > 12 || day > 31) return undefined;
  if (day === 0) return { fromMs: Date.UTC(year, month - 1, 1), toMs: Date.UTC(year, month, 1) };
  return { fromMs: Date.UTC(year, month - 1, day), toMs: Date.UTC(year, month - 1, day + 1) };
}

function dayOf(word: string | undefined): number {
  const day = Number(/^(\d{1,2})(?:st|nd|rd|th)?$/.exec(word ?? '')?.[1] ?? 0);
  return day >= 1 && day <= 31 ? day : 0;
}

function yearOf(word: string | undefined): number {
  return /^(?:19|20)\d\d$/.test(word ?? '') ? Number(word) : 0;
}
