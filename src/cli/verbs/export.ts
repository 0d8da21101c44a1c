/**
 * `codicil export`: a thread as log lines, Markdown or a page, or threads as a bundle.
 */
import type { ThreadId } from '../../base/ids.js';
import type { HomeSet } from '../../home/index.js';
import { nodeFileSystem } from '../../platform/files/node-file-system.js';
import type { FileDamage, ThreadCandidate } from '../../thread-store/session-reader.js';
import { EXIT_DONE, UsageError } from '../failure.js';
import { resolveNamedThread, resolveThread } from '../reference.js';
import type { Run, Verb } from '../run.js';
import { fileExists, outputPath, writeOutput } from '../written-output.js';

export type ExportFormat = 'bundle' | 'jsonl' | 'md' | 'html';

/** What is written, and what is known of it. */
interface Prepared {
  readonly chunks: AsyncIterable<Uint8Array>;
  readonly threads: readonly ThreadId[];
  /** Secrets that were masked, or that the raw bytes hold; undefined where nobody looked. Whole once all was written. */
  readonly secrets: () => number | undefined;
  readonly damage: readonly FileDamage[];
}

export const exportThreads: Verb = async (run) => {
  const { invocation, context } = run;
  // The table of options has no other choices.
  const format = (invocation.value('format') ?? 'bundle') as ExportFormat;
  const target = outputPath(invocation.value('output'), context.cwd);
  const force = invocation.has('force');
  if (invocation.has('mask') && invocation.has('raw')) throw new UsageError('Cannot take both --mask and --raw');
  if (run.json && target === undefined)
    throw new UsageError('Cannot export to stdout with --json, which prints one document there: give -o FILE');
  if (target === undefined && format === 'bundle' && context.isTTY)
    throw new UsageError('Cannot print a bundle on a terminal: give -o FILE');
  if (target !== undefined && !force && (await isThere(target))) throw fileExists(target);
  return run.withHomes(async (homes) => {
    const candidates = await candidatesOf(run, homes, format);
    const masked = !invocation.has('raw');
    const prepared =
      format === 'bundle'
        ? await prepareBundle(run, homes, candidates)
        : await preparePage(run, homes, candidates[0]!, { format, masked });
    const written = await writeOutput(prepared.chunks, target, { context, force });
    run.progress.clear();
    const secrets = prepared.secrets();
    if (run.json) {
      const { path, bytes } = written;
      const threads = prepared.threads.map((id) => ({ id, path, outcome: 'written' }));
      await run.printDocument({ threads, format, bytes, masked, secrets: secrets ?? null });
    } else {
      const { exportedLines } = await import('../views/exchange-view.js');
      const told = { ...written, format, masked, secrets, threads: prepared.threads.length };
      await run.say(...exportedLines(told, run.wordsView));
    }
    if (prepared.damage.length > 0) {
      const { damageLines } = await import('../views/verify-view.js');
      const faults = damageLines(prepared.damage, run.wordsView);
      await run.say(`Faults were found in what the threads continue (${prepared.damage.length}):`, ...faults);
    }
    return EXIT_DONE;
  });
};

async function isThere(target: string): Promise<boolean> {
  try {
    await nodeFileSystem.lstat(target);
    return true;
  } catch {
    return false; // whatever it is, writing it tells
  }
}

async function candidatesOf(run: Run, homes: HomeSet, format: ExportFormat): Promise<readonly ThreadCandidate[]> {
  const [first, ...more] = run.invocation.arguments;
  if (first === undefined || more.length === 0) return [await resolveThread(run, homes)];
  if (run.invocation.has('last')) throw new UsageError(`Cannot take both "${first}" and --last`);
  if (format !== 'bundle')
    throw new UsageError(`Cannot export ${more.length + 1} threads as ${format}: only a bundle holds several`);
  const found = new Map<ThreadId, ThreadCandidate>();
  for (const text of run.invocation.arguments) {
    const candidate = await resolveNamedThread(run, homes, text);
    found.set(candidate.id, candidate);
  }
  const candidates = [...found.values()];
  const [one, other] = [candidates[0]!, candidates.find(({ home }) => home !== candidates[0]!.home)];
  if (other === undefined) return candidates;
  throw new UsageError(`Cannot bundle threads of two homes, ${one.home} and ${other.home}`, {
    hint: 'Export a bundle from each; --home DIR narrows to one.',
  });
}

async function prepareBundle(run: Run, homes: HomeSet, candidates: readonly ThreadCandidate[]): Promise<Prepared> {
  const { invocation, context, signal } = run;
  const isChosen = invocation.has('mask') || invocation.has('raw');
  const { exportBundle } = await import('../../home/exchange.js');
  const { home } = homes.readerOf(candidates[0]!.home);
  const bundle = await exportBundle(
    home,
    candidates.map(({ id }) => id),
    {
      masked: invocation.has('mask'),
      program: `codicil ${context.version()}`,
      createdAt: new Date(context.now()).toISOString(),
      onProgress: (done, of) => run.progress.show(`Reading logs: ${done} of ${of}`),
      signal,
    },
  );
  const { secrets, threads } = bundle.header;
  const count = Object.values(secrets).reduce((sum, found) => sum + found, 0);
  if (!isChosen) {
    run.progress.clear();
    const kinds = Object.entries(secrets).map(([rule, found]) => `${rule} ${found}`);
    const what =
      count === 0
        ? 'no secret was found in it'
        : `it would hold ${count} ${count === 1 ? 'secret' : 'secrets'} (${kinds.join(', ')})`;
    throw new UsageError(`Cannot export a bundle without --raw or --mask: ${what}`, {
      hint: '--raw keeps every byte, so that the thread can go on elsewhere; --mask takes the secrets out.',
    });
  }
  return { chunks: bundle.chunks(), threads: threads.map(({ id }) => id), secrets: () => count, damage: bundle.damage };
}

async function preparePage(
  run: Run,
  homes: HomeSet,
  candidate: ThreadCandidate,
  { format, masked }: { readonly format: Exclude<ExportFormat, 'bundle'>; readonly masked: boolean },
): Promise<Prepared> {
  const { signal } = run;
  const reader = await homes.open(candidate, { signal });
  const threads = [reader.id];
  if (format === 'jsonl') {
    const { logLines } = await import('../../thread-store/render/log-lines.js');
    const counts = new Map<string, number>();
    const chunks = logLines(reader.parts, { files: nodeFileSystem, masked, counts, signal });
    const sum = (): number => [...counts.values()].reduce((all, count) => all + count, 0);
    return { chunks, threads, secrets: () => (masked ? sum() : undefined), damage: [] };
  }
  const page =
    format === 'md'
      ? (await import('../../thread-store/render/markdown-page.js')).markdownPage(reader, { masked, signal })
      : (await import('../../thread-store/render/html-page.js')).htmlPage(reader, { masked, signal });
  return { chunks: encoded(page.pieces()), threads, secrets: () => (masked ? page.masked() : undefined), damage: [] };
}

async function* encoded(pieces: AsyncIterable<string>): AsyncGenerator<Uint8Array, void> {
  for await (const piece of pieces) yield Buffer.from(piece);
}
