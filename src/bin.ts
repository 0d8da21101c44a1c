#!/usr/bin/env node
/**
 * The program. `--version` is answered before anything else is read; every other face is loaded when it is asked for.
 * Owns the process: signals, exit code, and errors that nobody else took.
 */
import { readFileSync } from 'node:fs';

const argv = process.argv.slice(2);

// A reader that has gone, or a disk that is full, has no use for a stack trace.
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') process.exitCode = 1;
  });
}

if (argv.length === 1 && (argv[0] === '--version' || argv[0] === '-V')) {
  process.stdout.write(`${version()}\n`);
} else {
  const interrupt = new AbortController();
  let programRuns = false;
  process.on('SIGINT', () => {
    // A program that was started has the terminal, and the interrupt with it.
    if (programRuns) return;
    // The second one does not wait for a clean end.
    if (interrupt.signal.aborted) process.exit(130);
    interrupt.abort();
  });
  for (const signal of ['SIGTERM', 'SIGHUP'] as const) process.on(signal, () => interrupt.abort());
  const [{ runCli }, { nodeContext }] = await Promise.all([import('./cli/main.js'), import('./cli/node-context.js')]);
  const code = await runCli(
    argv,
    nodeContext({
      openHomes: async (options) => (await import('./home/open-homes.js')).openHomes(options),
      openThreadHome: async (options) => (await import('./home/open-thread-home.js')).openThreadHome(options),
      openLog: async (options) => (await import('./home/program-log.js')).openProgramLog(options),
      readLog: async (options) => (await import('./home/read-log.js')).readProgramLog(options),
      version,
      signal: interrupt.signal,
      onLaunch: (running) => {
        programRuns = running;
      },
    }),
  );
  process.exitCode = code;
  // Where everything is written, as it is on most systems by now: to give memory back piece by piece takes longer.
  if (process.stdout.writableLength === 0 && process.stderr.writableLength === 0) process.exit();
}

function version(): string {
  // The manifest stands one folder above this file, in the sources and in the package alike.
  const manifest: unknown = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
  return (manifest as { readonly version: string }).version;
}
