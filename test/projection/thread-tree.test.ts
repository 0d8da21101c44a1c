import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseThreadId, type ThreadId } from '../../src/base/ids.js';
import { threadTrees } from '../../src/projection/thread-tree.js';
import { row } from '../cli/fake-homes.js';

const id = (number: number): ThreadId => parseThreadId(`019a2b3c-0000-7000-8000-${String(number).padStart(12, '0')}`)!;
const at = (second: number): string => new Date(Date.UTC(2026, 10, 29, 9, 0, second)).toISOString();

/** A thread, and the numbers of those that it names. */
function thread(number: number, parent: number | null = null, source: number | null = null) {
  return row(String(number), {
    id: id(number),
    createdAt: at(number),
    parentThreadId: parent === null ? null : id(parent),
    forkedFromId: source === null ? null : id(source),
  });
}

function shapeOf(trees: ReturnType<typeof threadTrees>) {
  return trees.map((tree) => tree.map(({ row, depth, relation }) => [Number(row.id!.slice(-12)), depth, relation]));
}

describe('threadTrees()', () => {
  test('puts children and forks below where they come from, siblings oldest first', () => {
    const rows = [thread(1), thread(4, 1), thread(2, null, 1), thread(3, null, 2), thread(9)];
    expect(shapeOf(threadTrees(rows))).toEqual([
      [
        [1, 0, null],
        [2, 1, 'fork'],
        [3, 2, 'fork'],
        [4, 1, 'subagent'],
      ],
      [[9, 0, null]],
    ]);
  });

  test('counts what stands below, and says who is the last of its parent', () => {
    const [tree] = threadTrees([thread(1), thread(2, 1), thread(3, 1), thread(4, 2)]);
    expect(tree!.map(({ below, isLast }) => [below, isLast])).toEqual([
      [3, true],
      [1, false],
      [0, true],
      [0, true],
    ]);
  });

  test('takes the parent rather than the source, and the source where the parent is missing', () => {
    const rows = [thread(1), thread(2), thread(3, 2, 1), thread(4, 77, 1), thread(5, 77)];
    expect(shapeOf(threadTrees(rows))).toEqual([
      [
        [1, 0, null],
        [4, 1, 'fork'],
      ],
      [
        [2, 0, null],
        [3, 1, 'subagent'],
      ],
      [[5, 0, null]],
    ]);
  });

  test('cuts a circle above its oldest thread, and lets none be its own parent', () => {
    const rows = [thread(3, 2), thread(2, null, 1), thread(1, 3), thread(4, 3), thread(5, 5)];
    expect(shapeOf(threadTrees(rows))).toEqual([
      [
        [1, 0, null],
        [2, 1, 'fork'],
        [3, 2, 'subagent'],
        [4, 3, 'subagent'],
      ],
      [[5, 0, null]],
    ]);
  });

  test('takes 10,000 children and a depth of 5,000', () => {
    const wide = [thread(1), ...Array.from({ length: 10_000 }, (_, place) => thread(place + 2, 1))];
    expect(threadTrees(wide).map(([root, ...rest]) => [root.below, rest.length])).toEqual([[10_000, 10_000]]);
    const deep = Array.from({ length: 5_001 }, (_, place) => thread(place + 1, place === 0 ? null : place));
    expect(threadTrees(deep.toReversed()).map((tree) => tree.at(-1)!.depth)).toEqual([5_000]);
  });

  test('gives every row exactly once, below a row that it names, whatever the rows name', () => {
    const name = fc.option(fc.nat(12), { nil: null });
    fc.assert(
      fc.property(fc.array(fc.tuple(name, name), { maxLength: 12 }), (named) => {
        const rows = named.map(([parent, source], number) => thread(number, parent, source));
        const nodes = threadTrees(rows).flat();
        expect(new Set(nodes.map((node) => node.row))).toEqual(new Set(rows));
        expect(nodes).toHaveLength(rows.length);
        for (const [place, node] of nodes.entries()) {
          if (node.depth === 0) continue;
          const above = nodes.slice(0, place).findLast(({ depth }) => depth === node.depth - 1)!;
          expect(node.parentId).toBe(above.row.id);
          expect([node.row.parentThreadId, node.row.forkedFromId]).toContain(above.row.id);
        }
      }),
    );
  });
});
