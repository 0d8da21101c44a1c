/**
 * What is left of a Korean word of a query without its particles and endings: `세션을` is searched as `세션`.
 *
 * Only queries are stemmed: a document's word is found by the syllables that it begins with. A stem that is too
 * short finds too much, so a short ending is only taken off a longer word, and where Korean lets the form of a
 * particle depend on the sound before it, that is checked: `평가` does not end in `가`, since `평` ends in a consonant.
 */

/** What a particle asks of the syllable before it. */
type Before = 'any' | 'consonant' | 'vowel' | 'vowel-or-l';

interface Ending {
  readonly text: string;
  readonly before: Before;
  /** Syllables that must be left. */
  readonly minStem: number;
}

/** Particles of one syllable that leave one: nothing else ends in them after the right sound. */
const OBJECT: readonly Ending[] = [
  { text: '을', before: 'consonant', minStem: 1 },
  { text: '를', before: 'vowel', minStem: 1 },
];

/** Longer particles: they are hardly ever part of a noun. */
const PARTICLES =
  '에서 에게 에게서 한테 한테서 께서 까지 부터 처럼 보다 마다 조차 마저 밖에 만큼 대로 이나 이랑 이든 이라도 라도 이란 이라는 라는 으로 으로서 으로써 로서 로써 에서는 에서도 에서의 에는 에도 에만 에게는 에게도 으로는 으로도 으로의 로는 로도 로의 까지는 까지도 까지의 부터는 부터의 보다는 와의 과의 와는 과는 만은 만이 만을 만으로 이며 이고 이다 입니다 입니까 인가요 이에요 예요 이었다 였다 였습니다 이었습니다 이라고 라고 이면 인데 이지만'.split(
    ' ',
  );

/** After two syllables or more. */
const SHORT: readonly Ending[] = [
  ...['은', '이', '과'].map((text): Ending => ({ text, before: 'consonant', minStem: 2 })),
  ...['는', '가', '와'].map((text): Ending => ({ text, before: 'vowel', minStem: 2 })),
  { text: '로', before: 'vowel-or-l', minStem: 2 },
  ...['의', '에', '도', '만', '들', '한', '할', '된', '될', '함', '됨', '해', '돼', '인'].map(
    (text): Ending => ({ text, before: 'any', minStem: 2 }),
  ),
];

/** Endings of verbs that are made of a noun and 하다, 되다, 시키다, and the past and polite forms of any verb. */
const VERB_ENDINGS =
  '하다 하는 하고 하기 하며 하면 하게 하지 하자 하라 하려고 하려면 하면서 하도록 하거나 하니까 하는데 하지만 한다 한다면 합니다 합니까 할까 할지 할게 했다 했고 했는데 했지만 했던 했습니다 했어 했어요 해서 해야 해요 해라 해줘 해주세요 하세요 되다 되는 되고 되기 되며 되면 되게 되지 된다 됩니다 됐다 됐고 됐습니다 됐는데 되었다 되었고 되었습니다 돼서 돼야 돼요 되어 되어야 되도록 시키다 시키는 시키고 시킨 시켰다 었다 았다 였다 었고 았고 었습니다 았습니다 습니다 었는데 았는데 었던 았던 어서 아서 어야 아야 어요 아요 으면 으며 으니까 는데 는다 지만 거나 도록 려고 려면'.split(
    ' ',
  );

const ENDINGS: ReadonlyMap<string, Ending> = new Map(
  [
    ...VERB_ENDINGS.map((text): Ending => ({ text, before: 'any', minStem: 2 })),
    ...PARTICLES.map((text): Ending => ({ text, before: soundBefore(text), minStem: 1 })),
    ...SHORT,
    ...OBJECT,
  ].map((ending) => [ending.text, ending]),
);

const LONGEST = Math.max(...[...ENDINGS.keys()].map((text) => text.length));
/** `세션들에서만은`: plural, place, and two more. */
const MAX_ENDINGS = 4;

/** The stem of a word of composed syllables; the word itself when it has no ending. Never ''. */
export function stemKorean(word: string): string {
  let stem = word;
  for (let round = 0; round < MAX_ENDINGS; round++) {
    const size = endingSize(stem);
    if (size === 0) break;
    stem = stem.slice(0, -size);
  }
  return stem;
}

/** Whether `word` is nothing but particles and endings, as the Korean part of `React를`. */
export function isKoreanEnding(word: string): boolean {
  return ENDINGS.has(word);
}

/** Syllables of the longest ending that may be taken off. */
function endingSize(word: string): number {
  for (let size = Math.min(LONGEST, word.length - 1); size > 0; size--) {
    const ending = ENDINGS.get(word.slice(-size));
    const left = word.length - size;
    if (ending !== undefined && left >= ending.minStem && fits(ending.before, word.charCodeAt(left - 1))) return size;
  }
  return 0;
}

function soundBefore(particle: string): Before {
  if (particle.startsWith('으') || particle.startsWith('과')) return 'consonant';
  if (particle.startsWith('와') || particle.startsWith('라') || particle.startsWith('였')) return 'vowel';
  return particle.startsWith('로') ? 'vowel-or-l' : 'any';
}

function fits(wanted: Before, syllable: number): boolean {
  if (wanted === 'any') return true;
  if (syllable < 0xac00 || syllable > 0xd7a3) return false;
  // Each group of 28 syllables differs in its final consonant only; the first has none, the ninth is l.
  const final = (syllable - 0xac00) % 28;
  if (wanted === 'consonant') return final !== 0;
  return final === 0 || (wanted === 'vowel-or-l' && final === 8);
}
