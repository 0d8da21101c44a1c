/**
 * `codicil rebuild`: the index of every home built anew from its logs.
 */
import { visibleLine } from '../../base/visible-text.js';
import type { RebuildResult } from '../../thread-store/session-reader.js';
import { EXIT_DONE, EXIT_FAULT } from '../failure.js';
import { durationText } from '../local-time.js';
import type { Run, Verb } from '../run.js';

export const rebuild: Verb = async (run) => {
  const prove = run.invocation.has('prove');
  const result = await run.withHomes(async ({ readers }) => {
    const results: RebuildResult[] = [];
    for (const reader of readers) {
      results.push(
        await reader.rebuild({
          signal: run.signal,
          onProgress: (progress) => run.showProgress(progress),
          ...(prove ? { prove } : {}),
        }),
      );
    }
    return sumResults(results);
  });
  if (run.json) await run.printDocument({ ...result });
  else await printWords(run, result);
  return result.equal === false ? EXIT_FAULT : EXIT_DONE;
};

function sumResults(results: readonly RebuildResult[]): RebuildResult {
  const sum = (key: 'threads' | 'messages' | 'bytes' | 'tookMs'): number =>
    results.reduce((total, result) => total + result[key], 0);
  const proofs = results.flatMap(({ equal }) => (equal === undefined ? [] : [equal]));
  return {
    threads: sum('threads'),
    messages: sum('messages'),
    bytes: sum('bytes'),
    tookMs: sum('tookMs'),
    ...(proofs.length === 0
      ? {}
      : {
          equal: proofs.every((equal) => equal),
          differences: results.flatMap(({ differences }) => differences ?? []),
        }),
  };
}

async function printWords(
  run: Run,
  { threads, messages, bytes, tookMs, equal, differences }: RebuildResult,
): Promise<void> {
  const { countOf, sizeText } = await import('../views/words.js');
  const { palette } = run.view;
  await run.output.line(
    `${countOf(threads, 'thread')}, ${countOf(messages, 'message')}, ${sizeText(bytes)} of logs in ${durationText(tookMs)}`,
  );
  if (equal === undefined) return;
  await run.output.line(
    equal
      ? palette.green('The new index equals the one before.')
      : palette.red('The new index differs from the one before:'),
  );
  for (const difference of differences ?? []) await run.output.line(`  ${visibleLine(difference)}`);
}
