/**
 * Runs one command line and says how it went. The only place where an error becomes words and an exit code.
 */
import { visibleLine } from '../base/visible-text.js';
import { asCalled, type Calling } from './as-called.js';
import type { CliContext } from './context.js';
import {
  ClosedPipeError,
  describeFailure,
  EXIT_DONE,
  EXIT_INTERRUPTED,
  exitCodeOf,
  type FailureDocument,
  UsageError,
} from './failure.js';
import { commandHelp, overviewHelp } from './help.js';
import { JsonDocument } from './json-document.js';
import { Output } from './output.js';
import { createPalette } from './palette.js';
import { parseInvocation } from './parse-invocation.js';
import { wantsPicker } from './picker/wants-picker.js';
import { Run } from './run.js';
import { logEnd, logFailure, logStart } from './verb-log.js';
import { VERBS } from './verbs.js';

/** Resolves with the exit code when everything was written, the log of the program too; never rejects. */
export async function runCli(argv: readonly string[], context: CliContext): Promise<number> {
  const startedAtMs = context.now();
  let run: Run | undefined;
  try {
    const invocation = parseInvocation(argv);
    run = new Run(context, invocation);
    if (invocation.has('help')) {
      await run.output.write(invocation.bare ? overviewHelp() : commandHelp(invocation.command));
      await run.output.flush();
      return EXIT_DONE;
    }
    if (invocation.has('json') && invocation.has('jsonl')) {
      throw new UsageError('Cannot print --json and --jsonl at once');
    }
    const verb = wantsPicker(run)
      ? (await import('./picker/picker.js')).picker
      : await VERBS[invocation.command.name]!();
    await logStart(run);
    const code = await verb(run);
    await run.output.flush();
    await logEnd(run, code, startedAtMs);
    return code;
  } catch (error) {
    return await report(error, argv, context, run);
  } finally {
    await run?.closeLog();
  }
}

async function report(
  error: unknown,
  argv: readonly string[],
  context: CliContext,
  run: Run | undefined,
): Promise<number> {
  run?.progress.clear();
  if (error instanceof ClosedPipeError) return EXIT_DONE;
  const interrupted = context.signal.aborted;
  const calling = run?.calling ?? { program: context.program, homes: [] };
  const failure: FailureDocument = interrupted
    ? { error: { code: 'interrupted', message: 'Interrupted' } }
    : withHintAsCalled(describeFailure(error), calling);
  if (run !== undefined) await logFailure(run, error, failure);
  try {
    await tell(failure, argv, context, run);
  } catch (untold) {
    // The exit code still tells of the failure; why stdout does not take it belongs on stderr.
    if (!(untold instanceof ClosedPipeError)) context.stderr.write(`${visibleLine(String(untold))}\n`);
  }
  return interrupted ? EXIT_INTERRUPTED : exitCodeOf(error);
}

function withHintAsCalled({ error }: FailureDocument, calling: Calling): FailureDocument {
  return { error: { ...error, ...(error.hint === undefined ? {} : { hint: asCalled(error.hint, calling) }) } };
}

/** As the document of `--json`, as a record of `--jsonl`, or as words. */
async function tell(
  failure: FailureDocument,
  argv: readonly string[],
  context: CliContext,
  run: Run | undefined,
): Promise<void> {
  const output = run?.output ?? new Output(context.stdout);
  const asks = (option: string): boolean => run?.invocation.has(option) ?? argv.includes(`--${option}`);
  if (asks('json')) {
    await (run?.document() ?? new JsonDocument(output)).fail(failure);
  } else if (failure.error.code === 'interrupted') {
    await output.flush();
  } else if (asks('jsonl')) {
    await output.line(JSON.stringify(failure));
    await output.flush();
  } else {
    await output.flush();
    const palette = createPalette({ isTTY: context.stderrIsTTY, env: context.env, noColor: asks('no-color') });
    const words = new Output(context.stderr);
    // Loaded only now: measuring text costs more than most commands.
    const { failureLines } = await import('./views/failure-view.js');
    for (const line of failureLines(failure, {
      palette,
      columns: context.stderrIsTTY ? Math.max(40, context.columns) : Number.POSITIVE_INFINITY,
      nowMs: context.now(),
      timeZone: context.timeZone,
    }))
      await words.line(line);
    await words.flush();
  }
}
