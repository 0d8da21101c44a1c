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

/** Forms of lines of one kind, those that were met last first. */
const forms = new Map<string, LineForm[]>();
/** A program that writes a log has a few forms for each kind; of all that ever did, some dozens are kept. */
const MAX_FORMS = 32;
const MAX_KINDS = 32;

/** How often a form was tried in vain: one that is no message, or that no encoder writes. */
const failures = new Map<string, number>();
const MAX_FAILURES = 8;
const MAX_FAILED_FORMS = 128;

/** The form of a line, if it is known; then the line is sound. `kind`: what all lines of the form have in their headers. */
export function knownForm(kind: string, bytes: Buffer, start: number, end: number): LineForm | undefined {
  const known = forms.get(kind);
  if (known === undefined) return undefined;
  for (let at = 0; at < known.length; at += 1) {
    const form = known[at];
    if (form === undefined || !form.fits(bytes, start, end)) continue;
    const before = known[at - 1];
    if (before !== undefined) {
      known[at - 1] = form;
      known[at] = before;
    }
    return form;
  }
  return undefined;
}

/** Learns the form of a line that is one sound record. `text`: where it says something. */
export function learnForm(kind: string, bytes: Buffer, start: number, end: number, text: TextRange | undefined): void {
  if (knownForm(kind, bytes, start, end) !== undefined) return;
  const form = LineForm.of(bytes, start, end, text);
  if (form === undefined) return;
  const { key } = form;
  const failed = failures.get(key) ?? 0;
  if (failed >= MAX_FAILURES) return;
  const proved =
    text === undefined ? isWrittenOnce(bytes.toString('utf8', start, end)) : isRead(bytes, start, end, text);
  if (proved) keep(kind, form);
  else if (failures.size < MAX_FAILED_FORMS) failures.set(key, failed + 1);
}

function keep(kind: string, form: LineForm): void {
  const known = forms.get(kind);
  if (known === undefined) {
    if (forms.size < MAX_KINDS) forms.set(kind, [form]);
    return;
  }
  known.unshift(form);
  if (known.length > MAX_FORMS) known.pop();
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
