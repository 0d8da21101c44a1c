/**
 * Threads as trees: a thread below the one that started it, a fork below its source.
 *
 * Every row stands in the answer exactly once, whatever the metadata says: a parent that is not there makes a root, and
 * a circle is cut above its oldest thread. Depth costs no stack. Pure: knows rows, no files and no filters.
 */
import type { ThreadId } from '../base/ids.js';
import type { ThreadRow } from './thread-row.js';

export type TreeRelation = 'subagent' | 'fork';

export interface TreeNode {
  readonly row: ThreadRow;
  /** Id of the row above; null for a root, and where a circle was cut. */
  readonly parentId: ThreadId | null;
  readonly relation: TreeRelation | null;
  /** 0 for a root. */
  readonly depth: number;
  /** How many threads stand below, over all generations. */
  readonly below: number;
  /** False when a sibling comes later. */
  readonly isLast: boolean;
}

/** One root and everything below it, each parent before its children, siblings oldest first. */
export type ThreadTree = readonly [TreeNode, ...TreeNode[]];

interface Parent {
  readonly row: ThreadRow;
  readonly relation: TreeRelation;
}

/**
 * The trees of `rows`, in the order in which their roots stand there. `standsForThread` says which rows others may name
 * as their parent; of several rows with one id the first such one counts. Other rows are roots.
 */
export function threadTrees(
  rows: readonly ThreadRow[],
  standsForThread: (row: ThreadRow) => boolean = () => true,
): readonly ThreadTree[] {
  const byId = new Map<ThreadId, ThreadRow>();
  for (const row of rows) if (row.id !== null && standsForThread(row) && !byId.has(row.id)) byId.set(row.id, row);
  const parents = new Map<ThreadRow, Parent>();
  for (const row of byId.values()) {
    const parent = parentOf(row, byId);
    if (parent !== undefined) parents.set(row, parent);
  }
  cutCircles(byId.values(), parents);
  const children = new Map<ThreadRow, ThreadRow[]>();
  for (const [row, { row: parent }] of parents) {
    const known = children.get(parent);
    if (known === undefined) children.set(parent, [row]);
    else known.push(row);
  }
  for (const siblings of children.values()) siblings.sort(oldestFirst);
  return rows.filter((row) => !parents.has(row)).map((root) => treeOf(root, parents, children));
}

/** Who started it counts more than what it was copied from. */
function parentOf(row: ThreadRow, byId: ReadonlyMap<ThreadId, ThreadRow>): Parent | undefined {
  const named = [
    { id: row.parentThreadId, relation: 'subagent' },
    { id: row.forkedFromId, relation: 'fork' },
  ] as const;
  for (const { id, relation } of named) {
    const parent = id === null ? undefined : byId.get(id);
    if (parent !== undefined && parent !== row) return { row: parent, relation };
  }
  return undefined;
}

function cutCircles(rows: Iterable<ThreadRow>, parents: Map<ThreadRow, Parent>): void {
  const done = new Set<ThreadRow>();
  for (const start of rows) {
    const path: ThreadRow[] = [];
    const onPath = new Set<ThreadRow>();
    let row: ThreadRow | undefined = start;
    while (row !== undefined && !done.has(row) && !onPath.has(row)) {
      path.push(row);
      onPath.add(row);
      row = parents.get(row)?.row;
    }
    if (row !== undefined && onPath.has(row)) {
      const [oldest] = path.slice(path.indexOf(row)).sort(oldestFirst);
      if (oldest !== undefined) parents.delete(oldest);
    }
    for (const seen of path) done.add(seen);
  }
}

function oldestFirst(a: ThreadRow, b: ThreadRow): number {
  const first = `${a.createdAt} ${a.id}`;
  const second = `${b.createdAt} ${b.id}`;
  return first < second ? -1 : first > second ? 1 : 0;
}

function treeOf(
  root: ThreadRow,
  parents: ReadonlyMap<ThreadRow, Parent>,
  children: ReadonlyMap<ThreadRow, readonly ThreadRow[]>,
): ThreadTree {
  const rows: { readonly row: ThreadRow; readonly depth: number; readonly isLast: boolean }[] = [];
  const pending = [{ row: root, depth: 0, isLast: true }];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    rows.push(next);
    const { row, depth } = next;
    const own = children.get(row) ?? [];
    for (let place = own.length - 1; place >= 0; place -= 1) {
      const child = own[place];
      if (child !== undefined) pending.push({ row: child, depth: depth + 1, isLast: place === own.length - 1 });
    }
  }
  const below = new Map<ThreadRow, number>();
  // Children stand behind their parents, so that from the end on each is counted before it is added.
  for (const { row } of rows.toReversed()) {
    const parent = parents.get(row)?.row;
    if (parent !== undefined) below.set(parent, (below.get(parent) ?? 0) + (below.get(row) ?? 0) + 1);
  }
  const [first, ...rest] = rows.map(({ row, depth, isLast }): TreeNode => {
    const parent = depth === 0 ? undefined : parents.get(row);
    const parentId = parent?.row.id ?? null;
    return { row, parentId, relation: parent?.relation ?? null, depth, below: below.get(row) ?? 0, isLast };
  });
  if (first === undefined) throw new RangeError('Cannot make a tree of no rows');
  return [first, ...rest];
}
