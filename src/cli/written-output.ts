/**
 * Where a command writes one whole thing: stdout, or a file that is there only once it is whole and that never takes the
 * place of another unless that was asked for.
 */
import path from 'node:path';
import { CodicilError } from '../base/errors.js';
import { StagedFile } from '../platform/files/place-file.js';
import type { CliContext } from './context.js';
import { ClosedPipeError } from './failure.js';

export interface WrittenFile {
  /** Absolute; null for stdout. */
  readonly path: string | null;
  readonly bytes: number;
}

/** Absolute; undefined for stdout. */
export function outputPath(text: string | undefined, cwd: string): string | undefined {
  return text === undefined || text === '-' ? undefined : path.resolve(cwd, text);
}

/** Writes all chunks. Rejects with `file-exists`, with the system's errors, and with what the chunks throw; then no file is left. */
export async function writeOutput(
  chunks: AsyncIterable<Uint8Array>,
  target: string | undefined,
  { context, force }: { readonly context: CliContext; readonly force: boolean },
): Promise<WrittenFile> {
  if (target === undefined) return { path: null, bytes: await writeToStream(chunks, context) };
  const staged = await StagedFile.write(target, chunks, { signal: context.signal });
  try {
    if (force) await staged.replace();
    else if (!(await staged.place())) throw fileExists(target);
    return { path: target, bytes: staged.sizeBytes };
  } finally {
    await staged.discard();
  }
}

export function fileExists(target: string): CodicilError {
  return new CodicilError('file-exists', `Cannot write "${target}": a file of that name is there`, {
    path: target,
    hint: 'Nothing was changed. Give another name to -o, or --force to replace the file.',
  });
}

async function writeToStream(chunks: AsyncIterable<Uint8Array>, { stdout, signal }: CliContext): Promise<number> {
  if (stdout.listenerCount('error') === 0) stdout.on('error', () => undefined);
  let bytes = 0;
  for await (const chunk of chunks) {
    signal.throwIfAborted();
    await new Promise<void>((resolve, reject) => {
      stdout.write(chunk, (error) => {
        if (!error) resolve();
        else if ((error as NodeJS.ErrnoException).code === 'EPIPE')
          reject(new ClosedPipeError('Nobody reads the output', { cause: error }));
        else reject(error);
      });
    });
    bytes += chunk.length;
  }
  return bytes;
}
