/** The figures of a set as a table for people: all, then by category, by language, by half. */

const COLUMNS = [
  ['questions', ({ questions }) => questions],
  ...[1, 5, 10, 25].map((depth) => [`S R@${depth}`, ({ sessions }) => sessions?.recall[depth]]),
  ['S hit@1', ({ sessions }) => sessions?.hit[1]],
  ['S MRR', ({ sessions }) => sessions?.mrr],
  ...[1, 5, 10, 25].map((depth) => [`T R@${depth}`, ({ turns }) => turns?.recall[depth]]),
];
const NAME_WIDTH = 22;
const WIDTH = 9;

export function tableOf(name, summary, plain) {
  const groups = [summary.byCategory, summary.byLanguage, summary.byHalf].flatMap((group) => Object.entries(group));
  const rows = [['all', summary], ...groups, ...(plain === undefined ? [] : [['plain keyword match', plain]])];
  const cells = (first, values) => first.padEnd(NAME_WIDTH) + values.map((value) => value.padStart(WIDTH)).join('');
  return [
    cells(
      name,
      COLUMNS.map(([title]) => title),
    ),
    ...rows.map(([title, part]) =>
      cells(
        title,
        COLUMNS.map(([, of]) => String(of(part) ?? '–')),
      ),
    ),
  ].join('\n');
}
