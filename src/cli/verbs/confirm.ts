/**
 * A question before something is removed: asked on a terminal, answered by `--yes` elsewhere.
 */
import { createInterface } from 'node:readline/promises';
import { CodicilError } from '../../base/errors.js';
import { UsageError } from '../failure.js';
import type { Run } from '../run.js';

/** Resolves when the answer is yes. Throws UsageError where nobody can be asked, `not-confirmed` when it is no. */
export async function confirmed(run: Run, question: string): Promise<void> {
  const { context, invocation } = run;
  if (invocation.has('yes')) return;
  if (!context.stdinIsTTY || !context.stderrIsTTY || run.json) {
    throw new UsageError(`${invocation.command.name} asks before it removes something: say --yes`, {
      hint: 'Nothing was changed.',
    });
  }
  await run.say();
  const asking = createInterface({ input: context.stdin, output: context.stderr });
  try {
    const answer = await asking.question(`${question} [y/N] `, { signal: run.signal });
    if (/^(y|yes|j|ja|예|네)$/i.test(answer.trim())) return;
  } finally {
    asking.close();
  }
  throw new CodicilError('not-confirmed', 'Nothing was changed');
}
