/**
 * The real world for `CliContext`: this process's streams, its terminal, and the programs it starts.
 * Programs are started from an argument list, never through a shell; what starts them is loaded with the first one.
 */
import { once } from 'node:events';
import { watch } from 'node:fs';
import path from 'node:path';
import type { Writable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { CodicilError } from '../base/errors.js';
import type { CliContext, Launch } from './context.js';
import { shellQuote } from './shell-quote.js';

/** `onLaunch` is told when a program takes over the terminal, and when it gives it back: interrupts are its own meanwhile. */
export function nodeContext(options: {
  readonly openHomes: CliContext['openHomes'];
  readonly openThreadHome: CliContext['openThreadHome'];
  readonly openLog: CliContext['openLog'];
  readonly readLog: CliContext['readLog'];
  readonly version: CliContext['version'];
  readonly signal: AbortSignal;
  readonly onLaunch: (running: boolean) => void;
}): CliContext {
  const { stdin, stdout, stderr, env } = process;
  return {
    openHomes: options.openHomes,
    openThreadHome: options.openThreadHome,
    openLog: options.openLog,
    readLog: options.readLog,
    stdin,
    stdout,
    stderr,
    env,
    cwd: currentFolder(),
    isTTY: stdout.isTTY === true,
    stderrIsTTY: stderr.isTTY === true,
    stdinIsTTY: stdin.isTTY === true,
    // A terminal that does not know its width says 0.
    columns: stdout.columns || stderr.columns || 80,
    rows: stdout.rows || stderr.rows || 24,
    program: calledAs(process.argv[1] ?? 'codicil', currentFolder()),
    version: options.version,
    now: () => Date.now(),
    wait: (ms, signal) => delay(ms, undefined, { signal }),
    launch: (launch) => runProgram(launch, options.onLaunch),
    watch: watchFolder,
    openPager: () => openPager(options.onLaunch),
    signal: options.signal,
  };
}

function watchFolder(folder: string, onChange: () => void): () => void {
  try {
    // The name of what changed is not looked at: a move or a new segment counts as well.
    const watcher = watch(folder, { persistent: false }, onChange);
    // Such as a folder that is removed: whoever asked looks by itself from time to time.
    watcher.on('error', () => watcher.close());
    return () => watcher.close();
  } catch {
    return () => undefined; // too many watches, or a file system without: as above
  }
}

/** What to type to start this script again, as far as a process can know. */
export function calledAs(script: string, cwd: string): string {
  // A package that is run from its folder of programs is not on the PATH.
  if (/[/\\]node_modules[/\\]\.bin[/\\][^/\\]+$/.test(script)) return 'npx codicil';
  if (!/\.[cm]?[jt]s$/.test(script)) return path.basename(script);
  const relative = path.relative(cwd, script);
  return `node ${shellQuote(relative.startsWith('..') ? script : relative)}`;
}

/** The folder may have been deleted; then relative paths mean nothing, and the root stands for it. */
function currentFolder(): string {
  try {
    return process.cwd();
  } catch {
    return '/'; // ENOENT: what was current is gone
  }
}

async function runProgram({ argv, cwd, env }: Launch, onLaunch: (running: boolean) => void): Promise<number> {
  const { spawn } = await import('node:child_process');
  const [program, ...args] = argv;
  onLaunch(true);
  try {
    const child = spawn(program!, args, { cwd, env: { ...process.env, ...env }, stdio: 'inherit' });
    const [code] = (await once(child, 'exit')) as [number | null];
    return code ?? 1;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    throw new CodicilError('program-not-found', `Cannot start "${program}": it is not installed, or not on the PATH`, {
      cause: error,
      hint: 'Take --print to get the command without running it.',
    });
  } finally {
    onLaunch(false);
  }
}

async function openPager(
  onLaunch: (running: boolean) => void,
): Promise<{ readonly input: Writable; end(): Promise<void> } | undefined> {
  const [program, ...args] = (process.env['PAGER'] ?? 'less -R').split(/\s+/).filter((word) => word !== '');
  if (program === undefined || program === 'cat') return undefined;
  const { spawn } = await import('node:child_process');
  // F: a short thread is printed at once; R: colours pass through; X: the text stays on the screen.
  const child = spawn(program, args, { stdio: ['pipe', 'inherit', 'inherit'], env: { LESS: 'FRX', ...process.env } });
  try {
    await once(child, 'spawn');
  } catch {
    // No such program: the text goes straight to the terminal.
    return undefined;
  }
  onLaunch(true);
  const exited = once(child, 'exit');
  return {
    input: child.stdin,
    end: async () => {
      child.stdin.end();
      await exited;
      onLaunch(false);
    },
  };
}
