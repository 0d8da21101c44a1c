/**
 * What a search found of what it should have found. A question has its gold sessions and gold turns; an answer is the
 * ranked sessions and the ranked turns. Every figure is the mean over questions: recall and hits in percent, MRR in [0, 1].
 */

export const DEPTHS = [1, 5, 10, 25];
export const CATEGORIES = { 1: 'multi-hop', 2: 'temporal', 3: 'open-domain', 4: 'single-hop', 5: 'adversarial' };

/** Of `gold`, the share that is among the first `depth` of `ranked`. */
export function recallAt(gold, ranked, depth) {
  const top = new Set(ranked.slice(0, depth));
  return gold.filter((one) => top.has(one)).length / gold.length;
}

/** One over the rank of the first that is gold; 0 when none is. */
export function reciprocalRank(gold, ranked) {
  const at = ranked.findIndex((one) => gold.includes(one));
  return at < 0 ? 0 : 1 / (at + 1);
}

const mean = (list, of) => list.reduce((sum, one) => sum + of(one), 0) / list.length;
const percent = (share) => Number((100 * share).toFixed(1));
const atDepths = (of) => Object.fromEntries(DEPTHS.map((depth) => [depth, of(depth)]));

/**
 * `answers`: `[{category, language, half, goldSessions, goldTurns, sessions?, turns?}]`; sessions or turns are left out
 * where they were not asked for. Gives the figures of all, and `byCategory`, `byLanguage`, `byHalf`.
 */
export function summarise(answers) {
  const groups = (keyOf) => {
    const keys = [...new Set(answers.map(keyOf))].sort();
    return Object.fromEntries(keys.map((key) => [key, figures(answers.filter((answer) => keyOf(answer) === key))]));
  };
  return {
    ...figures(answers),
    byCategory: groups((answer) => CATEGORIES[answer.category] ?? `category ${answer.category}`),
    byLanguage: groups((answer) => answer.language),
    byHalf: groups((answer) => answer.half),
  };
}

function figures(answers) {
  const result = { questions: answers.length };
  if (answers.every(({ sessions }) => sessions !== undefined)) {
    result.sessions = {
      recall: atDepths((depth) => percent(mean(answers, (a) => recallAt(a.goldSessions, a.sessions, depth)))),
      hit: atDepths((depth) => percent(mean(answers, (a) => Number(recallAt(a.goldSessions, a.sessions, depth) > 0)))),
      mrr: Number(mean(answers, (a) => reciprocalRank(a.goldSessions, a.sessions)).toFixed(3)),
    };
  }
  if (answers.every(({ turns }) => turns !== undefined)) {
    result.turns = {
      recall: atDepths((depth) => percent(mean(answers, (a) => recallAt(a.goldTurns, a.turns, depth)))),
    };
  }
  return result;
}

/** The figures that bars may name. */
export const FIGURES = {
  'sessions-r10': ({ sessions }) => sessions?.recall[10],
  'sessions-hit1': ({ sessions }) => sessions?.hit[1],
  'sessions-mrr': ({ sessions }) => sessions?.mrr,
  'turns-r5': ({ turns }) => turns?.recall[5],
  'turns-r10': ({ turns }) => turns?.recall[10],
};

/** How far half of the conversations may lie below a bar: 2 points of a percentage, 0.02 of MRR. */
const SLACK = (name) => (name === 'sessions-mrr' ? 0.02 : 2);

/** Which `bars` (`{name: least}`) a summary misses, in words; a figure that was not measured is not judged. */
export function missed(summary, bars) {
  const parts = [
    ['all', summary, () => 0],
    ...Object.entries(summary.byHalf).map(([half, part]) => [half, part, SLACK]),
  ];
  return parts.flatMap(([part, measured, slack]) =>
    Object.entries(bars).flatMap(([name, least]) => {
      const value = FIGURES[name](measured);
      const bar = Number((least - slack(name)).toFixed(3));
      return value === undefined || value >= bar ? [] : [`${name} (${part}): ${value}, not ${bar}`];
    }),
  );
}
