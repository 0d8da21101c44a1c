/**
 * `codicil verify`: rollout files checked for damage.
 */
import path from 'node:path';
import { CodicilError } from '../../base/errors.js';
import type { HomeSet } from '../../home/index.js';
import type { UnknownTypePolicy } from '../../protocol/policies.js';
import { ARCHIVED_FOLDER, SESSIONS_FOLDER } from '../../rollout/paths.js';
import type { SessionReader, VerifiedFile } from '../../thread-store/session-reader.js';
import { EXIT_DONE, EXIT_FAULT, UsageError } from '../failure.js';
import { kindOfFile } from '../file-reference.js';
import { looksLikePath, refusedAddress, resolveThread } from '../reference.js';
import type { Run, Verb } from '../run.js';
import { shellQuote } from '../shell-quote.js';

/** Of more files than these, the sound ones are only counted. */
const MAX_SHOWN_FILES = 20;

export const verify: Verb = (run) =>
  run.withHomes(async (homes) => {
    const found = await verifiedFiles(run, homes);
    let files = 0;
    let bad = 0;
    const checked = async function* (): AsyncGenerator<VerifiedFile> {
      for await (const file of found) {
        files += 1;
        if (!file.ok) bad += 1;
        run.progress.show(`Checking logs: ${files}`);
        yield file;
      }
      run.progress.clear();
    };
    if (run.json) {
      const document = run.document();
      await document.array('files', mapDocuments(checked()));
      await document.end();
    } else {
      const { noted } = await printForReading(run, checked());
      const { verifySummary } = await import('../views/verify-view.js');
      await run.say(...verifySummary({ files, bad, noted }, run.wordsView));
    }
    return bad === 0 ? EXIT_DONE : EXIT_FAULT;
  });

/** Of a few files each is shown; of many, those that are bad. */
async function printForReading(run: Run, files: AsyncIterable<VerifiedFile>): Promise<{ readonly noted: number }> {
  const { fileLines, isNoted } = await import('../views/verify-view.js');
  const print = async (file: VerifiedFile): Promise<void> => {
    run.progress.clear();
    for (const line of fileLines(file, run.view)) await run.output.line(line);
    await run.output.flush();
  };
  let few: VerifiedFile[] | undefined = [];
  let noted = 0;
  for await (const file of files) {
    if (file.ok && isNoted(file)) noted += 1;
    few?.push(file);
    if (few !== undefined && few.length > MAX_SHOWN_FILES) {
      for (const held of few) if (!held.ok) await print(held);
      few = undefined;
    } else if (few === undefined && !file.ok) await print(file);
  }
  for (const file of few ?? []) await print(file);
  return { noted: few === undefined ? noted : 0 };
}

async function verifiedFiles(run: Run, homes: HomeSet): Promise<AsyncIterable<VerifiedFile>> {
  const { invocation, signal, context } = run;
  const policy = policyOf(invocation.value('policy'));
  const options = { signal, ...(policy === undefined ? {} : { policy }) };
  const [target] = invocation.arguments;
  if (invocation.has('all')) {
    if (target !== undefined || invocation.has('last'))
      throw new UsageError('Cannot take --all together with a file or thread');
    return everyFile(homes, options);
  }
  const absolute = target === undefined ? undefined : path.resolve(context.cwd, target);
  if (target !== undefined && absolute !== undefined && (await meansFile(run, homes, target, absolute))) {
    await requireFile(absolute, target);
    return readerFor(homes, absolute).verify({ path: absolute }, options);
  }
  if (target === undefined && !invocation.has('last')) throw new UsageError('verify needs PATH, ID, --last or --all');
  const candidate = await resolveThread(run, homes);
  return homes.readerOf(candidate.home).verify({ id: candidate.id }, options);
}

/** A name without a slash is a thread's before it is a file's. */
async function meansFile({ signal }: Run, homes: HomeSet, target: string, absolute: string): Promise<boolean> {
  if (looksLikePath(target)) return true;
  return (await kindOfFile(absolute)) !== 'missing' && (await homes.candidates(target, { signal })).length === 0;
}

async function requireFile(absolute: string, target: string): Promise<void> {
  const kind = await kindOfFile(absolute);
  if (kind === 'missing') {
    const refused = refusedAddress(target, 'verify');
    if (refused !== undefined) throw refused;
    throw new CodicilError('file-not-found', `Cannot check "${target}": there is no such file`, { path: absolute });
  }
  if (kind !== 'folder') return; // whatever else is wrong with it is a finding
  const isHome = (
    await Promise.all([SESSIONS_FOLDER, ARCHIVED_FOLDER].map((name) => kindOfFile(path.join(absolute, name))))
  ).includes('folder');
  throw new UsageError(`Cannot check "${target}": it is a folder${isHome ? ', a home' : ''}`, {
    hint: isHome
      ? `codicil verify --home ${shellQuote(target)} --all checks every log in it.`
      : 'Name a rollout file; --home DIR --all checks every log of a home.',
  });
}

type VerifyOptions = Parameters<SessionReader['verify']>[1];

async function* everyFile(homes: HomeSet, options: VerifyOptions): AsyncGenerator<VerifiedFile> {
  for (const reader of homes.readers) yield* reader.verify('all', options);
}

/** The home that the file lies in; a file outside of all homes is checked by the first. */
function readerFor(homes: HomeSet, file: string): SessionReader {
  const inside = homes.readers.find(({ home }) => file.startsWith(home.path + path.sep));
  const reader = inside ?? homes.readers[0];
  if (reader !== undefined) return reader;
  throw new CodicilError('no-home', 'Cannot check a file: there is no home', {
    path: file,
    hint: 'Name one with --home DIR.',
  });
}

function policyOf(text: string | undefined): UnknownTypePolicy | undefined {
  // The command table lets through only the four names.
  return text as UnknownTypePolicy | undefined;
}

/** The keys of the contract, and no others. */
async function* mapDocuments(files: AsyncIterable<VerifiedFile>): AsyncGenerator<unknown> {
  for await (const file of files) {
    yield {
      path: file.path,
      dialect: file.dialect,
      lines: file.lines,
      records: file.records,
      unknown: file.unknown.map(({ line, type }) => ({ line, type })),
      errors: file.errors.map(({ line, byteOffset, kind, message }) => ({ line, byteOffset, kind, message })),
      tornTail: file.tornTail,
      ok: file.ok,
    };
  }
}
