/**
 * Reads from a log what a preview shows: the messages around a line, or the last ones. Never writes, never fails for
 * what a log holds: what cannot be read is not shown. Every text is masked, as that of any search.
 *
 * A window of lines is looked at, and of each line no more than can be read in a moment; the cost beside that is finding
 * the line.
 */
import { createMatcher, parseQuery, type TermMatcher } from '../../base/analyse/index.js';
import type { JsonValue } from '../../base/json.js';
import { type FramedLine, LineFramer } from '../../base/jsonl.js';
import type { FileSystem } from '../../platform/files/file-system.js';
import { type MessageText, messageOf } from '../../projection/documents.js';
import { maskedHead } from '../../projection/index.js';
import { decodeLine, detectShape } from '../../protocol/decode-line.js';
import { allocateWindow, isCompressed, openFeed } from '../../rollout/byte-feed.js';
import { readBlocksReverse } from '../../rollout/reverse-reader.js';
import { type Entry, keyOf } from './entry.js';
import { excerpt } from './preview-pane.js';
import type { Preview, PreviewMessage } from './state.js';

export interface PreviewOptions {
  readonly files: FileSystem;
  /** Undefined when nothing is searched for. */
  readonly query: string | undefined;
  readonly signal: AbortSignal;
}

/** Lines on either side of the one that was found: between two messages stand calls, their output and much else. */
const LINES_BEFORE = 60;
const LINES_AFTER = 40;
/** How far back the end of a thread is looked for. */
const END_BYTES = 4 * 1024 * 1024;
const END_MESSAGES = 8;
/** A longer line beside the one that was found is not a message for a preview. */
const MAX_LINE_BYTES = 256 * 1024;
const MAX_FOUND_BYTES = 8 * 1024 * 1024;
/** Units of a text that are masked and searched for matches; a preview shows less. */
const MAX_TEXT = 64 * 1024;
const SHOWN_UNITS = 4_000;
/** Two records of one message stand this near to each other. */
const TWIN_DISTANCE = 4;

interface Found {
  readonly lineNumber: number;
  readonly message: MessageText;
}

/** Rejects when the file cannot be opened, or with the signal's reason. */
export async function loadPreview(entry: Entry, options: PreviewOptions): Promise<Preview> {
  const { hit } = entry;
  const found =
    hit === undefined ? await lastMessages(entry.path, options) : await messagesAround(entry.path, hit.line, options);
  const matcher =
    options.query === undefined ? undefined : createMatcher(parseQuery(options.query, { lastWordIsOpen: true }));
  const messages = found.map((one) => previewMessage(one, matcher));
  const place = hit === undefined ? -1 : found.findIndex(({ lineNumber }) => lineNumber === hit.line);
  return { key: keyOf(entry), messages, found: place === -1 ? undefined : place };
}

async function messagesAround(
  path: string,
  line: number,
  { files, signal }: PreviewOptions,
): Promise<readonly Found[]> {
  const found: Found[] = [];
  const feed = await openFeed(path, files, { start: 0, end: undefined }, { signal });
  try {
    const framer = new LineFramer({ allocate: allocateWindow });
    for (let more = true; more; ) {
      signal.throwIfAborted();
      more = await feed.fill(framer);
      if (!more) framer.finish();
      for (let framed = framer.next(); framed !== undefined; framed = framer.next()) {
        const { lineNumber } = framed;
        if (lineNumber > line + LINES_AFTER) return withoutTwins(found, line);
        if (lineNumber < line - LINES_BEFORE) continue;
        const message = messageIn(framed, lineNumber === line ? MAX_FOUND_BYTES : MAX_LINE_BYTES);
        if (message !== undefined) found.push({ lineNumber, message });
      }
    }
  } finally {
    await feed.close();
  }
  return withoutTwins(found, line);
}

/** Of a compressed log, which has no way back, the first ones. */
async function lastMessages(path: string, options: PreviewOptions): Promise<readonly Found[]> {
  if (isCompressed(path)) return (await messagesAround(path, 1, options)).slice(0, END_MESSAGES);
  const found: Found[] = [];
  let bytes = 0;
  for await (const lines of readBlocksReverse(path, options)) {
    for (const line of lines) {
      bytes += line.byteLength;
      const message = messageIn(line, MAX_LINE_BYTES);
      if (message !== undefined) found.unshift({ lineNumber: 0, message });
      // Each may have a twin.
      if (found.length >= END_MESSAGES * 2 || bytes >= END_BYTES) return withoutTwins(found, 0).slice(-END_MESSAGES);
    }
  }
  return withoutTwins(found, 0).slice(-END_MESSAGES);
}

function messageIn({ bytes, start, end, oversize }: FramedLine, maxBytes: number): MessageText | undefined {
  if (oversize || end - start > maxBytes) return undefined;
  let value: JsonValue;
  try {
    value = JSON.parse(Buffer.from(bytes.subarray(start, end)).toString('utf8')) as JsonValue;
  } catch {
    return undefined; // damage: `show` and `verify` tell of it
  }
  const decoded = decodeLine(value, detectShape(value));
  return decoded.kind === 'record' ? messageOf(decoded.line, { tools: false }) : undefined;
}

/** Of two records of one message, the one on `line`, else the first. */
function withoutTwins(found: readonly Found[], line: number): readonly Found[] {
  const kept: Found[] = [];
  for (const one of found) {
    const { mark, kind } = one.message;
    const twin = kept.findLastIndex((other) => other.message.mark === mark && other.message.kind !== kind);
    if (twin === -1 || kept.length - twin > TWIN_DISTANCE) kept.push(one);
    else if (one.lineNumber === line && line > 0) kept.splice(twin, 1, one);
  }
  return kept;
}

function previewMessage({ lineNumber, message }: Found, matcher: TermMatcher | undefined): PreviewMessage {
  // Masked before it is cut, so that no cut hides the end of a secret.
  const masked = maskedHead(message.text, MAX_TEXT).replaceAll('\t', '    ').replaceAll('\r\n', '\n').trim();
  const located = matcher?.locate(masked) ?? [];
  const { text, start } = excerpt(masked, located[0]?.start, SHOWN_UNITS);
  const matches = located
    .map((match) => [match.start - start, match.end - start] as const)
    .filter(([from, to]) => from >= 0 && to <= text.length);
  return { role: message.role, line: lineNumber, text, matches };
}
