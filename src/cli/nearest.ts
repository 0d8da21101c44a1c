/**
 * The nearest spelling of a mistyped word.
 */

/** The choice within two edits (one for a short word; a swap of neighbours is one) of `word`, or one that begins with it; undefined when none is near. */
export function nearest(word: string, choices: readonly string[]): string | undefined {
  if (word.length > 64) return undefined;
  let best: string | undefined;
  // Two edits make any short word into any other.
  let bestDistance = word.length > 4 ? 3 : 2;
  for (const choice of choices) {
    const distance = word.length > 1 && choice.startsWith(word) ? 1 : editDistance(word.toLowerCase(), choice);
    if (distance < bestDistance) {
      best = choice;
      bestDistance = distance;
    }
  }
  return best;
}

function editDistance(from: string, to: string): number {
  let beforeLast: readonly number[] = [];
  let last: readonly number[] = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (let row = 1; row <= from.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= to.length; column += 1) {
      const same = from[row - 1] === to[column - 1];
      let cost = Math.min(last[column]! + 1, current[column - 1]! + 1, last[column - 1]! + (same ? 0 : 1));
      if (row > 1 && column > 1 && from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1]) {
        cost = Math.min(cost, beforeLast[column - 2]! + 1);
      }
      current.push(cost);
    }
    beforeLast = last;
    last = current;
  }
  return last[to.length]!;
}
