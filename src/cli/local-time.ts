/**
 * Instants as people say them: ages by the calendar days of the local zone, and the times that
 * `--since` and `--until` take. Never counts a day as 24 hours where a person means the date.
 */

const UNIT_MS: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 };
const DAY_MS = 86_400_000;

interface LocalParts {
  /** Days since 1970-01-01 on the local calendar. */
  readonly day: number;
  readonly date: string;
  readonly time: string;
}

/** `14:03` today, `yesterday`, `3 days ago` within a week, else the date: ten columns at most. */
export function calendarAge(instant: string, nowMs: number, timeZone?: string): string {
  const ms = Date.parse(instant);
  if (Number.isNaN(ms)) return 'unknown';
  const then = localParts(ms, timeZone);
  const days = localParts(nowMs, timeZone).day - then.day;
  if (days === 0) return then.time;
  if (days === 1) return 'yesterday';
  return days > 1 && days < 7 ? `${days} days ago` : then.date;
}

/** `2026-11-29 14:03` in the local zone. */
export function localMinute(instant: string, timeZone?: string): string {
  const ms = Date.parse(instant);
  if (Number.isNaN(ms)) return 'unknown time';
  const { date, time } = localParts(ms, timeZone);
  return `${date} ${time}`;
}

/** How long something took, in its two largest units. */
export function durationText(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  const seconds = Math.round(ms / 1_000);
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min ${seconds % 60} s`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/**
 * Epoch milliseconds of `7d` (or `m`, `h`, `w`) ago, of a local date, or of an ISO instant; undefined when it is none of them.
 * A date is its first moment, or with `dateEnd` the first one after it.
 */
export function parseTimeOption(
  text: string,
  options: { readonly nowMs: number; readonly dateEnd: boolean },
): number | undefined {
  const span = /^(\d{1,6})([mhdw])$/.exec(text);
  if (span) return options.nowMs - Number(span[1]) * UNIT_MS[span[2]!]!;
  const date = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text);
  if (date) {
    const [year, month, day] = [Number(date[1]), Number(date[2]), Number(date[3])];
    const start = new Date(year, month - 1, day);
    // `new Date` turns 31 February into March; such a date is a slip, not a wish.
    if (start.getMonth() !== month - 1 || start.getDate() !== day) return undefined;
    return options.dateEnd ? new Date(year, month - 1, day + 1).getTime() : start.getTime();
  }
  if (!/^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}/.test(text)) return undefined;
  const ms = Date.parse(text);
  return Number.isNaN(ms) ? undefined : ms;
}

const formatters = new Map<string | undefined, Intl.DateTimeFormat>();

function localParts(ms: number, timeZone: string | undefined): LocalParts {
  let formatter = formatters.get(timeZone);
  if (formatter === undefined) {
    formatter = new Intl.DateTimeFormat('en-US', {
      timeZone,
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
      hour: '2-digit',
      minute: '2-digit',
      hourCycle: 'h23',
    });
    formatters.set(timeZone, formatter);
  }
  const part: Record<string, string> = {};
  for (const { type, value } of formatter.formatToParts(ms)) part[type] = value;
  const [year, month, day] = [part['year']!.padStart(4, '0'), part['month']!, part['day']!];
  return {
    day: Math.round(Date.UTC(Number(year), Number(month) - 1, Number(day)) / DAY_MS),
    date: `${year}-${month}-${day}`,
    time: `${part['hour']}:${part['minute']}`,
  };
}
