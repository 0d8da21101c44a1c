/** Bundles of the tests: made of fixtures and of small logs, read from and placed in temporary homes. */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ThreadId } from '../../../src/base/ids.js';
import { nodeFileSystem } from '../../../src/platform/files/node-file-system.js';
import { readThreadNames } from '../../../src/rollout/names-file.js';
import { fileNameOf, parseRolloutName } from '../../../src/rollout/paths.js';
import { renderPreamble, renderTrailer } from '../../../src/thread-store/bundle/format.js';
import { type PreparedBundle, prepareBundle } from '../../../src/thread-store/bundle/write-bundle.js';
import { filesToExport } from '../../../src/thread-store/local/export-files.js';
import type { FolderMapping } from '../../../src/thread-store/local/import/import-ledger.js';
import { openImportSource } from '../../../src/thread-store/local/import/import-source.js';
import { type ImportedThread, importThreads } from '../../../src/thread-store/local/import/import-threads.js';
import { rolloutsBelow } from '../temp-home.js';

export const NOW = '2026-11-30T12:00:00.000Z';

/** Ids in the names of all logs of a home. */
export function threadIds(home: string): readonly ThreadId[] {
  return [...new Set(rolloutsBelow(home).map((path) => parseRolloutName(fileNameOf(path))!.threadId))];
}

export async function bundleOf(
  home: string,
  ids: readonly ThreadId[] = threadIds(home),
  { masked = false }: { readonly masked?: boolean } = {},
): Promise<PreparedBundle> {
  const { threads, logs } = await filesToExport(home, ids, { files: nodeFileSystem });
  const { names } = await readThreadNames(home, { files: nodeFileSystem });
  const sources = logs.map(({ source, path, file, base }) => ({
    source,
    path,
    threadId: file.threadId,
    segmentId: file.segmentId ?? null,
    base,
  }));
  const content = {
    threads,
    logs: sources,
    names,
    homeKind: 'codex',
    program: 'codicil 0.0.0',
    createdAt: NOW,
  } as const;
  return prepareBundle(content, { files: nodeFileSystem, masked });
}

export async function writeBundle(path: string, bundle: PreparedBundle): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of bundle.chunks()) chunks.push(chunk);
  const bytes = Buffer.concat(chunks);
  writeFileSync(path, bytes);
  return bytes;
}

export async function importInto(
  home: string,
  from: string,
  { cwd, signal }: { readonly cwd?: readonly FolderMapping[]; readonly signal?: AbortSignal } = {},
): Promise<readonly ImportedThread[]> {
  const source = await openImportSource(from, { files: nodeFileSystem });
  try {
    const ledger = join(home, 'imports.jsonl');
    return await importThreads(source, { home, ledger, files: nodeFileSystem, now: () => NOW, cwd, signal });
  } finally {
    // A child process of a runtime that has no `await using` runs this, too.
    await source[Symbol.asyncDispose]();
  }
}

/** Every file below a home that a log or a name stands in, with the hash of its bytes. */
export function logsOf(home: string): Readonly<Record<string, string>> {
  return Object.fromEntries(
    rolloutsBelow(home).map((path) => [
      path.slice(home.length + 1),
      createHash('sha256').update(readFileSync(path)).digest('hex'),
    ]),
  );
}

/** Every name below a folder. */
export function namesBelow(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort();
}

/** A bundle whose checksums all fit, whatever its header says. */
export function forgeBundle(header: unknown, logs: readonly string[]): Buffer {
  const head = Buffer.from(`${JSON.stringify(header)}\n`);
  const sha256 = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');
  const body = Buffer.concat([
    Buffer.from(renderPreamble(head.length, sha256(head))),
    head,
    ...logs.map((log) => Buffer.from(log)),
  ]);
  return Buffer.concat([body, Buffer.from(renderTrailer(sha256(body)))]);
}
