/** The options `--since` and `--until`, which several commands take. */
import { UsageError } from './failure.js';
import { parseTimeOption } from './local-time.js';
import type { Run } from './run.js';

/** From `sinceMs` on, up to but without `untilMs`; undefined where an option was not given. Throws UsageError. */
export function readTimeSpan(run: Run): { readonly sinceMs: number | undefined; readonly untilMs: number | undefined } {
  return { sinceMs: readInstant(run, 'since'), untilMs: readInstant(run, 'until') };
}

function readInstant({ invocation, context }: Run, option: 'since' | 'until'): number | undefined {
  const text = invocation.value(option);
  if (text === undefined) return undefined;
  const ms = parseTimeOption(text, { nowMs: context.now(), dateEnd: option === 'until' });
  if (ms !== undefined) return ms;
  throw new UsageError(
    `Cannot take "${text}" for --${option}: wanted a span such as 7d, a date such as 2026-11-29, or an ISO instant`,
  );
}
