/**
 * What a row of the table of damaged homes says: how a log is damaged, and what must hold for whoever reads it.
 */
import type { JsonObject } from '../../src/base/json.js';
import type { HiddenReason } from '../../src/home/index.js';
import type { FileContents } from './lab.js';
import { assistantMessage, type Log, userMessage } from './logs.js';

export interface Held {
  /** In the default list, or hidden for this reason. */
  readonly listed: true | HiddenReason;
  readonly id: string;
  readonly title: string;
  readonly history: readonly JsonObject[];
  /** What `verify` reports, as `kind@line`, with `!` where bytes of a record are lost. */
  readonly verify: readonly string[];
  readonly unknown: readonly string[];
  readonly tornTail: boolean;
  readonly dialect: 'bare' | 'legacy' | 'paginated' | null;
  /** The log continues another: its row needs the index to be complete. */
  readonly continues: boolean;
  /** Of the row in the list. */
  readonly row: Readonly<Record<string, unknown>>;
}

export interface Fault {
  /** The row of the reference, or what it is. */
  readonly row: string;
  /** Dialects of the undamaged log; default both. */
  readonly only?: Log['dialect'];
  /** Bytes of the log, or the files that stand in the home instead. The log's own path stays what is asked about. */
  readonly damage: (log: Log) => string | Uint8Array | FileContents;
  /** What differs from an undamaged log. */
  readonly holds: Partial<Held> | ((log: Log) => Partial<Held>);
}

export function heldOf(fault: Fault, log: Log): Held {
  const differs = typeof fault.holds === 'function' ? fault.holds(log) : fault.holds;
  return {
    listed: true,
    id: log.id,
    title: 'first prompt',
    history: log.items,
    verify: [],
    unknown: [],
    tornTail: false,
    dialect: log.dialect,
    continues: false,
    row: {},
    ...differs,
  };
}

/** A call that never got its output gets this one. */
export function abortedOutput(call: JsonObject): JsonObject {
  return { type: 'function_call_output', call_id: call['call_id']!, output: 'aborted' };
}

export function insertedAt<T>(list: readonly T[], at: number, item: T): T[] {
  return [...list.slice(0, at), item, ...list.slice(at)];
}

/** How many response items stand before line `at`. */
export function itemsBefore(log: Log, at: number): number {
  return log.lines.slice(0, at).filter((line) => line.includes('"type":"response_item"')).length;
}

export const MINIMAL_ITEMS: readonly JsonObject[] = [
  userMessage('first prompt'),
  assistantMessage('turn one'),
  userMessage('second prompt'),
  assistantMessage('turn two'),
];

/** A log of two turns with as little as a program of its own would write. */
export function minimalLines(
  log: Log,
  meta: Readonly<Record<string, unknown>>,
  events: 'legacy' | 'completed' | 'none',
): string[] {
  const lines: [string, unknown][] = [['session_meta', meta]];
  for (const item of MINIMAL_ITEMS) {
    lines.push(['response_item', item]);
    if (events === 'none') continue;
    const user = item['role'] === 'user';
    const [{ text }] = item['content'] as unknown as readonly [{ readonly text: string }];
    const completed = {
      type: 'item_completed',
      thread_id: log.id,
      turn_id: 'turn-1',
      item: user
        ? { type: 'UserMessage', id: 'u', content: [{ type: 'text', text, text_elements: [] }] }
        : { type: 'AgentMessage', id: 'a', content: [{ type: 'Text', text }] },
      completed_at_ms: 1,
    };
    const legacy = user
      ? { type: 'user_message', message: text, images: [] }
      : { type: 'agent_message', message: text };
    lines.push(['event_msg', events === 'completed' ? completed : legacy]);
  }
  return lines.map(([type, payload], at) => log.line(at, type, payload));
}

export function minimalMeta(log: Log): Record<string, unknown> {
  return {
    id: log.id,
    timestamp: '2026-11-29T23:24:29.931Z',
    cwd: '/home/dev/proj',
    originator: 'codex_exec',
    cli_version: '0.171.0',
  };
}
