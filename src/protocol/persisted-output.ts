/**
 * What of a command's output goes into a log: 64 KiB, the beginning and the end, with a mark where the middle was.
 * Pure; a cut never splits a character. Source: `item_completed` lines of 0.162 and 0.171.
 */
import { utf8Length } from '../base/text.js';
import type { RolloutItem } from './rollout-line.js';

/** Of one text, the mark included. */
export const MAX_PERSISTED_OUTPUT_BYTES = 65_536;

export const OUTPUT_CUT_MARK = '\n\n... command output truncated for persistence ...\n\n';

/**
 * The item as it is written; the same object when nothing was cut. Of `exec_command_end` only the joined output is kept: the
 * other fields say the same again.
 */
export function withCappedOutput(item: RolloutItem): RolloutItem {
  if (item.type !== 'event_msg') return item;
  const event = item.payload;
  if (event.type === 'item_completed' && event.item.type === 'CommandExecution') {
    const output = event.item['aggregated_output'];
    const capped = typeof output === 'string' ? capOutput(output) : output;
    if (capped === output) return item;
    return { ...item, payload: { ...event, item: { ...event.item, aggregated_output: capped } } };
  }
  if (event.type === 'exec_command_end') {
    const output = event['aggregated_output'];
    const emptied = ['stdout', 'stderr', 'formatted_output'].filter((field) => typeof event[field] === 'string');
    return {
      ...item,
      payload: {
        ...event,
        ...Object.fromEntries(emptied.map((field) => [field, ''])),
        ...(typeof output === 'string' && { aggregated_output: capOutput(output) }),
      },
    };
  }
  return item;
}

/** Cuts the middle out of a text of more than `MAX_PERSISTED_OUTPUT_BYTES` bytes in UTF-8. */
export function capOutput(text: string): string {
  // No character has more than three bytes a unit.
  if (text.length * 3 <= MAX_PERSISTED_OUTPUT_BYTES || utf8Length(text) <= MAX_PERSISTED_OUTPUT_BYTES) return text;
  const half = Math.floor((MAX_PERSISTED_OUTPUT_BYTES - OUTPUT_CUT_MARK.length) / 2);
  return text.slice(0, unitsFromStart(text, half)) + OUTPUT_CUT_MARK + text.slice(unitsFromEnd(text, half));
}

/** How many units of the beginning fit into so many bytes. */
function unitsFromStart(text: string, maxBytes: number): number {
  let bytes = 0;
  let at = 0;
  while (at < text.length) {
    const units = isHigh(text, at) && isLow(text, at + 1) ? 2 : 1;
    bytes += units === 2 ? 4 : unitBytes(text.charCodeAt(at));
    if (bytes > maxBytes) break;
    at += units;
  }
  return at;
}

/** Where the end begins that fits into so many bytes. */
function unitsFromEnd(text: string, maxBytes: number): number {
  let bytes = 0;
  let at = text.length;
  while (at > 0) {
    const units = isLow(text, at - 1) && isHigh(text, at - 2) ? 2 : 1;
    bytes += units === 2 ? 4 : unitBytes(text.charCodeAt(at - 1));
    if (bytes > maxBytes) break;
    at -= units;
  }
  return at;
}

const isHigh = (text: string, at: number): boolean => (text.charCodeAt(at) & 0xfc00) === 0xd800;
const isLow = (text: string, at: number): boolean => (text.charCodeAt(at) & 0xfc00) === 0xdc00;
const unitBytes = (unit: number): number => (unit < 0x80 ? 1 : unit < 0x800 ? 2 : 3);
