/**
 * What the cost of a search is measured with: words drawn as the generated homes draw theirs, so that some are in half
 * of all messages and some in a handful. Needs the seed that the home was made with.
 */
import { makeRandom } from './random.mjs';
import { makeVocabulary } from './vocabulary.mjs';

const QUERIES = 12;

/** `{words, pairs, korean}`, each a list of queries. */
export function drawQueries(seed) {
  const vocabulary = makeVocabulary(seed);
  const random = makeRandom(seed, 0x71756572);
  const distinct = (draw) => {
    const drawn = new Set();
    while (drawn.size < QUERIES) drawn.add(draw());
    return [...drawn];
  };
  return {
    words: distinct(() => vocabulary.english(random)),
    pairs: distinct(() => `${vocabulary.english(random)} ${vocabulary.english(random)}`),
    korean: distinct(() => vocabulary.korean(random)),
  };
}
