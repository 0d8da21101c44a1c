/**
 * What the command line needs of the world around it. `bin.ts` passes the real one, tests pass their own;
 * below here nothing touches `process`.
 */
import type { Readable, Writable } from 'node:stream';
import type {
  HomeSet,
  LogPage,
  OpenHomesOptions,
  OpenThreadHomeOptions,
  ProgramLog,
  ProgramLogOptions,
  ReadLogOptions,
  ThreadHome,
} from '../home/index.js';

export type Environment = Readonly<Record<string, string | undefined>>;

/** A program with its arguments, never a line for a shell. */
export interface Launch {
  readonly argv: readonly string[];
  readonly cwd: string;
  /** Added to the environment. */
  readonly env: Readonly<Record<string, string>>;
}

export interface CliContext {
  openHomes(options: OpenHomesOptions): Promise<HomeSet>;
  /** One home, for changing its threads. */
  openThreadHome(options: OpenThreadHomeOptions): Promise<ThreadHome>;
  /** The log of this run. Never rejects. */
  openLog(options: ProgramLogOptions): Promise<ProgramLog>;
  /** What the log holds of this run and of those before. */
  readLog(options: ReadLogOptions): Promise<LogPage>;
  readonly stdin: Readable;
  readonly stdout: Writable;
  readonly stderr: Writable;
  readonly env: Environment;
  /** Absolute. */
  readonly cwd: string;
  /** Whether stdout is a terminal. */
  readonly isTTY: boolean;
  readonly stderrIsTTY: boolean;
  /** Whether somebody can be asked. */
  readonly stdinIsTTY: boolean;
  /** Width of the terminal; 80 where there is none. */
  readonly columns: number;
  /** Height of the terminal; 24 where there is none. */
  readonly rows: number;
  /** What was typed to start this program: `codicil`, `npx codicil`, `node dist/bin.js`. */
  readonly program: string;
  /** Of this program, as its package says. */
  version(): string;
  /** The zone in which times are shown; undefined for the machine's. */
  readonly timeZone?: string;
  /** Epoch milliseconds. */
  now(): number;
  /** Resolves after `ms`, or rejects with the signal's reason. */
  wait(ms: number, signal: AbortSignal): Promise<void>;
  /**
   * Calls `onChange` when something in a folder may have changed; where the system does not tell, never. Gives what ends it.
   */
  watch(folder: string, onChange: () => void): () => void;
  /** Runs a program on this terminal; resolves with its exit code when it has ended. */
  launch(launch: Launch): Promise<number>;
  /** Starts the user's pager; undefined when there is none. `end` resolves when the user has left it. */
  openPager(): Promise<{ readonly input: Writable; end(): Promise<void> } | undefined>;
  readonly signal: AbortSignal;
}
