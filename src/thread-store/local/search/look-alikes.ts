/**
 * Words of the index that a word of the query may have meant, for a word that no document has. Pure.
 */

/** A shorter word is near to too many; a longer one is no word. */
const LEAST_LETTERS = 5;
const MOST_LETTERS = 32;
/** From so many letters on, two slips are allowed. */
const LONG_LETTERS = 8;
const MAX_FOUND = 3;
/** A word and those that are near to it share so many first letters. */
export const SHARED_LETTERS = 3;

export function mayBeMistyped(token: string): boolean {
  return token.length >= LEAST_LETTERS && token.length <= MOST_LETTERS && /^\p{L}+$/u.test(token);
}

/** The nearest of `terms` within one slip, or two for a long word; else those that begin alike. At most three. */
export function lookAlikes(token: string, terms: readonly string[]): readonly string[] {
  const most = token.length >= LONG_LETTERS ? 2 : 1;
  let nearest = most;
  let found: string[] = [];
  for (const term of terms) {
    const distance = editDistance(token, term, most);
    if (distance > nearest) continue;
    if (distance < nearest) found = [];
    nearest = distance;
    found.push(term);
  }
  if (found.length > 0) return found.slice(0, MAX_FOUND);
  const beginning = token.slice(0, Math.max(LEAST_LETTERS, token.length - 4));
  return terms.filter((term) => term.startsWith(beginning)).slice(0, MAX_FOUND);
}

/** Insertions, deletions, replacements and swaps of neighbours between two words; `most + 1` when there are more. */
export function editDistance(a: string, b: string, most: number): number {
  if (Math.abs(a.length - b.length) > most) return most + 1;
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const replaced = (last[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      let steps = Math.min((last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, replaced);
      const isSwap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      if (isSwap) steps = Math.min(steps, (beforeLast[j - 2] ?? 0) + 1);
      row.push(steps);
    }
    if (Math.min(...row) > most) return most + 1;
    beforeLast = last;
    last = row;
  }
  return last[b.length] ?? most + 1;
}
