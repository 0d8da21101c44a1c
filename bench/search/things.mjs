/**
 * Reads the word lists of the search set, one thing a line: "told as | asked as | what came of it | inference".
 * `x` as it is told; `k` as it is asked about in nearly the same words: `x` without its article, or what stands before
 * a `;` in the second column; `y` as it is asked about in other words; `d` what came of it; `open` a question, or undefined.
 */

const ARTICLE = /^(?:an?|the|my) /u;

export function things(text) {
  return text
    .trim()
    .split('\n')
    .map((line) => {
      const [x, asked, d, open] = line.split('|').map((part) => part.trim());
      const [k, y] = asked.includes(';')
        ? asked.split(';').map((part) => part.trim())
        : [x.replace(ARTICLE, ''), asked];
      return { x, k, y, d, open };
    });
}
