/**
 * `codicil verify`: rollout files checked for damage.
 */
import path from 'node:path';
import { CodicilError } from '../../base/errors.js';
import type { HomeSet } from '../../home/index.js';
import type { UnknownTypePolicy } from '../../protocol/policies.js';
import type { SessionReader, VerifiedFile } from '../../thread-store/session-reader.js';
import { EXIT_DONE, EXIT_FAULT, UsageError } from '../failure.js';
import { looksLikePath, resolveThread } from '../reference.js';
import type { Run, Verb } from '../run.js';

export const verify: Verb = (run) =>
  run.withHomes(async (homes) => {
    let files = 0;
    let bad = 0;
    const checked = async function* (): AsyncGenerator<VerifiedFile> {
      for await (const file of await verifiedFiles(run, homes)) {
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
      const { fileLines, verifySummary } = await import('../views/verify-view.js');
      for await (const file of checked()) {
        run.progress.clear();
        for (const line of fileLines(file, run.view)) await run.output.line(line);
        await run.output.flush();
      }
      await run.say(...verifySummary({ files, bad }, run.wordsView));
    }
    return bad === 0 ? EXIT_DONE : EXIT_FAULT;
  });

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
  if (target !== undefined && looksLikePath(target)) {
    const absolute = path.resolve(context.cwd, target);
    return readerFor(homes, absolute).verify({ path: absolute }, options);
  }
  if (target === undefined && !invocation.has('last')) throw new UsageError('verify needs PATH, ID, --last or --all');
  const candidate = await resolveThread(run, homes);
  return homes.readerOf(candidate.home).verify({ id: candidate.id }, options);
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
