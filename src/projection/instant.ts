/**
 * Instants as logs write them: RFC 3339, usually UTC with milliseconds; and the form of file names.
 * Anything else is no instant: it is left out, never guessed.
 */

const RFC_3339 = /^\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d:\d\d(?:\.\d+)?(?:[Zz]|[+-]\d\d:\d\d)$/;
const IN_FILE_NAME = /^(\d{4}-\d\d-\d\d)T(\d\d)-(\d\d)-(\d\d)$/;

/** Epoch milliseconds of an RFC 3339 text, digits beyond the millisecond cut off; undefined when it is none. */
export function parseInstant(text: string | undefined): number | undefined {
  if (text === undefined || text.length < 20) return undefined;
  const usual = text.length === 24 && text.charCodeAt(23) === 90 && text.charCodeAt(10) === 84;
  if (!usual && !RFC_3339.test(text)) return undefined;
  const ms = Date.parse(text);
  // A text of the usual length may still be something else that `Date.parse` takes.
  return Number.isNaN(ms) || (usual && !RFC_3339.test(text)) ? undefined : ms;
}

/** As `parseInstant`, and also `YYYY-MM-DDThh-mm-ss`, taken as UTC. */
export function parseStartInstant(text: string | undefined): number | undefined {
  const match = text === undefined ? null : IN_FILE_NAME.exec(text);
  if (match === null) return parseInstant(text);
  return parseInstant(`${match[1]}T${match[2]}:${match[3]}:${match[4]}Z`);
}

/** ISO 8601, UTC, milliseconds. Out of range (a damaged file time) is the epoch. */
export function formatInstant(ms: number): string {
  const date = new Date(ms);
  return Number.isNaN(date.getTime()) ? new Date(0).toISOString() : date.toISOString();
}
