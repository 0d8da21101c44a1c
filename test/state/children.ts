/** Bundles child-main.ts, or another program, for plain Node and runs it: real processes over one database. */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface, type Interface } from 'node:readline';
import { fileURLToPath } from 'node:url';

/** The bundler comes with the build tool; only this call of it is used. */
interface Rolldown {
  rolldown(options: {
    readonly input: string;
    readonly platform: 'node';
    readonly external: readonly string[];
    readonly transform: { readonly target: string };
  }): Promise<{
    write(options: { readonly file: string; readonly format: 'esm'; readonly codeSplitting: false }): Promise<unknown>;
    close(): Promise<void>;
  }>;
}

export interface Child {
  readonly process: ChildProcessWithoutNullStreams;
  /** The next line that the child says. */
  next(): Promise<unknown>;
  /** Lets a child that is ready act. */
  go(): void;
  /** Exit code, or the signal that ended it, with what it wrote to stderr. */
  readonly ended: Promise<{ readonly status: number | string | null; readonly stderr: string }>;
}

export interface Children extends Disposable {
  /** The bundled program. */
  readonly file: string;
  start(verb: string, ...args: readonly string[]): Child;
}

const here = dirname(fileURLToPath(import.meta.url));

/** `main` is relative to this folder. */
export async function bundleChildren(main = 'child-main.ts'): Promise<Children> {
  const folder = mkdtempSync(join(tmpdir(), 'codicil-children-'));
  const file = join(folder, 'child.mjs');
  const require = createRequire(import.meta.url);
  const { rolldown } = require('rolldown') as Rolldown;
  const bundle = await rolldown({
    input: join(here, main),
    platform: 'node',
    external: ['better-sqlite3', 'koffi'],
    // The oldest Node that is supported knows no `using`.
    transform: { target: 'node20.19' },
  });
  // One file, whatever is loaded late.
  await bundle.write({ file, format: 'esm', codeSplitting: false });
  await bundle.close();
  // The optional driver is found the way an installed package finds it.
  symlinkSync(join(here, '..', '..', 'node_modules'), join(folder, 'node_modules'));
  return {
    file,
    start: (verb, ...args) => child(spawn(process.execPath, [file, verb, ...args])),
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }),
  };
}

function child(running: ChildProcessWithoutNullStreams): Child {
  const lines: Interface = createInterface({ input: running.stdout });
  const iterator = lines[Symbol.asyncIterator]();
  let stderr = '';
  running.stderr.on('data', (chunk: Buffer) => {
    stderr += chunk.toString('utf8');
  });
  return {
    process: running,
    async next() {
      const step = await iterator.next();
      if (step.done === true) throw new Error(`The child said no more: ${stderr}`);
      return JSON.parse(step.value);
    },
    go() {
      running.stdin.end('go\n');
    },
    ended: once(running, 'close').then(([code, signal]) => ({ status: signal ?? code, stderr })),
  };
}
