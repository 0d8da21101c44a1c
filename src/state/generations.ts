/**
 * Generations of the index. A rebuild fills a new one beside the current and flips in one transaction; readers see
 * the one or the other, never a mixture. What is left over (flipped away, abandoned, or begun by a process that died)
 * is deleted in small transactions, so that other processes are never kept waiting for long.
 */
import { hostname } from 'node:os';
import { isRunning } from './process-alive.js';
import { releasePages } from './release-pages.js';
import { currentGeneration, generationGone, type Statements } from './statements.js';

/** Who is asking: tells a rebuild that died from one that another process is at. */
export interface GenerationOwner {
  readonly host: string;
  readonly processId: number;
  readonly nowMs: number;
  /** Whether a process of this host still runs. */
  isRunning(processId: number): boolean;
}

/** This process, at this moment (epoch milliseconds). */
export function thisProcess(nowMs: number): GenerationOwner {
  return { host: hostname(), processId: process.pid, nowMs, isRunning };
}

const BATCH_ROWS = 2_000;

/** On another host a process cannot be asked for; a rebuild that old is given up. */
const FOREIGN_REBUILD_MAX_MS = 24 * 60 * 60 * 1000;

/** What of a database belongs to generations. */
export interface GenerationTables {
  /** Each with the column that, with the generation, is its key. */
  readonly tables: readonly (readonly [table: string, key: string])[];
  /** Makes what else a new generation has, in the transaction that begins it. */
  readonly onBegun?: (generation: number) => void;
  /** Deletes what else an old generation has. */
  readonly onSwept?: (generation: number) => void;
}

/** The generations of one database: what a rebuild goes through. */
export class Generations {
  readonly #statements: Statements;
  readonly #owner: () => GenerationOwner;
  readonly #tables: GenerationTables;

  constructor(statements: Statements, owner: () => GenerationOwner, tables: GenerationTables) {
    this.#statements = statements;
    this.#owner = owner;
    this.#tables = tables;
  }

  /** The generation that readers see. */
  current(): number {
    return currentGeneration(this.#statements);
  }

  /** Starts an empty generation; what died before it is swept first. */
  begin(): number {
    this.#sweep();
    return this.#statements.database.transaction('immediate', () => {
      const generation = beginGeneration(this.#statements, this.#owner());
      this.#tables.onBegun?.(generation);
      return generation;
    });
  }

  /** Makes a built generation the current one, at once for all readers; then deletes the old one in batches. */
  flip(generation: number): void {
    flipGeneration(this.#statements, generation);
    this.#sweep();
  }

  /** Gives a generation up and deletes it in batches. */
  abandon(generation: number): void {
    abandonGeneration(this.#statements, generation);
    this.#sweep();
  }

  #sweep(): void {
    sweepGenerations(this.#statements, this.#owner(), this.#tables);
  }
}

/** The tables of state_5.sqlite. */
export const GENERATION_TABLES = [
  ['threads', 'id'],
  ['thread_spawn_edges', 'child'],
  ['rollout_files', 'path'],
  ['rollout_stamps', 'path'],
  ['index_notes', 'key'],
] as const;

/** An empty generation, to be filled, then flipped or abandoned. Its number was never used before. */
function beginGeneration(statements: Statements, owner: GenerationOwner): number {
  const { lastInsertRowId } = statements
    .prepare("INSERT INTO generations (state, started_at_ms, host, process_id) VALUES ('building', ?, ?, ?)")
    .run(owner.nowMs, owner.host, owner.processId);
  return lastInsertRowId;
}

/** Makes `generation` the current one. Throws StateError `state-generation-gone`, and changes nothing, when it is not being built. */
function flipGeneration(statements: Statements, generation: number): void {
  statements.database.transaction('immediate', () => {
    const row = statements
      .prepare("SELECT 1 FROM generations WHERE generation = ? AND state = 'building'")
      .get(generation);
    if (row === undefined) throw generationGone(statements.database.path, generation);
    setState(statements, currentGeneration(statements), 'old');
    setState(statements, generation, 'current');
  });
}

/** Gives a generation up; one that is current or gone stays as it is. */
function abandonGeneration(statements: Statements, generation: number): void {
  statements
    .prepare("UPDATE generations SET state = 'old' WHERE generation = ? AND state = 'building'")
    .run(generation);
}

/** Deletes every generation that nobody needs, and gives its pages back to the disk. */
function sweepGenerations(
  statements: Statements,
  owner: GenerationOwner,
  { tables, onSwept }: GenerationTables = { tables: GENERATION_TABLES },
): void {
  markAbandoned(statements, owner);
  const old = statements
    .prepare<{ readonly generation: number }>("SELECT generation FROM generations WHERE state = 'old'")
    .all();
  for (const { generation } of old) {
    for (const [table, key] of tables) {
      const remove = statements.prepare(
        `DELETE FROM ${table} WHERE generation = ? AND ${key} IN
           (SELECT ${key} FROM ${table} WHERE generation = ? LIMIT ${BATCH_ROWS})`,
      );
      while (remove.run(generation, generation).changes > 0);
    }
    onSwept?.(generation);
    statements.prepare('DELETE FROM generations WHERE generation = ?').run(generation);
  }
  if (old.length > 0) releasePages(statements.database);
}

function markAbandoned(statements: Statements, owner: GenerationOwner): void {
  const building = statements
    .prepare<{
      readonly generation: number;
      readonly started_at_ms: number;
      readonly host: string;
      readonly process_id: number;
    }>("SELECT generation, started_at_ms, host, process_id FROM generations WHERE state = 'building'")
    .all();
  for (const row of building) {
    const alive =
      row.host === owner.host
        ? owner.isRunning(row.process_id)
        : owner.nowMs - row.started_at_ms < FOREIGN_REBUILD_MAX_MS;
    if (!alive) abandonGeneration(statements, row.generation);
  }
}

function setState(statements: Statements, generation: number, state: 'old' | 'current'): void {
  statements.prepare('UPDATE generations SET state = ? WHERE generation = ?').run(state, generation);
}
