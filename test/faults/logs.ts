/**
 * Genuine logs as material for damage: their lines, which of them are which, and how to write more in the same dialect.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { JsonObject } from '../../src/base/json.js';

export const FIXTURES = fileURLToPath(new URL('../../fixtures/', import.meta.url));

/** A genuine thread of three turns, the second of which runs a command. */
export class Log {
  readonly dialect: 'legacy' | 'paginated';
  readonly id: string;
  /** Below the home. */
  readonly path: string;
  /** Without line feeds. */
  readonly lines: readonly string[];

  constructor(release: string) {
    const home = join(FIXTURES, 'codex', release, 'multiturn', 'home');
    const found = readdirSync(home, { recursive: true, encoding: 'utf8' }).find((name) => name.endsWith('.jsonl'))!;
    this.path = found;
    this.id = /-([0-9a-f]{8}-.{27})\.jsonl$/.exec(found)![1]!;
    this.lines = readFileSync(join(home, found), 'utf8').split('\n').slice(0, -1);
    this.dialect = this.lines[0]!.includes('"ordinal":0') ? 'paginated' : 'legacy';
  }

  get paginated(): boolean {
    return this.dialect === 'paginated';
  }

  /** Payloads of the response items, which is what a resume sends of a log without damage. */
  get items(): readonly JsonObject[] {
    return this.lines.flatMap((line) => {
      const { type, payload } = JSON.parse(line) as { readonly type: string; readonly payload: JsonObject };
      return type === 'response_item' ? [payload] : [];
    });
  }

  get call(): number {
    return this.#find('"type":"function_call"');
  }

  get output(): number {
    return this.#find('"type":"function_call_output"');
  }

  /** Index of the response item with the second prompt: the beginning of the second turn, about. */
  get secondPrompt(): number {
    return this.lines.findIndex((line) => line.includes('response_item') && line.includes('second prompt'));
  }

  /** A line that belongs at index `at` of this log. */
  line(at: number, type: string, payload: unknown, fields: Readonly<Record<string, unknown>> = {}): string {
    return JSON.stringify({
      timestamp: '2026-11-29T23:30:00.000Z',
      ...(this.paginated && { ordinal: at }),
      type,
      payload,
      ...fields,
    });
  }

  /** The lines with `more` before index `at`, ordinals counted through. */
  inserted(at: number, ...more: readonly string[]): string[] {
    return this.counted([...this.lines.slice(0, at), ...more, ...this.lines.slice(at)]);
  }

  without(...indexes: readonly number[]): string[] {
    return this.counted(this.lines.filter((_line, index) => !indexes.includes(index)));
  }

  replaced(at: number, line: string): string[] {
    return this.lines.map((old, index) => (index === at ? line : old));
  }

  changed(at: number, change: (value: Record<string, unknown>) => unknown): string[] {
    return this.replaced(at, JSON.stringify(change(JSON.parse(this.lines[at]!) as Record<string, unknown>)));
  }

  /** The first line with other fields in its payload. */
  withMeta(fields: Readonly<Record<string, unknown>>): string[] {
    return this.changed(0, (value) => ({ ...value, payload: { ...(value['payload'] as object), ...fields } }));
  }

  /** Ordinals from 0 on in lines that have one. */
  counted(lines: readonly string[]): string[] {
    let ordinal = 0;
    return lines.map((line) => {
      if (!/^\{"timestamp":"[^"]*","ordinal":/.test(line)) return line;
      ordinal += 1;
      return line.replace(/"ordinal":\d+/, `"ordinal":${ordinal - 1}`);
    });
  }

  #find(text: string): number {
    return this.lines.findIndex((line) => line.includes(text));
  }
}

export function withoutOrdinal(line: string): string {
  return line.replace(/"ordinal":\d+,/, '');
}

/** A file of these lines, each with its line feed. */
export function file(lines: readonly string[]): string {
  return lines.map((line) => `${line}\n`).join('');
}

export function userMessage(text: string): JsonObject {
  return { type: 'message', role: 'user', content: [{ type: 'input_text', text }] };
}

export function assistantMessage(text: string): JsonObject {
  return { type: 'message', role: 'assistant', content: [{ type: 'output_text', text }] };
}

export const LOGS: readonly Log[] = [new Log('0.125.0'), new Log('0.171.0')];
export const LEGACY = LOGS[0]!;
export const PAGINATED = LOGS[1]!;

/** Where a rollout of another thread lies, below the home. */
export function pathOf(id: string, day = '2026/11/29', time = '23-00-00'): string {
  return join('sessions', day, `rollout-${day.replaceAll('/', '-')}T${time}-${id}.jsonl`);
}

/** A zstd frame of raw blocks: compressed by name and form, without a compressor. */
export function zstdFrame(text: string): Buffer {
  const content = Buffer.from(text);
  // A window of 128 KiB, no content size, no checksum.
  const parts: Uint8Array[] = [Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0x00, 0x38])];
  const BLOCK_BYTES = 64 * 1024;
  for (let at = 0; at < content.length || at === 0; at += BLOCK_BYTES) {
    const block = content.subarray(at, at + BLOCK_BYTES);
    const head = (at + BLOCK_BYTES >= content.length ? 1 : 0) | (block.length << 3);
    parts.push(Buffer.from([head & 0xff, (head >> 8) & 0xff, head >> 16]), block);
  }
  return Buffer.concat(parts);
}
