/**
 * What the real client sent, and when two items count as the same: by type, role and text, instructions aside.
 * Cut texts are compared by prefix and length; the outputs of tools by their text, which old releases reformat.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { JsonObject, JsonValue } from '../../src/base/json.js';

export interface SentRequest {
  readonly kind: string;
  readonly thread: string | null;
  readonly input: readonly JsonObject[];
}

export function sentRequests(folder: string): readonly SentRequest[] {
  return JSON.parse(readFileSync(join(folder, 'sent-history.json'), 'utf8')) as SentRequest[];
}

/** The last request of each thread that asked for a turn. */
export function lastRequests(requests: readonly SentRequest[]): ReadonlyMap<string, SentRequest> {
  const last = new Map<string, SentRequest>();
  for (const request of requests) {
    if (request.kind === 'turn' && request.thread !== null) last.set(request.thread, request);
  }
  return last;
}

const TYPES = new Set([
  'message',
  'function_call',
  'function_call_output',
  'custom_tool_call',
  'custom_tool_call_output',
  'local_shell_call',
]);
const INSTRUCTIONS =
  /^\[INSTRUCTIONS|^<environment_context>|^<placeholder|^# AGENTS\.md|^<user_instructions>|^\[[A-Z_ ]+:? ?.*chars\]/;
const CUT = /^([\s\S]*)…\[(\d+) chars\]$/;

interface Compared {
  readonly kind: string;
  readonly text: string;
  readonly length: number;
  readonly cut: boolean;
}

function textOf(item: JsonObject): string {
  const content = item['text'] ?? item['content'] ?? item['output'] ?? item['arguments'] ?? item['input'];
  if (typeof content === 'string') return content;
  if (Array.isArray(content)) {
    return (content as readonly JsonValue[])
      .map((part) => (typeof part === 'object' && part !== null && 'text' in part ? String(part.text) : ''))
      .join('');
  }
  return content === undefined || content === null ? '' : JSON.stringify(content);
}

/** Only the text of a tool's output: releases up to 0.104 show the model something else than what they store. */
function plainOutput(text: string): string {
  let plain = text;
  if (text.startsWith('{"output":"')) {
    const end = /","metadata":.*\}$/.exec(text)?.index ?? text.length;
    plain = text.slice(11, end).replaceAll('\\n', '\n');
  }
  return plain
    .replace(/^(?:[^\n]*\n)*?(?:Output|Total output lines: \d+):?\n+/, '')
    .trim()
    .slice(0, 60);
}

export function comparable(items: readonly JsonObject[]): readonly Compared[] {
  const compared: Compared[] = [];
  for (const item of items) {
    const full = textOf(item);
    const role = item['role'];
    if (!TYPES.has(String(item['type'])) || role === 'developer' || role === 'system') continue;
    if (INSTRUCTIONS.test(full)) continue;
    const kind = `${String(item['type'])} ${String(role ?? '')}`;
    if (kind.includes('output')) {
      const text = plainOutput(full);
      compared.push({ kind, text, length: text.length, cut: false });
      continue;
    }
    const cut = CUT.exec(full);
    if (cut === null) compared.push({ kind, text: full, length: [...full].length, cut: false });
    else compared.push({ kind, text: cut[1] ?? '', length: Number(cut[2]), cut: true });
  }
  return compared;
}

function same(sent: Compared, ours: Compared | undefined): boolean {
  if (ours === undefined || sent.kind !== ours.kind) return false;
  if (!sent.cut) return sent.text === ours.text;
  return ours.text.startsWith(sent.text) && (ours.length === sent.length || ours.text.length === sent.length);
}

/** The first of `sent` that `ours` does not have in its place; undefined when `ours` begins with `sent`. */
export function firstDifference(sent: readonly JsonObject[], ours: readonly JsonObject[]): string | undefined {
  const compared = comparable(ours);
  for (const [index, item] of comparable(sent).entries()) {
    const other = compared[index];
    if (!same(item, other)) return `item ${index}: sent ${brief(item)}, ours ${other ? brief(other) : 'nothing'}`;
  }
  return undefined;
}

/** The first of `sent` that does not follow in `ours` after those before it. */
export function firstNotInOrder(sent: readonly JsonObject[], ours: readonly JsonObject[]): string | undefined {
  const rest = comparable(ours).values();
  for (const item of comparable(sent)) {
    let found = false;
    for (const other of rest) {
      found = same(item, other);
      if (found) break;
    }
    if (!found) return `not in order: ${brief(item)}`;
  }
  return undefined;
}

function brief(item: Compared): string {
  return `${item.kind} ${JSON.stringify(item.text.slice(0, 80))}`;
}
