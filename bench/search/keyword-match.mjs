/**
 * The plainest search there is, to compare with: words as they are written, BM25 with the usual constants, a session
 * as one text. No stems, no parts of words, no neighbours, no dates.
 */
import { messageOf, questionsOf, sessionsOf } from './conversations.mjs';

const SATURATION = 1.2;
const LENGTH = 0.75;

const wordsOf = (text) =>
  text
    .normalize('NFC')
    .toLowerCase()
    .match(/[\p{L}\p{N}]+/gu) ?? [];

/** For every question of a conversation, its ranked sessions and turns. */
export function keywordMatch(conversation, options) {
  const turns = sessionsOf(conversation).flatMap(({ number, turns: list }) =>
    list.map((turn) => ({ key: turn.dia_id, session: number, words: wordsOf(messageOf(turn, options)) })),
  );
  const joined = new Map();
  for (const { session, words } of turns) joined.set(session, (joined.get(session) ?? []).concat(words));
  const rankTurns = ranker(turns);
  const rankSessions = ranker([...joined].map(([key, words]) => ({ key, words })));
  return questionsOf(conversation).map(({ text }) => {
    const query = [...new Set(wordsOf(text))];
    return { sessions: rankSessions(query), turns: rankTurns(query) };
  });
}

/** `documents`: `[{key, words}]`. Gives a function from words to keys, best first, of those that hold one at least. */
function ranker(documents) {
  const averageLength = documents.reduce((sum, { words }) => sum + words.length, 0) / documents.length;
  const counted = documents.map(({ key, words }) => {
    const counts = new Map();
    for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
    return { key, counts, norm: SATURATION * (1 - LENGTH + (LENGTH * words.length) / averageLength) };
  });
  const holding = new Map();
  for (const { counts } of counted) for (const word of counts.keys()) holding.set(word, (holding.get(word) ?? 0) + 1);
  const rarity = (word) => {
    const df = holding.get(word) ?? 0;
    return Math.log(1 + (documents.length - df + 0.5) / (df + 0.5));
  };
  const gain = (count, norm) => (count * (SATURATION + 1)) / (count + norm);
  return (query) => {
    const weighed = query.map((word) => [word, rarity(word)]);
    const scored = counted.map(({ key, counts, norm }) => ({
      key,
      score: weighed.reduce((sum, [word, idf]) => sum + (counts.has(word) ? idf * gain(counts.get(word), norm) : 0), 0),
    }));
    return scored
      .filter(({ score }) => score > 0)
      .sort((a, b) => b.score - a.score)
      .map(({ key }) => key);
  };
}
