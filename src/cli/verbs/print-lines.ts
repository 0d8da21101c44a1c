/** Lines of a view, written one by one, so that a view of any length is never one string. */
import type { Run } from '../run.js';

export async function printLines({ output }: Run, lines: Iterable<string>): Promise<void> {
  for (const line of lines) await output.line(line);
}
