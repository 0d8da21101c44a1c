/**
 * How long ago something was, in four columns at most: `now`, `5m`, `3h`, `2d`, `7w`, `11mo`, `3y`.
 */

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;

/** Width of the widest age. */
export const AGE_COLUMNS = 4;

/** `?` for an instant that is none; a clock that went back makes it `now`. */
export function shortAge(instant: string, nowMs: number): string {
  const agoMs = nowMs - Date.parse(instant);
  if (Number.isNaN(agoMs)) return '?';
  if (agoMs < MINUTE_MS) return 'now';
  if (agoMs < HOUR_MS) return `${Math.floor(agoMs / MINUTE_MS)}m`;
  if (agoMs < DAY_MS) return `${Math.floor(agoMs / HOUR_MS)}h`;
  const days = Math.floor(agoMs / DAY_MS);
  if (days < 14) return `${days}d`;
  if (days < 70) return `${Math.floor(days / 7)}w`;
  if (days < 365) return `${Math.floor(days / 30.44)}mo`;
  return `${Math.min(99, Math.floor(days / 365.25) || 1)}y`;
}
