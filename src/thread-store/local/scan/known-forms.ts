/**
 * Forms of lines that were parsed and found sound, so that another line of the same form is known to be sound too, and
 * its text to be what stands at the same place in it.
 *
 * A form is learned only from a line that shows by a trial that the text which is read is the one that is looked for. Few
 * programs write many forms; what is not known is parsed, which is slower and never wrong.
 */
import type { JsonValue } from '../../../base/json.js';
import { contentTexts } from '../../../projection/content.js';
import { messageOf, saidIn } from '../../../projection/documents.js';
import { decodeLine } from '../../../protocol/decode-line.js';
import type { RolloutItem } from '../../../protocol/rollout-line.js';
import { LineForm } from '../../../rollout/line-form.js';
import type { TextRange } from '../../../rollout/message-text.js';

/** Those that were met last come first. */
const forms: LineForm[] = [];
const MAX_FORMS = 128;

/** How often a form was tried in vain: one that is no message, or that no encoder writes. */
const failures = new Map<string, number>();
const MAX_FAILURES = 8;

/** `sound`: the text of the line, when it needs no check. */
export function hasKnownForm(bytes: Buffer, start: number, end: number, sound?: TextRange): boolean {
  const at = forms.findIndex((form) => form.fits(bytes, start, end, sound));
  const form = forms[at];
  if (form === undefined) return false;
  if (at >= MANY_FORMS) {
    forms.splice(at, 1);
    forms.unshift(form);
  }
  return true;
}

/** A program that writes a log writes so many forms of messages; to look further for one that is in use is too far. */
const MANY_FORMS = 6;

/** Learns the form of a line that is one sound record. `text`: where it says something. */
export function learnForm(bytes: Buffer, start: number, end: number, text: TextRange | undefined): void {
  if (hasKnownForm(bytes, start, end)) return;
  const form = LineForm.of(bytes, start, end);
  if (form === undefined) return;
  const { key } = form;
  const failed = failures.get(key) ?? 0;
  if (failed >= MAX_FAILURES) return;
  const proved =
    text === undefined ? isWrittenOnce(bytes.toString('utf8', start, end)) : isRead(bytes, start, end, text);
  if (proved) {
    forms.unshift(form);
    if (forms.length > MAX_FORMS) forms.pop();
  } else if (failures.size < MAX_FORMS) {
    failures.set(key, failed + 1);
  }
}

/** The text that a record says, as far as forms are learned of such records. */
export function textSaid(item: RolloutItem): string | undefined {
  if (item.type === 'event_msg') return saidIn(item.payload)?.text;
  if (item.type !== 'response_item' || item.payload.type !== 'message') return undefined;
  return contentTexts(item.payload.content).join('');
}

const TRIAL = 'What stands here is what is read.';

/** True when another text at the same place is what a reader would find. */
function isRead(bytes: Buffer, start: number, end: number, text: TextRange): boolean {
  const trial = `${bytes.toString('utf8', start, text.start)}${TRIAL}${bytes.toString('utf8', text.end, end)}`;
  if (bytes.toString('utf8', text.start, text.end) === TRIAL || !isWrittenOnce(trial)) return false;
  // What was written once is JSON.
  const decode = decodeLine(JSON.parse(trial) as JsonValue, 'envelope');
  return decode.kind === 'record' && messageOf(decode.line, { tools: false })?.text === TRIAL;
}

/** True for a line as an encoder writes it: no key stands twice in an object, so that none hides another. */
function isWrittenOnce(line: string): boolean {
  try {
    return JSON.stringify(JSON.parse(line)) === line;
  } catch {
    // No JSON: not as an encoder writes it.
    return false;
  }
}
