/**
 * Long output on a terminal goes through the user's pager.
 */
import { Output } from './output.js';
import type { Run } from './run.js';

/** Lets `write` write through the pager, when there is one; resolves when the reader has left it. */
export async function throughPager(run: Run, write: (output: Output) => Promise<void>): Promise<void> {
  const pager = await run.context.openPager();
  const output = pager === undefined ? run.output : new Output(pager.input);
  try {
    await write(output);
    await output.flush();
  } finally {
    await pager?.end();
  }
}
