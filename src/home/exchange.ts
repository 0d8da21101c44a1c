/**
 * Composition of exports and imports: which home, where its ledger lies, and what makes a folder a home of ours.
 * The logs themselves are read and placed by `thread-store`.
 */
import path from 'node:path';
import type { ThreadId } from '../base/ids.js';
import { makeFolderSync } from '../platform/files/make-folder.js';
import { nodeFileSystem } from '../platform/files/node-file-system.js';
import type { FileDamage } from '../rollout/damage.js';
import { readThreadNames } from '../rollout/names-file.js';
import { type PreparedBundle, prepareBundle } from '../thread-store/bundle/write-bundle.js';
import { filesToExport } from '../thread-store/local/export-files.js';
import type { FolderMapping } from '../thread-store/local/import/import-ledger.js';
import { openImportSource } from '../thread-store/local/import/import-source.js';
import { type ImportedThread, importThreads } from '../thread-store/local/import/import-threads.js';
import type { HomeInfo } from '../thread-store/session-reader.js';
import { HomeError, isForeign, type LocatedHome, locateHomes, ownHomePath } from './locate.js';
import { importsFileOf, markAsOurs } from './open-homes.js';

export interface ExportOptions {
  readonly masked: boolean;
  /** Name and version of the program. */
  readonly program: string;
  /** ISO 8601. */
  readonly createdAt: string;
  readonly onProgress?: ((done: number, of: number) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Looks through the logs of threads of one home; the result gives the bundle when it is asked for. */
export async function exportBundle(
  home: HomeInfo,
  ids: readonly ThreadId[],
  { masked, program, createdAt, onProgress, signal }: ExportOptions,
): Promise<PreparedBundle & { readonly damage: readonly FileDamage[] }> {
  const files = nodeFileSystem;
  const { threads, logs, damage } = await filesToExport(home.path, ids, { files, signal });
  const { names } = await readThreadNames(home.path, { files, ...(signal && { signal }) });
  const sources = logs.map(({ source, path: place, file, base }) => ({
    source,
    path: place,
    threadId: file.threadId,
    segmentId: file.segmentId ?? null,
    base,
  }));
  const content = { threads, logs: sources, names, homeKind: home.kind, program, createdAt };
  const prepared = await prepareBundle(content, { files, masked, onProgress, signal });
  return { ...prepared, damage };
}

export interface ImportPathOptions {
  /** Absolute path of the home; default: ours. */
  readonly home?: string | undefined;
  /** Whether the home may be another program's. */
  readonly foreign?: boolean | undefined;
  readonly cwd?: readonly FolderMapping[] | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The time, ISO 8601. */
  readonly now: () => string;
  readonly onNotice?: ((message: string) => void) | undefined;
  readonly onProgress?: ((done: number, of: number) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface ImportReport {
  /** Absolute path of the home. */
  readonly home: string;
  readonly kind: 'bundle' | 'log';
  /** True when the bundle was masked: its logs are not those that were written. */
  readonly masked: boolean;
  /** How many secrets a bundle says it holds, or held before it was masked. */
  readonly secrets: number;
  readonly threads: readonly ImportedThread[];
}

/**
 * Imports what stands at `from` (absolute). Throws HomeError `home-is-foreign` for the home of another program unless
 * `foreign`, and what `openImportSource` and `importThreads` throw.
 */
export async function importPath(from: string, options: ImportPathOptions): Promise<ImportReport> {
  const files = nodeFileSystem;
  const { signal, onProgress, cwd, now } = options;
  const target = await targetHome(options);
  const source = await openImportSource(from, { files, signal });
  try {
    const { ledger } = await target.prepare();
    const threads = await importThreads(source, {
      home: target.path,
      foreign: target.foreign,
      ledger,
      files,
      cwd,
      now,
      onProgress,
      signal,
    });
    const secrets = Object.values(source.secrets).reduce((sum, count) => sum + count, 0);
    return { home: target.path, kind: source.kind, masked: source.masked, secrets, threads };
  } finally {
    await source[Symbol.asyncDispose]();
  }
}

interface TargetHome {
  readonly path: string;
  /** Another program's. */
  readonly foreign: boolean;
  /** Makes what must be there before the first log is placed; asked for once everything was checked. */
  prepare(): Promise<{ readonly ledger: string }>;
}

async function targetHome({ home, foreign = false, env, onNotice }: ImportPathOptions): Promise<TargetHome> {
  const files = nodeFileSystem;
  const wanted = home ?? ownHomePath(env);
  const given = home === undefined ? {} : { homes: [home] };
  const located = await locateHomes({ env, files, onNotice, ...given });
  const found = home === undefined ? located.find(({ own }) => own) : located[0];
  const ours = found?.kind === 'codicil' || !(await isForeign(wanted, files));
  if (ours) {
    const prepare = async (): Promise<{ readonly ledger: string }> => {
      await markAsOurs(wanted);
      return { ledger: ledgerOf({ path: wanted, kind: 'codicil', own: true, index: undefined }) };
    };
    return { path: wanted, foreign: false, prepare };
  }
  if (!foreign || found?.index === undefined)
    throw new HomeError('home-is-foreign', `Cannot import into "${wanted}": it is the home of another program`, {
      path: wanted,
      hint: foreign
        ? 'There is no home of ours to note in what was imported: set CODICIL_HOME to a folder of ours.'
        : 'Nothing was imported. Give --foreign to write logs there all the same, or leave --home out to take our own home.',
    });
  const { index } = found;
  const prepare = async (): Promise<{ readonly ledger: string }> => {
    await markAsOurs(index.root);
    const ledger = ledgerOf(found);
    makeFolderSync(path.dirname(ledger));
    return { ledger };
  };
  return { path: found.path, foreign: true, prepare };
}

function ledgerOf(home: LocatedHome): string {
  const ledger = importsFileOf(home);
  if (ledger === undefined) throw new TypeError(`${home.path} has no place for a ledger`);
  return ledger;
}
