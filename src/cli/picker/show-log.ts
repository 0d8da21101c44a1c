/**
 * Shows the log of an entry through the user's pager, as `codicil show` does: what was found with the lines around it,
 * else the last turns. The terminal must be as programs expect it.
 */
import { Writable } from 'node:stream';
import type { CliContext } from '../context.js';
import { ClosedPipeError } from '../failure.js';
import { parseInvocation } from '../parse-invocation.js';
import { Run } from '../run.js';
import { show } from '../verbs/show.js';
import type { Entry } from './entry.js';
import type { Size } from './state.js';

/** Lines of the log on either side of the one that was found. */
const CONTEXT_LINES = '30';

/** Resolves, when the pager has ended, with the number of lines that it was given. */
export async function showLog(run: Run, entry: Entry, { columns, rows }: Size): Promise<number> {
  const { context, invocation } = run;
  const { hit, id } = entry;
  const argv = [
    'show',
    ...(hit === undefined ? [id] : [hit.address, '--context', CONTEXT_LINES]),
    ...invocation.values('home').flatMap((home) => ['--home', home]),
    ...(invocation.has('no-color') ? ['--no-color'] : []),
  ];
  const pager = await context.openPager();
  const counted = new LineCounter(pager?.input ?? context.stdout);
  const paged: CliContext = {
    ...context,
    // As the terminal is now: it may have been resized since the program began.
    columns,
    rows,
    stdout: counted,
    // The notes of `show` come at the end of the text: beside a pager there is no place for them.
    stderr: counted,
    stderrIsTTY: false,
    openPager: async () => undefined,
    openLog: () => run.openLog(),
  };
  try {
    const shown = new Run(paged, parseInvocation(argv));
    await show(shown);
    await shown.output.flush();
  } catch (error) {
    // Who has read enough leaves the pager before its end.
    if (!(error instanceof ClosedPipeError)) throw error;
  } finally {
    await pager?.end();
  }
  return counted.lines;
}

class LineCounter extends Writable {
  readonly #target: Writable;
  lines = 0;

  constructor(target: Writable) {
    super({ decodeStrings: false });
    this.#target = target;
    // The callback of each write reports its failure; without listeners the events would end the process.
    this.on('error', () => undefined);
    if (target.listenerCount('error') === 0) target.on('error', () => undefined);
  }

  override _write(chunk: string | Buffer, _encoding: string, done: (error?: Error | null) => void): void {
    const text = String(chunk);
    for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) this.lines += 1;
    this.#target.write(chunk, done);
  }
}
