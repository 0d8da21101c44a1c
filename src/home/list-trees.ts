/**
 * A page of trees over all homes: a page is of roots, and each tree on it is whole.
 *
 * A tree fits a query when one of its threads does; a child fits by itself, though a plain list hides it. Trees come in
 * the order of the newest thread in them that fits. Threads that the program made for itself, and files that stand for no
 * thread, are in a tree only when every file is asked for. Never reads a log but for the threads of the page.
 */
import type { ThreadId } from '../base/ids.js';
import type { HiddenReason, ThreadRow } from '../projection/thread-row.js';
import { type ThreadTree, type TreeNode, threadTrees } from '../projection/thread-tree.js';
import { NO_TOKENS, sumOf, type TokenUsage } from '../projection/usage.js';
import { comparePositions, decodeCursor, encodeCursor, type RowPosition, rowPosition } from '../state/index.js';
import {
  DEFAULT_LIST_LIMIT,
  type IndexState,
  type ListQuery,
  type ThreadLineage,
  type ThreadPage,
} from '../thread-store/session-reader.js';
import type { HomeSet } from './home-set.js';

/** What a thread and the history around it have cost. */
export interface TreeTokens extends Pick<ThreadLineage, 'own' | 'inherited'> {
  /** `own` of this thread and of all below it. */
  readonly tree: TokenUsage;
}

export interface TreeRow extends TreeNode {
  readonly agent: ThreadLineage['agent'];
  /** Null for a file that stands for no thread. */
  readonly tokens: TreeTokens | null;
}

export interface TreePage {
  /** Each root before what is below it. */
  readonly rows: readonly TreeRow[];
  readonly nextCursor: string | null;
  /** Trees that fit, on whatever page. */
  readonly total: number;
  /** Files that fit and stand in no tree, by reason. */
  readonly hidden: ThreadPage['hidden'];
  readonly index: IndexState;
}

interface Placed {
  readonly tree: ThreadTree;
  readonly at: RowPosition;
}

const EVERY = 100_000;
const THREAD_REASONS: ReadonlySet<HiddenReason | null> = new Set([null, 'child', 'archived', 'internal']);

/** Throws StateError `state-cursor-invalid` for a cursor that no page of this order gave. */
export async function listTrees(
  homes: Pick<HomeSet, 'list' | 'readers' | 'readerOf'>,
  query: ListQuery,
): Promise<TreePage> {
  const { all = false, archived = false, limit = DEFAULT_LIST_LIMIT, sort = 'updated' } = query;
  const order = { sort, files: all };
  const cursor = query.cursor === undefined ? undefined : decodeCursor(query.cursor, order);
  const { cwd: _cwd, provider: _provider, source: _source, sinceMs: _since, untilMs: _until, ...unfiltered } = query;
  const { rows, page } = await everyRow(homes, unfiltered);
  const fitting = await fittingRows(homes, query, rows);
  const isShown = (row: ThreadRow): boolean => all || (standsForThread(row) && row.hiddenReason !== 'internal');
  const fits = (row: ThreadRow): boolean =>
    fitting.has(keyOf(row)) && isShown(row) && (all || row.archived === archived);
  const shown = all ? rows : onceEach(rows.filter(isShown), homes);
  const trees: Placed[] = [];
  const inTrees = new Set<ThreadRow>();
  for (const tree of threadTrees(shown, standsForThread)) {
    const newest = tree
      .map(({ row }) => row)
      .filter(fits)
      .map((row) => rowPosition(row, order));
    if (newest.length === 0) continue;
    const valueMs = newest.reduce((latest, at) => Math.max(latest, at.valueMs), Number.NEGATIVE_INFINITY);
    trees.push({ tree, at: { ...rowPosition(tree[0].row, order), valueMs } });
    for (const { row } of tree) inTrees.add(row);
  }
  trees.sort((a, b) => comparePositions(a.at, b.at));
  const rest = cursor === undefined ? trees : trees.filter(({ at }) => comparePositions(cursor, at) < 0);
  const own = rest.slice(0, limit);
  const last = own.at(-1);
  const hidden: { [reason in HiddenReason]?: number } = { ...(page.hidden.empty && { empty: page.hidden.empty }) };
  for (const row of rows) {
    if (inTrees.has(row) || !fitting.has(keyOf(row)) || row.hiddenReason === null) continue;
    hidden[row.hiddenReason] = (hidden[row.hiddenReason] ?? 0) + 1;
  }
  return {
    rows: await withTokens(
      homes,
      own.map(({ tree }) => tree),
      query,
    ),
    nextCursor: rest.length > own.length && last !== undefined ? encodeCursor(last.at) : null,
    total: trees.length,
    hidden,
    index: page.index,
  };
}

/** A thread has one row for the file that stands for it, and may have others for segments and twins. */
function standsForThread({ id, hiddenReason }: ThreadRow): boolean {
  return id !== null && THREAD_REASONS.has(hiddenReason);
}

function keyOf({ home, path }: ThreadRow): string {
  return `${home}\0${path}`;
}

async function everyRow(
  homes: Pick<HomeSet, 'list'>,
  query: ListQuery,
): Promise<{ readonly rows: readonly ThreadRow[]; readonly page: ThreadPage }> {
  const { cursor: _cursor, archived: _archived, limit: _limit, ...filter } = query;
  const first = await homes.list({ ...filter, all: true, limit: EVERY });
  const rows = [...first.threads];
  for (let cursor = first.nextCursor; cursor !== null; ) {
    const next: ThreadPage = await homes.list({ ...filter, all: true, limit: EVERY, cursor });
    for (const row of next.threads) rows.push(row);
    cursor = next.nextCursor;
  }
  return { rows, page: first };
}

/** Keys of the rows that the filters of the query let through. */
async function fittingRows(
  homes: Pick<HomeSet, 'list'>,
  query: ListQuery,
  rows: readonly ThreadRow[],
): Promise<ReadonlySet<string>> {
  const isFiltered = (['cwd', 'provider', 'source', 'sinceMs', 'untilMs'] as const).some(
    (key) => query[key] !== undefined,
  );
  // The files were looked at a moment ago.
  const found = isFiltered ? (await everyRow(homes, { ...query, indexMaxAgeMs: Number.POSITIVE_INFINITY })).rows : rows;
  return new Set(found.map(keyOf));
}

/** Of a thread that two homes have, the first home's row. */
function onceEach(rows: readonly ThreadRow[], { readers }: Pick<HomeSet, 'readers'>): readonly ThreadRow[] {
  const places = new Map(readers.map(({ home }, place) => [home.path, place]));
  const placeOf = (row: ThreadRow): number => places.get(row.home) ?? 0;
  const first = new Map<ThreadId | null, ThreadRow>();
  for (const row of rows) {
    const known = first.get(row.id);
    if (known === undefined || placeOf(row) < placeOf(known)) first.set(row.id, row);
  }
  return rows.filter((row) => first.get(row.id) === row);
}

async function withTokens(
  homes: Pick<HomeSet, 'readerOf'>,
  trees: readonly ThreadTree[],
  { signal }: ListQuery,
): Promise<readonly TreeRow[]> {
  const idsByHome = new Map<string, ThreadId[]>();
  for (const { row } of trees.flat()) {
    if (row.id === null || !standsForThread(row)) continue;
    const ids = idsByHome.get(row.home);
    if (ids === undefined) idsByHome.set(row.home, [row.id]);
    else ids.push(row.id);
  }
  const told = new Map<string, ReadonlyMap<ThreadId, ThreadLineage>>();
  for (const [home, ids] of idsByHome) {
    told.set(home, await homes.readerOf(home).lineageOf(ids, { ...(signal !== undefined && { signal }) }));
  }
  const lineageOf = (row: ThreadRow): ThreadLineage | undefined =>
    row.id !== null && standsForThread(row) ? told.get(row.home)?.get(row.id) : undefined;
  return trees.flatMap((tree) => treeRows(tree, lineageOf));
}

function treeRows(tree: ThreadTree, lineageOf: (row: ThreadRow) => ThreadLineage | undefined): readonly TreeRow[] {
  const rows: TreeRow[] = [];
  /** Sums of what is below the rows to come, by depth of that row. */
  const below: (TokenUsage | undefined)[] = [];
  // From the end on, each row comes after everything that is below it.
  for (const node of tree.toReversed()) {
    const { depth } = node;
    const lineage = lineageOf(node.row);
    const sum = sumOf(lineage?.own ?? NO_TOKENS, below[depth + 1] ?? NO_TOKENS);
    below[depth + 1] = undefined;
    below[depth] = sumOf(below[depth] ?? NO_TOKENS, sum);
    const tokens = lineage === undefined ? null : { own: lineage.own, inherited: lineage.inherited, tree: sum };
    rows.push({ ...node, agent: lineage?.agent ?? null, tokens });
  }
  return rows.reverse();
}
